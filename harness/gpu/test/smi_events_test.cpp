// Lines as the kernel's KFD_EVENT_FMT_* print them.
#include "harness/gpu/smi_events.h"

#include <gtest/gtest.h>

namespace kfdcts::gpu {
namespace {

TEST(SmiEvent, MigrationStart) {
  const auto event = ParseSmiEvent("5 123456789 -321 @7f1230(400) 0->cafe cafe:ffffffff 0");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, KFD_SMI_EVENT_MIGRATE_START);
  EXPECT_EQ(event->process, 321U);
  EXPECT_EQ(event->address, 0x7f1230000U);
  EXPECT_EQ(event->bytes, 0x400000U);
  EXPECT_EQ(event->from, 0U);
  EXPECT_EQ(event->to, 0xcafeU);
  EXPECT_EQ(event->trigger, KFD_MIGRATE_TRIGGER_PREFETCH);
}

TEST(SmiEvent, MigrationEnd) {
  const auto event = ParseSmiEvent("6 123456789 -321 @7f1230(400) cafe->0 2 0");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->from, 0xcafeU);
  EXPECT_EQ(event->to, 0U);
  EXPECT_EQ(event->trigger, KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU);
}

TEST(SmiEvent, MigrationEndOfOlderKernelsHasNoError) {
  const auto event = ParseSmiEvent("6 123456789 -321 @7f1230(400) cafe->0 2");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->trigger, KFD_MIGRATE_TRIGGER_PAGEFAULT_CPU);
}

TEST(SmiEvent, PageFault) {
  const auto event = ParseSmiEvent("7 123456789 -321 @7f1230(cafe) W");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->address, 0x7f1230000U);
  EXPECT_EQ(event->node, 0xcafeU);
  EXPECT_EQ(event->access, 'W');
}

TEST(SmiEvent, EvictionAndRestore) {
  const auto eviction = ParseSmiEvent("9 123456789 -321 cafe 1");
  ASSERT_TRUE(eviction);
  EXPECT_EQ(eviction->node, 0xcafeU);
  EXPECT_EQ(eviction->trigger, KFD_QUEUE_EVICTION_TRIGGER_USERPTR);
  const auto restore = ParseSmiEvent("a 123456789 -321 cafe 0");
  ASSERT_TRUE(restore);
  EXPECT_EQ(restore->type, KFD_SMI_EVENT_QUEUE_RESTORE);
  EXPECT_EQ(restore->node, 0xcafeU);
}

TEST(SmiEvent, Unmap) {
  const auto event = ParseSmiEvent("b 123456789 -321 @7f1230(2) cafe 2");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->bytes, 0x2000U);
  EXPECT_EQ(event->trigger, KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU);
}

TEST(SmiEvent, VmFaultAndReset) {
  const auto fault = ParseSmiEvent("1 141:kfdcheck");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->process, 0x141U);
  const auto reset = ParseSmiEvent("3 1 ");
  ASSERT_TRUE(reset);
  EXPECT_EQ(reset->type, KFD_SMI_EVENT_GPU_PRE_RESET);
}

TEST(SmiEvent, ForeignLinesAreRefused) {
  EXPECT_FALSE(ParseSmiEvent(""));
  EXPECT_FALSE(ParseSmiEvent("hello"));
  EXPECT_FALSE(ParseSmiEvent("5 12 -3 @"));
  EXPECT_FALSE(ParseSmiEvent("7 123456789 -321 @7f1230"));
}

}  // namespace
}  // namespace kfdcts::gpu
