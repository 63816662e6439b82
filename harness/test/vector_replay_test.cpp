#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <system_error>

#include "harness/svm_vectors/replay.h"
#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::HasSubstr;
using testing_support::MessageOf;
using Kind = VectorOperation::Kind;

const VectorMachine kMachine{{{4097, true, 0}, {52, true, 0}}, 64U << 20U};

VectorSequence Sequence() {
  VectorSequence sequence;
  sequence.id = "s";
  sequence.gpus = {7, 9};
  sequence.supported = {7, 9};
  sequence.hives = {0, 0};
  sequence.vmas = {{262150, 4}};
  sequence.operations = {{Kind::kSet, 262150, 4, {{2, 7}, {7, 9}}, 0, {}, false},
                         {Kind::kGet, 262150, 2, {{2, 9}, {7, 0}}, 0, {{4, 9}, {7, 9}}, false},
                         {Kind::kMunmap, 262150, 0, {}, -EINVAL, {}, false}};
  return sequence;
}

/// Answers as Sequence() wants it, unless told otherwise; notes what it was asked.
class FakeKernel : public VectorKernel {
 public:
  int Map(std::uint64_t address, std::uint64_t bytes) override {
    mapped = {address, bytes};
    return map_result;
  }
  int Munmap(std::uint64_t /*address*/, std::uint64_t /*bytes*/) override { return -EINVAL; }
  int Set(std::uint64_t address, std::uint64_t bytes,
          const std::vector<VectorAttribute>& attributes) override {
    set_at = {address, bytes};
    set = attributes;
    return set_result;
  }
  int Get(std::uint64_t /*address*/, std::uint64_t /*bytes*/,
          std::vector<VectorAttribute>& attributes) override {
    attributes = answer;
    return 0;
  }

  std::pair<std::uint64_t, std::uint64_t> mapped;
  std::pair<std::uint64_t, std::uint64_t> set_at;
  std::vector<VectorAttribute> set;
  std::vector<VectorAttribute> answer = {{4, 52}, {7, 9}};
  int map_result = 0;
  int set_result = 0;
};

TEST(VectorReplay, TheSameAnswersAreNoDifference) {
  const VectorSequence sequence = Sequence();
  FakeKernel kernel;
  EXPECT_TRUE(Replay(sequence, {sequence, kMachine}, kernel).empty());
  EXPECT_EQ((std::vector<VectorAttribute>{{2, 4097}, {7, 9}}), kernel.set);
  EXPECT_EQ(kernel.mapped, kernel.set_at);
  EXPECT_EQ(4 * Relocation::PageBytes(), kernel.mapped.second);
}

TEST(VectorReplay, AnotherReturnCodeIsADifference) {
  const VectorSequence sequence = Sequence();
  FakeKernel kernel;
  kernel.set_result = -ENOMEM;
  const auto differences = Replay(sequence, {sequence, kMachine}, kernel);
  ASSERT_EQ(1u, differences.size());
  EXPECT_EQ(0u, differences[0].operation);
  EXPECT_THAT(differences[0].text, HasSubstr("set pages 262150+4 [ACCESS 7, GRANULARITY 9]"));
  EXPECT_THAT(differences[0].text, HasSubstr("returned -12"));
  EXPECT_THAT(differences[0].text, HasSubstr("expected 0"));
}

TEST(VectorReplay, AnotherAnswerIsADifferenceAndTheRestIsPlayed) {
  VectorSequence sequence = Sequence();
  sequence.operations.back().result = 0;
  FakeKernel kernel;
  kernel.answer[0].type = 2;
  const auto differences = Replay(sequence, {sequence, kMachine}, kernel);
  ASSERT_EQ(2u, differences.size());
  EXPECT_THAT(differences[0].text, HasSubstr("answered [ACCESS 52, GRANULARITY 9]"));
  EXPECT_THAT(differences[0].text, HasSubstr("in the file [NO_ACCESS 9, GRANULARITY 9]"));
  EXPECT_THAT(differences[1].text, HasSubstr("munmap pages 262150+0"));
}

