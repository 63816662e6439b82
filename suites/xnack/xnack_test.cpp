#include "suites/xnack/xnack_test.h"

#include <cstdint>

namespace kfdcts::suites {

std::size_t XnackTest::FirstGranule(const SvmMemory& memory) {
  const auto first_page = reinterpret_cast<std::uintptr_t>(memory.All().data()) / PageSize();
  return (kGranule - first_page % kGranule) % kGranule;
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
