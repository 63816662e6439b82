// Which addresses belong to an object.
#include <array>

#include "suites/support/memory_test.h"

namespace kfdcts::suites {
namespace {

constexpr std::size_t kPages = 3;

struct InsideCase {
  std::string_view name;
  std::size_t page;
  std::ptrdiff_t offset;  ///< From the start of that page.
};
constexpr InsideCase kInside[] = {
    {"first_byte", 0, 0},  {"second_byte", 0, 1},      {"end_of_first_page", 1, -1},
    {"second_page", 1, 0}, {"middle_of_page", 1, 123}, {"last_byte", kPages, -1},
};

std::ptrdiff_t Offset(const InsideCase& inside) {
  return static_cast<std::ptrdiff_t>(inside.page * PageSize()) + inside.offset;
}

}  // namespace

KFD_TEST_CASES_F(PointerInfo, InteriorAddress, MemoryTest, kInside,
                 .property = "any address inside an object finds it, with the object's own fields",
                 .rules = "PTR-11", .scope = Scope::kFirstGpu) {
  for (const KindCase& one : kEveryKind) {
    SCOPED_TRACE(one.name);
    const Allocation memory = Allocate(one.kind, kPages);
    const PointerInfo info = Query(memory.At(Offset(param())));
    EXPECT_EQ(info.status, HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(info.cpu_address, memory.address());
    EXPECT_EQ(info.size, memory.size());
  }
}

KFD_TEST_CASES_F(PointerInfo, BeforeStart, MemoryTest, kEveryKind,
                 .property = "the byte before an object does not find it", .rules = "PTR-11",
                 .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind, kPages);
  const PointerInfo info = Query(memory.At(-1));
  EXPECT_FALSE(info.Found() && info.cpu_address == memory.address())
      << testing::PrintToString(info);
}

KFD_TEST_CASES_F(PointerInfo, PastEnd, MemoryTest, kEveryKind,
                 .property = "the byte behind an object does not find it", .rules = "PTR-11",
                 .scope = Scope::kFirstGpu) {
  const Allocation memory = Allocate(param().kind, kPages);
  const PointerInfo info = Query(memory.At(static_cast<std::ptrdiff_t>(memory.size())));
  EXPECT_FALSE(info.Found() && info.cpu_address == memory.address())
      << testing::PrintToString(info);
}

KFD_TEST_F(PointerInfo, NeighboursAreToldApart, MemoryTest,
           .property = "among many objects each address finds its own", .rules = "PTR-11 PTR-12",
           .scope = Scope::kFirstGpu) {
  std::vector<Allocation> objects;
  for (std::size_t pages = 1; pages <= 16; ++pages) {
    objects.push_back(Allocate(kEveryKind[pages % std::size(kEveryKind)].kind, pages));
  }
  for (const Allocation& memory : objects) {
    const PointerInfo first = Query(memory.address());
    const PointerInfo last = Query(memory.At(static_cast<std::ptrdiff_t>(memory.size()) - 1));
    EXPECT_EQ(first.cpu_address, memory.address());
    EXPECT_EQ(first.size, memory.size());
    EXPECT_EQ(last.cpu_address, memory.address());
  }
}

KFD_TEST_F(PointerInfo, LiesInSvmAperture, MemoryTest,
           .property = "allocated memory lies in the SVM aperture and is found there",
           .rules = "PTR-12 PTR-21") {
  // More than any node has: the node's count lies in a structure whose layout differs by version.
  std::array<HsaMemoryProperties, 16> banks{};
  Check("hsaKmtGetNodeMemoryProperties",
        thunk().hsaKmtGetNodeMemoryProperties(gpu().node_id, banks.size(), banks.data()));
  const Allocation memory = Allocate(MemoryKind::kVisibleVram);
  const HSAuint64 start = Query(memory.address()).gpu_address;
  bool inside = false;
  for (const HsaMemoryProperties& bank : banks) {
    if (bank.HeapType != HSA_HEAPTYPE_DEVICE_SVM) continue;
    const HSAuint64 base = bank.VirtualBaseAddress;
    inside = inside || (start >= base && start - base + memory.size() <= bank.SizeInBytes);
  }
  EXPECT_TRUE(inside) << "0x" << std::hex << start;
}

}  // namespace kfdcts::suites
