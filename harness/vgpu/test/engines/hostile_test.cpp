#include <gtest/gtest.h>

#include <random>

#include "harness/vgpu/test/engines/hws.h"

namespace kfdcts::vgpu {
namespace {

constexpr unsigned kStreams = 20'000, kStreamsARig = 500, kDwords = 48, kSteps = 200;

/// Dwords that are often nearly right: headers that exist, addresses that are mapped, small counts.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::uint32_t Below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  std::uint32_t Any() { return static_cast<std::uint32_t>(random_()); }

  std::uint32_t Operand() {
    switch (Below(8)) {
      case 0:
        return 0;
      case 1:
        return Below(64);
      case 2:
        return Lo(EngineRig::kUserBase) + Below(1 << 20);
      case 3:
        return Hi(EngineRig::kUserBase);
      case 4:
        return Below(16 << 20);
      case 5:
        return Hi(kVega10.fb_base);
      case 6:
        return ~0u << Below(32);
      default:
        return Any();
    }
  }
  std::uint32_t Pm4Header() {
    if (Below(16) == 0) return Any();
    return 3u << 30 | Below(Below(8) ? 12 : 0x4000) << 16 |
           (kOpcodes[Below(std::size(kOpcodes))] << 8);
  }
  std::uint32_t SdmaHeader() {
    return Below(16) ? Below(18) | (Below(4) ? 0 : Below(9)) << 8 | (Any() & 0xffff'0000) : Any();
  }
  std::uint32_t AqlHeader() { return Below(8); }

 private:
  static constexpr std::uint32_t kOpcodes[] = {
      0x10, 0x1e, 0x22, 0x33, 0x37, 0x3c, 0x3f, 0x40, 0x46, 0x49, 0x50, 0x58, 0x68, 0x69,
      0x76, 0x79, 0x98, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0x15, 0x12, 0x90, 0x5a};
  std::mt19937_64 random_;
};

using HeaderOf = std::uint32_t (Generator::*)();

/// The device as such is whole: after a reset a ring runs as ever.
bool RunsAfterAReset(EngineRig& rig) {
  rig.registers.Clear();
  rig.controls = {};
  rig.engines.Reset();
  TestGfxRing ring(rig);
  const std::uint64_t data = rig.Alloc(4096);
  ring.Submit(Pm4Write(rig.Mc(data), 0x600d));
  return rig.LoadVram<std::uint32_t>(data) == 0x600du;
}

template <typename Queue, typename... Arguments>
void Feed(HeaderOf header, Arguments... arguments) {
  Generator generator(20240607);
  for (unsigned done = 0; done < kStreams; done += kStreamsARig) {
    HwsRig rig;
    rig.AddProcess();
    rig.RunAll();
    Queue queue(rig, arguments...);
    rig.SetUserRetry(generator.Below(2));
    for (unsigned i = 0; i < kStreamsARig; ++i) {
      for (unsigned dword = 0; dword < kDwords; ++dword) {
        queue.Emit({generator.Below(5) ? generator.Operand() : (generator.*header)()});
      }
      queue.Kick();
      rig.Settle(kSteps);
      rig.host.AdvanceNs(generator.Below(5'000'000));
      // A halted queue would see nothing of the rest.
      if (generator.Below(8) == 0) queue.Restart();
    }
    ASSERT_TRUE(RunsAfterAReset(rig));
  }
}

struct FuzzGfx : TestGfxRing {
  using TestGfxRing::TestGfxRing;
  void Restart() {
    rig_.registers.Write(rig_.chip.cp_rb0_cntl, 9);
    rig_.registers.Write(rig_.chip.cp_me_cntl, 0);
    SetWptr(0);
  }
};
struct FuzzKiq : TestKiq {
  using TestKiq::TestKiq;
  void Restart() {}
};
struct FuzzSdma : TestSdmaRing {
  using TestSdmaRing::TestSdmaRing;
  void Restart() {
    Write(0, 0);
    Write(0, 10u << 1 | 1u << 12 | 1u);
  }
};
struct FuzzUserSdma : TestUserSdma {
  using TestUserSdma::TestUserSdma;
  void Restart() {
    Write(0, 0);
    Load(wptr());
  }
};
struct FuzzUserCompute : TestUserCompute {
  using TestUserCompute::TestUserCompute;
  void Restart() {
    Destroy();
    rig_.StoreVram(mqd() + 4 * (128 + hqd::kError), 0u);
    Load();
  }
};

TEST(Hostile, Pm4OfTheGfxRing) { Feed<FuzzGfx>(&Generator::Pm4Header); }
TEST(Hostile, Pm4OfTheKiq) { Feed<FuzzKiq>(&Generator::Pm4Header); }
TEST(Hostile, Pm4OfAUser) { Feed<FuzzUserCompute>(&Generator::Pm4Header, false); }
TEST(Hostile, AqlOfAUser) { Feed<FuzzUserCompute>(&Generator::AqlHeader, true); }
TEST(Hostile, SdmaOfTheDriver) { Feed<FuzzSdma>(&Generator::SdmaHeader); }
TEST(Hostile, SdmaOfAUser) { Feed<FuzzUserSdma>(&Generator::SdmaHeader); }

/// Registers of the engines with any value, doorbells of any offset.
TEST(Hostile, RegistersAndDoorbells) {
  Generator generator(77);
  for (unsigned round = 0; round < 40; ++round) {
    EngineRig rig;
    const std::uint32_t bases[] = {rig.chip.cp_mqd_base_addr,
                                   rig.chip.cp_rb0_base,
                                   rig.chip.sdma_gfx_rb_cntl[0],
                                   rig.chip.sdma_gfx_rb_cntl[0] + rig.chip.sdma_rlc0_offset,
                                   rig.chip.grbm_gfx_cntl,
                                   rig.chip.cp_mec_cntl,
                                   rig.chip.cp_pq_wptr_poll_cntl1,
                                   rig.chip.spi_compute_queue_reset,
                                   rig.chip.cp_me_cntl};
    for (unsigned i = 0; i < 2000; ++i) {
      const std::uint32_t offset =
          bases[generator.Below(std::size(bases))] + generator.Below(64) * 4;
      rig.registers.Write(offset, generator.Operand());
      (void)rig.registers.Read(offset);
      rig.engines.Doorbell(generator.Below(0x200) * 4, generator.Operand(), generator.Below(2));
      rig.Settle(20);
      rig.host.AdvanceNs(generator.Below(100'000));
    }
    ASSERT_TRUE(RunsAfterAReset(rig)) << "round " << round;
  }
}

}  // namespace
}  // namespace kfdcts::vgpu
