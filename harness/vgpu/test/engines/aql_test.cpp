#include <gtest/gtest.h>

#include <array>

#include "harness/vgpu/test/engines/test_queues.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kVendor = 0, kInvalid = 1, kDispatch = 2, kBarrierAnd = 3, kAgent = 4,
                        kBarrierOr = 5;
constexpr std::uint64_t kSignals = UserRing::kData, kMailbox = UserRing::kData + 0x1000;

struct Aql : testing::Test, EngineRig {
  TestUserCompute queue{*this, true};

  Aql() {
    for (std::uint64_t i = 0; i < queue.dwords() / 16; ++i)
      StoreUser(UserRing::kRing + i * 64, kInvalid);
  }
  std::uint64_t Signal(unsigned i) { return kSignals + i * 64; }
  std::uint64_t Value(unsigned i) { return LoadUser<std::uint64_t>(Signal(i) + 8); }
  void SetValue(unsigned i, std::uint64_t value) { StoreUser(Signal(i) + 8, value); }
  std::uint32_t HeaderOf(std::uint64_t packet) {
    return LoadUser<std::uint32_t>(UserRing::kRing + packet * 64);
  }
  std::uint64_t ReadIndex() { return LoadUser<std::uint64_t>(UserRing::kReport); }

  /// `completion` and `dependencies` are signal numbers; −1 for none.
  Dwords Packet(std::uint32_t type, int completion,
                std::initializer_list<unsigned> dependencies = {}) {
    Dwords packet(16);
    packet[0] = type | 1u << 8;
    std::size_t i = 2;
    for (const unsigned dependency : dependencies) {
      packet[i++] = Lo(Signal(dependency));
      packet[i++] = Hi(Signal(dependency));
    }
    if (completion >= 0) {
      packet[14] = Lo(Signal(static_cast<unsigned>(completion)));
      packet[15] = Hi(Signal(static_cast<unsigned>(completion)));
    }
    return packet;
  }
};

TEST_F(Aql, BarrierCompletesItsSignalAndFreesItsSlot) {
  SetValue(0, 1);
  queue.Submit(Packet(kBarrierAnd, 0));
  EXPECT_EQ(Value(0), 0u);
  EXPECT_EQ(HeaderOf(0), kInvalid | 1u << 8);
  EXPECT_EQ(ReadIndex(), 1u);
  EXPECT_TRUE(Interrupts().empty());
}

TEST_F(Aql, BarrierAndWaitsForAll) {
  SetValue(0, 1);
  SetValue(1, 1);
  SetValue(2, 5);
  queue.Submit(Packet(kBarrierAnd, 2, {0, 1}));
  SetValue(0, 0);
  RunFor(2'000'000);
  EXPECT_EQ(Value(2), 5u);
  EXPECT_EQ(ReadIndex(), 0u);
  SetValue(1, 0);
  RunFor(2'000'000);
  EXPECT_EQ(Value(2), 4u);
  EXPECT_EQ(ReadIndex(), 1u);
}

TEST_F(Aql, BarrierOrWaitsForAny) {
  SetValue(0, 1);
  SetValue(1, 1);
  SetValue(2, 1);
  queue.Submit(Packet(kBarrierOr, 2, {0, 1}));
  EXPECT_EQ(Value(2), 1u);
  SetValue(1, 0);
  RunFor(2'000'000);
  EXPECT_EQ(Value(2), 0u);
}

TEST_F(Aql, BarrierOrWithoutDependenciesPasses) {
  SetValue(2, 1);
  queue.Submit(Packet(kBarrierOr, 2));
  EXPECT_EQ(Value(2), 0u);
}

TEST_F(Aql, CompletionSendsTheSignalsEvent) {
  SetValue(0, 1);
  StoreUser(Signal(0) + 16, kMailbox);
  StoreUser(Signal(0) + 24, 0x31u);
  queue.Submit(Packet(kBarrierAnd, 0));
  EXPECT_EQ(LoadUser<std::uint64_t>(kMailbox), 0x31u);
  EXPECT_EQ(Interrupts(),
            (std::vector<SeenInterrupt>{{0x14, 181, 2 | 1 << 2 | 3 << 4, kVmid, kPasid, 0x31, 0}}));
}

TEST_F(Aql, AnInvalidSlotBlocksTheOnesBehind) {
  SetValue(0, 1);
  SetValue(1, 1);
  queue.Emit(Packet(kInvalid, 0)).Emit(Packet(kBarrierAnd, 1)).Kick();
  RunFor(5'000'000);
  EXPECT_EQ(Value(1), 1u);
  const Dwords packet = Packet(kBarrierAnd, 0);
  for (std::size_t i = 1; i < packet.size(); ++i) StoreUser(UserRing::kRing + i * 4, packet[i]);
  StoreUser(UserRing::kRing, packet[0]);
  RunFor(5'000'000);
  EXPECT_EQ(Value(0), 0u);
  EXPECT_EQ(Value(1), 0u);
  EXPECT_EQ(ReadIndex(), 2u);
}

