#include "harness/svm_vectors/vector_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/test/temporary_folder.h"

namespace kfdcts::harness {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

const std::string kGood =
    R"({"id":"a","rule":"r","gpus":[7,9],"supported":[7],"xnack":1,"hive":[0,0],)"
    R"("max_range_pages":512,"vmas":[[256,4]],"ops":[)"
    R"({"op":"set","start":256,"npages":4,"attrs":[[2,7]],"ret":0,"ranges":[]},)"
    R"({"op":"get","start":256,"npages":4,"attrs":[[7,0]],"ret":-22,"out":[[7,9]],"ranges":[]},)"
    R"({"op":"munmap","start":256,"npages":4,"ret":0,"ranges":[],"oops61":1}]})";

std::string Replaced(const std::string& from, const std::string& to) {
  std::string line = kGood;
  return line.replace(line.find(from), from.size(), to);
}

/// What is wrong with a file that holds `text`.
std::string ErrorOf(const std::string& text) {
  const TemporaryFolder folder;
  const auto file = folder.Write("v.jsonl", text);
  return MessageOf<FixtureError>([&] { LoadVectors(file); });
}

TEST(VectorFile, ALineIsASequence) {
  const TemporaryFolder folder;
  const auto sequences = LoadVectors(folder.Write("v.jsonl", "\n" + kGood + "\n"));
  ASSERT_EQ(1u, sequences.size());
  const VectorSequence& sequence = sequences[0];
  EXPECT_EQ("a", sequence.id);
  EXPECT_EQ(2, sequence.line);
  EXPECT_TRUE(sequence.xnack);
  EXPECT_TRUE(sequence.Oopses61());
  EXPECT_EQ(9u, sequence.gpus.at(1));
  ASSERT_EQ(3u, sequence.operations.size());
  EXPECT_EQ(-22, sequence.operations[1].result);
  EXPECT_EQ((VectorAttribute{7, 9}), sequence.operations[1].answer.at(0));
  EXPECT_EQ(VectorOperation::Kind::kMunmap, sequence.operations[2].kind);
}

TEST(VectorFile, TheGoldenOnesAreComplete) {
  const auto sequences = LoadVectors(GoldenVectors());
  std::size_t operations = 0;
  std::size_t oopsing = 0;
  std::size_t endangered = 0;
  for (const auto& sequence : sequences) {
    operations += sequence.operations.size();
    oopsing += sequence.Oopses61() ? 1 : 0;
    endangered += sequence.MayOops61() ? 1 : 0;
  }
  EXPECT_EQ(433u, sequences.size());
  EXPECT_EQ(4177u, operations);
  EXPECT_EQ(41u, oopsing);
  EXPECT_EQ(97u, endangered);
}

TEST(VectorFile, WhatIsNoFileOrEmptyIsRefused) {
  EXPECT_THAT(MessageOf<FixtureError>([] { LoadVectors("/no/such.jsonl"); }),
              HasSubstr("/no/such.jsonl: cannot be read"));
  EXPECT_THAT(ErrorOf("\n\n"), EndsWith("v.jsonl: holds no sequence"));
}

TEST(VectorFile, TextThatIsNoJsonIsRefusedWithItsLine) {
  EXPECT_THAT(ErrorOf(kGood + "\n{\"id\": \n"), HasSubstr("v.jsonl:2: "));
  EXPECT_THAT(ErrorOf("[]\n"), HasSubstr("v.jsonl:1: "));
}

struct BadLine {
  const char* from;
  const char* to;
  const char* message;
};
class BadLines : public testing::TestWithParam<BadLine> {};

TEST_P(BadLines, AreRefusedWithLineAndKey) {
  EXPECT_THAT(ErrorOf(Replaced(GetParam().from, GetParam().to)),
              HasSubstr(std::string("v.jsonl:1: ") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadLines,
    testing::Values(BadLine{"\"rule\":\"r\",", "", "rule: is missing"},
                    BadLine{"\"rule\":\"r\",", "\"rule\":\"\",", "rule: is no text"},
                    BadLine{"\"rule\"", "\"rules\"", "rules: unknown key"},
                    BadLine{"[7,9]", "[7,7]", "gpus: names a GPU twice"},
                    BadLine{"[7,9]", "[7,-9]", "gpus: is no number from 0 on"},
                    BadLine{"[7,9]", "[7,4294967296]", "gpus: is greater than 4294967295"},
                    BadLine{"[7],", "[8],", "supported: 8 is none of gpus"},
                    BadLine{"[0,0]", "[0]", "hive: has another length than gpus"},
                    BadLine{"\"xnack\":1", "\"xnack\":2", "xnack: is greater than 1"},
                    BadLine{"[[256,4]]", "[[256]]", "vmas: an element is no [start, pages]"},
                    BadLine{"[[256,4]]", "[[256,0]]", "vmas: an element has no page"},
                    BadLine{"\"set\"", "\"put\"", "ops[0].op: is none of set, get and munmap"},
                    BadLine{"\"set\",", "\"set\",\"x\":1,", "ops[0].x: unknown key"},
                    BadLine{"[[2,7]]", "[[2]]", "ops[0].attrs: an element is no [type, value]"},
                    BadLine{"\"ret\":-22", "\"ret\":22",
                            "ops[1].ret: is neither 0 nor a negative errno"},
                    BadLine{"\"ret\":-22", "\"ret\":\"x\"", "ops[1].ret: is no number"},
                    BadLine{"\"out\":[[7,9]],", "", "ops[1].out: is missing"},
                    BadLine{"[[7,9]]", "[]", "ops[1].out: has another length than attrs"},
                    BadLine{"\"ranges\":[]", "\"ranges\":[[1]]",
                            "ops[0].ranges: an element is no list of nine"}));

TEST(VectorFile, AnIdThatComesTwiceIsRefused) {
  EXPECT_THAT(ErrorOf(kGood + "\n" + kGood), HasSubstr("v.jsonl:2: id: a is line 1's"));
}

}  // namespace
}  // namespace kfdcts::harness
