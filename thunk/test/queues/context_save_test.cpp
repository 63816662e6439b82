// What a compute queue's waves take when it is preempted, and the end-of-pipe buffer, as Linux
// 7.3's kfd_queue.c works them out.
#include "thunk/src/queues/context_save.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace kfdcts::thunk {
namespace {

struct GpuCase {
  const char* name;
  std::uint64_t version;
  // What topology tells of it.
  std::uint64_t simds, simds_a_cu, arrays, lds_kib, xccs;
  // Bytes, the first three of one XCC.
  std::uint64_t control_stack, area, debugger, mapping;
  std::uint64_t end_of_pipe, end_of_pipe_aql;
};
void PrintTo(const GpuCase& gpu, std::ostream* out) { *out << gpu.name; }

constexpr GpuCase kGpus[] = {
    // 32 CUs, 1280 waves of 8 bytes; 0x55000 a CU.
    {"Tonga", 80002, 128, 4, 4, 64, 1,  //
     0x3000, 0xaa3000, 0xa000, 0xaad000, 0x8000, 0x8000},
    // 64 CUs, but no more than 512 waves for each of 4 engines.
    {"Vega10", 90000, 256, 4, 4, 64, 1,  //
     0x5000, 0x1545000, 0x10000, 0x1555000, 0x1000, 0x1000},
    // 120 CUs; vector registers of 512 KiB: 0x95000 a CU.
    {"Arcturus", 90008, 480, 4, 8, 64, 1,  //
     0x9000, 0x45e1000, 0x20000, 0x4601000, 0x1000, 0x1000},
    // 38 CUs and 1520 waves an XCC.
    {"AquaVanjaram", 90402, 1216, 4, 32, 64, 8,  //
     0x3000, 0x1621000, 0xbe00, 0xb167000, 0x1000, 0},
    // 32 CUs an XCC; topology's LDS of 160 KiB: 0xad000 a CU.
    {"Gfx950", 90500, 1024, 4, 32, 160, 8,  //
     0x3000, 0x15a3000, 0xa000, 0xad68000, 0x1000, 0x1000},
    // 80 CUs; 2560 waves of 12 bytes take 0x8000, which gfx10 does not have.
    {"Navi21", 100300, 160, 2, 8, 64, 1,  //
     0x7000, 0x1a97000, 0x14000, 0x1aab000, 0x1000, 0x1000},
    // 96 CUs; vector registers of 384 KiB: 0x75000 a CU.
    {"Navi31", 110000, 192, 2, 12, 64, 1,  //
     0xa000, 0x2bea000, 0x18000, 0x2c02000, 0x1000, 0x1000},
    // 64 CUs an XCC, 64 waves each; LDS of 320 KiB: 0xe0000 a CU.
    {"Gfx1250", 120500, 512, 4, 16, 320, 2,  //
     0xd000, 0x380d000, 0x20000, 0x705a000, 0x1000, 0x1000},
    // gfx8's first has the buffer, yet saves nothing.
    {"Gfx800", 80000, 128, 4, 4, 64, 1, 0, 0, 0, 0, 0x1000, 0x1000},
    {"Kaveri", 70000, 32, 4, 1, 64, 1, 0, 0, 0, 0, 0, 0},
};

NodeNumbers NumbersOf(const GpuCase& gpu) {
  NodeNumbers numbers;
  numbers.gfx_target_version = gpu.version;
  numbers.simd_count = gpu.simds;
  numbers.simd_per_cu = gpu.simds_a_cu;
  numbers.array_count = gpu.arrays;
  numbers.simd_arrays_per_engine = 1;
  numbers.lds_size_in_kb = gpu.lds_kib;
  numbers.num_xcc = gpu.xccs;
  return numbers;
}

class ContextSaveTest : public testing::TestWithParam<GpuCase> {};

TEST_P(ContextSaveTest, SizesAreTheKernels) {
  const ContextSaveLayout layout = ContextSaveLayoutOf(NumbersOf(GetParam()));
  EXPECT_EQ(layout.control_stack, GetParam().control_stack);
  EXPECT_EQ(layout.area, GetParam().area);
  EXPECT_EQ(layout.debugger, GetParam().debugger);
  EXPECT_EQ(layout.xccs, GetParam().xccs);
  EXPECT_EQ(layout.MappingBytes(), GetParam().mapping);
}

TEST_P(ContextSaveTest, EndOfPipe) {
  EXPECT_EQ(EndOfPipeBytes(GetParam().version, false), GetParam().end_of_pipe);
  EXPECT_EQ(EndOfPipeBytes(GetParam().version, true), GetParam().end_of_pipe_aql);
}

INSTANTIATE_TEST_SUITE_P(Queues, ContextSaveTest, testing::ValuesIn(kGpus),
                         [](const auto& one) { return std::string(one.param.name); });

// The limit of an engine's waves is for each engine, not for each of its arrays.
TEST(ContextSaveLayoutTest, ArraysOfAnEngine) {
  NodeNumbers numbers = NumbersOf(kGpus[1]);
  numbers.simd_arrays_per_engine = 2;
  EXPECT_EQ(ContextSaveLayoutOf(numbers).debugger, 2 * 512 * 32U);
}

}  // namespace
}  // namespace kfdcts::thunk
