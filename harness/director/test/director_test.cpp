#include "harness/director/director.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "harness/vgpu/director/commands.h"
#include "harness/vgpu/director/line_server.h"
#include "harness/vgpu/engines/pm4_packets.h"
#include "harness/vgpu/test/engines/device_rig.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

vm::UniqueFd Connected(const std::string& path) {
  vm::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

/// A device with its own director, served as the program vgpu does.
class DirectorClientTest : public testing::Test {
 protected:
  void WriteRegister(std::uint32_t reg, std::uint32_t value) {
    rig_.device.Write(vgpu::Device::Bar::kRegisters, reg, std::as_bytes(std::span(&value, 1)));
  }
  void RunDevice() {
    while (rig_.device.Step().progress) {
    }
  }
  /// The end-of-pipe interrupt of a fence on the driver's own ring, with `number` as its data.
  void RaiseInterrupt(std::uint32_t number) {
    if (rig_.wptr == 0) rig_.StartRing();
    rig_.Submit({vgpu::pm4::Header(vgpu::pm4::kReleaseMem, 7), 0,
                 vgpu::pm4::kData32 << 29 | vgpu::pm4::kIntAfterWrite << 24, 0x10000 + number * 8,
                 static_cast<std::uint32_t>(vgpu::kVega10.fb_base >> 32), number, 0, number});
    RunDevice();
  }
  /// The numbers of those that are held.
  std::vector<std::uint32_t> Held() {
    std::vector<std::uint32_t> numbers;
    for (const auto& interrupt : director_.Held().interrupts) numbers.push_back(interrupt.data[0]);
    return numbers;
  }
  /// The driver's own ring of an SDMA engine, whose address space has no PASID.
  void EnableSdmaRing(unsigned engine) { WriteRegister(vgpu::kVega10.sdma_gfx_rb_cntl[engine], 1); }

  std::string path_ = testing::TempDir() + "kfd-director-" + std::to_string(getpid());
  vgpu::DeviceRig rig_;
  vgpu::Director server_side_{rig_.device};
  vgpu::LineServer server_{path_,
                           [this](std::string_view line) { return server_side_.Answer(line); }};
  Director director_{LineChannel(Connected(path_), "gpu0"),
                     [] { return std::set<std::uint16_t>{0}; }};
};

TEST_F(DirectorClientTest, EveryCommandIsOneThatTheDeviceTakes) {
  director_.Ping();
  director_.HoldEngine("cp").Release();
  director_.HoldEngine("sdma1").Release();
  director_.HoldInterrupts().Release();
  director_.DropInterrupts(2);
  director_.FailCopies();
  director_.CorruptCopies(3);
  director_.HangScheduler().Release();
  director_.HoldFaults(0x1000, 0x1fff, 7).Release();
  director_.HoldCopies().Release();
  director_.ReleaseAll();
  DirectorQueue queue;
  queue.doorbell = 4096;
  director_.HangQueue(queue).Release();
  EXPECT_THAT(director_.Report(), HasSubstr("registers"));
}

TEST_F(DirectorClientTest, AnErrorHasTheDevicesText) {
  EXPECT_THAT([&] { (void)director_.HoldEngine("sdma9"); },
              ThrowsMessage<DirectorError>("gpu0, hold-engine: no engine \"sdma9\""));
}

TEST_F(DirectorClientTest, AHoldEndsWithItsObjectAndOnce) {
  EnableSdmaRing(0);
  {
    DirectorHold hold = director_.HoldEngine("sdma0");
    DirectorHold moved = std::move(hold);
    EXPECT_THAT(director_.Report(), HasSubstr("held: sdma0"));
    moved.Release();
    EXPECT_THAT(director_.Report(), Not(HasSubstr("held: sdma0")));
    DirectorHold other = director_.HoldEngine("sdma0");
  }
  EXPECT_THAT(director_.Report(), Not(HasSubstr("held: sdma0")));
}

TEST_F(DirectorClientTest, AllOrdersEndAtOnce) {
  DirectorHold copies = director_.HoldCopies();
  DirectorHold faults = director_.HoldFaults();
  EXPECT_THAT(director_.Report(), AllOf(HasSubstr("held: copies"), HasSubstr("held: faults")));
  director_.ReleaseAll();
  EXPECT_THAT(director_.Report(), Not(HasSubstr("held: ")));
  DirectorHold again = director_.HoldCopies();
  director_.Complaints(false);
  EXPECT_THAT(director_.Report(), HasSubstr("held: copies"));
  director_.Complaints(false, true);
  EXPECT_THAT(director_.Report(), Not(HasSubstr("held: ")));
}

TEST_F(DirectorClientTest, HeldInterruptsOneByOne) {
  DirectorHold hold = director_.HoldInterrupts();
  EXPECT_THAT(director_.Held().interrupts, IsEmpty());
  RaiseInterrupt(7);
  RaiseInterrupt(8);
  EXPECT_EQ(Held(), (std::vector<std::uint32_t>{7, 8}));
  EXPECT_THAT(director_.Held().faults, IsEmpty());
  EXPECT_THAT([&] { director_.DeliverInterrupt(2); },
              ThrowsMessage<DirectorError>(HasSubstr("2 interrupts are held")));
  director_.DeliverInterrupt(1);
  EXPECT_EQ(Held(), std::vector<std::uint32_t>{7});
  EXPECT_EQ(director_.Counters().interrupts, 1U);
  hold.Release();
  EXPECT_THAT(Held(), IsEmpty());
  EXPECT_EQ(director_.Counters().interrupts, 2U);
}

TEST_F(DirectorClientTest, ComplaintsAreClearedOnDemand) {
  EXPECT_THAT(director_.Complaints(false), IsEmpty());
  rig_.StartRing();
  for (unsigned i = 0; i < 3; ++i) {
    rig_.Submit({vgpu::pm4::Header(vgpu::pm4::kReleaseMem, 7), 0, vgpu::pm4::kData32 << 29, 0x10000,
                 static_cast<std::uint32_t>(vgpu::kVega10.fb_base >> 32), 7, 0, 0});
  }
  RunDevice();
  const std::vector<DirectorFinding> found = director_.Complaints(true);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].Text(),
              AllOf(HasSubstr("fence-twice x2 at 0x"), HasSubstr("by gfx: held 7")));
  EXPECT_THAT(director_.Complaints(false), IsEmpty());
}

