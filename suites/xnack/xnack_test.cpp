#include "suites/xnack/xnack_test.h"

#include <cstdint>

namespace kfdcts::suites {

std::size_t XnackTest::FirstGranule(const SvmMemory& memory) {
  const auto first_page = reinterpret_cast<std::uintptr_t>(memory.All().data()) / PageSize();
  return (kGranule - first_page % kGranule) % kGranule;
}

void XnackTest::ExpectFault(const WorkResult& result, const void* address, bool write,
                            std::size_t index) const {
  ASSERT_EQ(result.end, WorkResult::End::kFault) << result.Text();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  EXPECT_EQ(result.fault.address, at - at % PageSize()) << result.Text();
  EXPECT_EQ(result.fault.node, gpu(index).node_id);
  EXPECT_EQ(result.fault.read_only, write);
  EXPECT_FALSE(result.fault.no_execute);
}

std::uint32_t XnackTest::GpuRead(const void* address, std::size_t index) {
  std::uint32_t value = 0;
  EXPECT_TRUE(Done(Work(index).Read(address, value)));
  return value;
}

HSAint32 XnackTest::Mode() const {
  HSAint32 mode = -1;
  Check("hsaKmtGetXNACKMode", thunk().hsaKmtGetXNACKMode(&mode));
  return mode;
}

}  // namespace kfdcts::suites