TEST(VectorReplay, AVmaThatCannotBeMappedIsNoDifference) {
  const VectorSequence sequence = Sequence();
  FakeKernel kernel;
  kernel.map_result = -EEXIST;
  EXPECT_THAT(MessageOf<std::system_error>([&] {
                Replay(sequence, {sequence, kMachine}, kernel);
              }),
              HasSubstr("s: mapping a VMA of 4 pages"));
}

TEST(VectorRelocation, GpusAreTheMachinesInOrderAndOthersNobodys) {
  const VectorSequence sequence = Sequence();
  const Relocation relocation(sequence, kMachine);
  const auto value = [&](std::uint32_t type, std::uint32_t id) {
    return relocation.Attribute({type, id}).value;
  };
  EXPECT_EQ(4097u, value(0, 7));
  EXPECT_EQ(52u, value(4, 9));
  EXPECT_EQ(0u, value(1, 0));
  EXPECT_EQ(0xFFFF'FFFFU, value(0, 0xFFFF'FFFFU));
  EXPECT_EQ(39321u, value(2, 39321));
  // The file's unknown id is one of the machine's.
  EXPECT_NE(52u, value(2, 52));
  EXPECT_NE(4097u, value(2, 52));
  // No GPU id.
  EXPECT_EQ(7u, value(7, 7));
  EXPECT_EQ(7u, value(9, 7));
}

TEST(VectorRelocation, PagesKeepTheirPlaceWithinAGigabyte) {
  const VectorSequence sequence = Sequence();
  const Relocation relocation(sequence, kMachine);
  const std::uint64_t gigabyte = 1U << 30U;
  EXPECT_EQ(0u, relocation.Address(0));
  EXPECT_EQ(262150 * Relocation::PageBytes() % gigabyte, relocation.Address(262150) % gigabyte);
  EXPECT_EQ(Relocation::PageBytes(), relocation.Address(262151) - relocation.Address(262150));
}

std::string ObstacleOf(const VectorSequence& sequence, const VectorMachine& machine) {
  const auto obstacle = WhyNot(sequence, machine);
  return obstacle ? obstacle->name : "";
}

TEST(VectorRelocation, WhatAMachineCannotHoldIsNamed) {
  EXPECT_EQ("", ObstacleOf(Sequence(), kMachine));
  EXPECT_EQ("gpus", ObstacleOf(Sequence(), {{{1, true, 0}}, 64U << 20U}));
  EXPECT_EQ("unsupported-gpu", ObstacleOf(Sequence(), {{{1, true, 0}, {2, false, 0}}, 64U << 20U}));
  EXPECT_EQ("hive", ObstacleOf(Sequence(), {{{1, true, 5}, {2, true, 5}}, 64U << 20U}));
  EXPECT_EQ("memory", ObstacleOf(Sequence(), {{{1, true, 0}, {2, true, 0}}, 4096}));
}

TEST(VectorRelocation, ASequencesHiveAndUnsupportedGpusCanBeTheMachinesToo) {
  VectorSequence sequence = Sequence();
  sequence.hives = {3, 3};
  EXPECT_EQ("hive", ObstacleOf(sequence, kMachine));
  EXPECT_EQ("", ObstacleOf(sequence, {{{1, true, 5}, {2, true, 5}}, 64U << 20U}));
  sequence = Sequence();
  sequence.supported = {7};
  EXPECT_EQ("unsupported-gpu", ObstacleOf(sequence, kMachine));
  EXPECT_EQ("", ObstacleOf(sequence, {{{1, true, 0}, {2, false, 0}}, 64U << 20U}));
}

TEST(VectorRelocation, FarPagesAndQuirksAreNoSequenceForAMachine) {
  VectorSequence sequence = Sequence();
  sequence.operations[1].start = std::uint64_t{1} << 34U;
  EXPECT_EQ("address-space", ObstacleOf(sequence, kMachine));
  sequence = Sequence();
  sequence.quirk = true;
  EXPECT_EQ("quirk", ObstacleOf(sequence, kMachine));
}

}  // namespace
}  // namespace kfdcts::harness