TEST_F(DirectorClientTest, Counters) {
  WriteRegister(vgpu::kVega10.scratch_reg0, 7);
  const DirectorCounters counters = director_.Counters();
  EXPECT_EQ(counters.register_writes, 1U);
  EXPECT_EQ(counters.copies, 0U);
  EXPECT_THAT(counters.packets, IsEmpty());
}

TEST_F(DirectorClientTest, QueuesWithAndWithoutDoorbell) {
  EnableSdmaRing(0);
  const std::vector<DirectorQueue> queues = director_.Queues();
  ASSERT_THAT(queues, SizeIs(1));
  EXPECT_EQ(queues[0].name, "sdma0.gfx");
  EXPECT_EQ(queues[0].kind, "sdma");
  EXPECT_EQ(queues[0].doorbell, std::nullopt);
  EXPECT_THAT([&] { (void)director_.HangQueue(queues[0]); },
              ThrowsMessage<DirectorError>(HasSubstr("no doorbell")));
}

TEST_F(DirectorClientTest, ExactlyOneQueueMustBeMeant) {
  EXPECT_THAT([&] { director_.OnlyOwnQueue(); },
              ThrowsMessage<DirectorError>(HasSubstr("0 queues of this process")));
  EnableSdmaRing(0);
  EXPECT_EQ(director_.OnlyOwnQueue().name, "sdma0.gfx");
  EnableSdmaRing(1);
  EXPECT_THAT([&] { director_.OnlyOwnQueue(); },
              ThrowsMessage<DirectorError>(
                  AllOf(HasSubstr("2 queues of this process"), HasSubstr("sdma1.gfx"))));
  EXPECT_THAT([&] { director_.QueueOfRing(&rig_); },
              ThrowsMessage<DirectorError>(HasSubstr("0 queues with the ring sought")));
  EXPECT_THAT([&] { director_.QueueOfDoorbell(&rig_); },
              ThrowsMessage<DirectorError>(HasSubstr("0 queues with the doorbell sought")));
}

TEST_F(DirectorClientTest, OthersQueuesAreNotOwn) {
  EnableSdmaRing(0);
  Director stranger(LineChannel(Connected(path_), "gpu0"),
                    [] { return std::set<std::uint16_t>{5}; });
  EXPECT_THAT(stranger.OwnQueues(), IsEmpty());
  EXPECT_THAT(stranger.Queues(), SizeIs(1));
}

TEST_F(DirectorClientTest, NothingOfAPredecessorDisturbs) {
  vm::UniqueFd fd = Connected(path_);
  const std::string left = "{\"do\":\"ping\",\"id\":1}\n{\"do\":\"counters\"}\n{\"do\":\"pi";
  ASSERT_EQ(write(fd.get(), left.data(), left.size()), static_cast<ssize_t>(left.size()));
  Director next(LineChannel(std::move(fd), "gpu0"));
  next.Ping();
  EXPECT_EQ(next.Counters().copies, 0U);
}

/// The rest of an answer, of which a predecessor took the beginning, and others' whole ones.
TEST_F(DirectorClientTest, WhatIsNoAnswerOfItsOwnIsPassedOver) {
  const std::string path = path_ + "-rest";
  vgpu::LineServer server(path, [this](std::string_view line) {
    return "\"fences\":0}}\n7\n[]\n{\"ok\":true}\n{\"id\":1,\"ok\":false}\n" +
           server_side_.Answer(line);
  });
  Director next(LineChannel(Connected(path), "gpu0"));
  next.Ping();
  EXPECT_EQ(next.Counters().copies, 0U);
}

}  // namespace
}  // namespace kfdcts::harness