/// A doorbell of the last packet's index (the ROCr runtime) and of the next one's (kfdtest) mean
/// the same.
TEST_F(Aql, DoorbellOfTheLastIndex) {
  SetValue(0, 2);
  queue.Emit(Packet(kBarrierAnd, 0)).Emit(Packet(kBarrierAnd, 0));
  queue.SetTail(2);
  engines.Doorbell(queue.doorbell(), 1, true);
  Settle();
  EXPECT_EQ(Value(0), 0u);
  EXPECT_EQ(ReadIndex(), 2u);
}

TEST_F(Aql, WrapsAroundTheRing) {
  SetValue(0, 1000);
  for (unsigned i = 0; i < 200; ++i) queue.Submit(Packet(kBarrierAnd, 0));
  EXPECT_EQ(Value(0), 800u);
  EXPECT_EQ(ReadIndex(), 200u);
}

struct Refused {
  const char* name;
  std::uint32_t type;
  std::uint32_t code;
};

struct AqlRefused : Aql, testing::WithParamInterface<Refused> {};

TEST_P(AqlRefused, StopsTheQueueAndCompletesNothing) {
  SetValue(0, 1);
  SetValue(1, 1);
  queue.Emit(Packet(GetParam().type, 0)).Emit(Packet(kBarrierAnd, 1)).Kick();
  RunFor(50'000'000);
  EXPECT_EQ(Value(0), 1u);
  EXPECT_EQ(Value(1), 1u);
  EXPECT_EQ(ReadIndex(), 0u);
  EXPECT_TRUE(queue.halted());
  EXPECT_EQ(queue.Read(hqd::kError), hqd::kErrorAql);
  // CP_BAD_OPCODE: doorbell 1 of the process's, and the exception's code.
  const std::uint32_t data = 0x4008 / 8 % 1024 | GetParam().code << 10;
  EXPECT_EQ(Interrupts(),
            (std::vector<SeenInterrupt>{{0x14, 183, 2 | 1 << 2 | 3 << 4, kVmid, kPasid, data, 0}}));
  EXPECT_EQ(diagnostics.Total(Diagnostics::Kind::kUnknownPacket), 0u);
}

INSTANTIATE_TEST_SUITE_P(Types, AqlRefused,
                         testing::Values(Refused{"KernelDispatch", kDispatch, 20},
                                         Refused{"AgentDispatch", kAgent, 20},
                                         Refused{"Vendor", kVendor, 23},
                                         Refused{"Reserved", 77, 19}),
                         [](const auto& test) { return test.param.name; });

TEST_F(Aql, DispatchesAreCountedOnTheirOwn) {
  queue.Submit(Packet(kDispatch, -1));
  EXPECT_EQ(diagnostics.Of(Diagnostics::Kind::kUnsupportedDispatch, "AQL KERNEL_DISPATCH"), 1u);
}

TEST_F(Aql, AFaultOnTheSignalCompletesItOnceAfterTheFix) {
  SetUserRetry(true);
  const std::uint64_t hole = kUserBase + kUserBytes;
  Dwords packet = Packet(kBarrierAnd, 0);
  packet[14] = Lo(hole);
  packet[15] = Hi(hole);
  queue.Submit(packet);
  RunFor(20'000'000);
  EXPECT_EQ(HeaderOf(0), kBarrierAnd | 1u << 8);
  EXPECT_EQ(ReadIndex(), 0u);
  StoreUser(kUserBase + 0x8'0008, std::uint64_t{10});
  MapUser(hole, kUserBus + 0x8'0000);
  Flush(Hub::kGfx, kVmid);
  Settle();
  EXPECT_EQ(LoadUser<std::uint64_t>(kUserBase + 0x8'0008), 9u);
  EXPECT_EQ(ReadIndex(), 1u);
}

TEST_F(Aql, DequeueKeepsTheReadIndex) {
  SetValue(0, 100);
  for (unsigned i = 0; i < 70; ++i) queue.Submit(Packet(kBarrierAnd, 0));
  EXPECT_TRUE(queue.Destroy());
  EXPECT_EQ(queue.Mqd(mqd::kReadIndexLo), 70u);
  queue.Emit(Packet(kBarrierAnd, 0));
  queue.SetTail(71);
  queue.Load();
  Settle();
  EXPECT_EQ(Value(0), 29u);
  EXPECT_EQ(ReadIndex(), 71u);
}

}  // namespace
}  // namespace kfdcts::vgpu
