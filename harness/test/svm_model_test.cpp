// The model of SVM's rules against what Linux 6.1's own code does.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/svm_model/model.h"

namespace kfdcts::harness::svm_model {
namespace {

using nlohmann::json;

/// `more` GPUs that the sequence does not name.
Model ModelOf(const json& sequence, std::uint32_t more = 0) {
  Machine machine;
  machine.xnack = sequence["xnack"] != 0;
  machine.most_pages = sequence["max_range_pages"];
  const auto supported = sequence["supported"].get<std::vector<std::uint32_t>>();
  for (std::size_t i = 0; i < sequence["gpus"].size(); ++i) {
    const std::uint32_t id = sequence["gpus"][i];
    const bool is_supported = std::find(supported.begin(), supported.end(), id) != supported.end();
    machine.gpus.push_back({id, is_supported, sequence["hive"][i]});
  }
  for (std::uint32_t id = 1; id <= more; ++id) machine.gpus.push_back({id, true, 0});
  if (supported.empty()) machine.most_pages = 0;
  Model model(machine);
  for (const auto& vma : sequence["vmas"]) model.Map(vma[0], vma[1]);
  return model;
}

std::vector<Attribute> AttributesOf(const json& list) {
  std::vector<Attribute> attributes;
  for (const auto& one : list) attributes.push_back({one[0], one[1]});
  return attributes;
}

std::string RangesOf(const json& list) {
  std::string text;
  for (const auto& one : list) {
    for (const auto& number : one) text += number.dump() + " ";
    text += "\n";
  }
  return text;
}

std::string RangesOf(const Model& model) {
  std::string text;
  for (const auto& [first, range] : model.ranges()) {
    for (const std::uint64_t number :
         {range.first, range.last, std::uint64_t{range.preferred}, std::uint64_t{range.prefetch},
          std::uint64_t{range.actual}, std::uint64_t{range.flags}, std::uint64_t{range.granularity},
          range.access, range.in_place}) {
      text += std::to_string(number) + " ";
    }
    text += "\n";
  }
  return text;
}

void ExpectOperation(Model& model, const json& operation) {
  const std::string kind = operation["op"];
  const std::uint64_t first = operation["start"];
  const std::uint64_t count = operation["npages"];
  int result = 0;
  if (kind == "munmap") {
    result = model.Unmap(first, count);
  } else {
    auto attributes = AttributesOf(operation["attrs"]);
    result =
        kind == "set" ? model.Set(first, count, attributes) : model.Get(first, count, attributes);
    if (kind == "get") {
      EXPECT_EQ(attributes, AttributesOf(operation["out"]));
    }
  }
  EXPECT_EQ(result, operation["ret"].get<int>());
  EXPECT_EQ(RangesOf(model), RangesOf(operation["ranges"]));
}

/// Calls `visit` with each sequence of the golden file. How many there were.
template <typename Visit>
int ForEachSequence(const Visit& visit) {
  std::ifstream file(std::string(KFDCTS_SOURCE_DIR) + "/fixtures/golden/svm.jsonl");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) visit(json::parse(line));
  return count;
}

TEST(SvmModel, AgreesWithEveryGoldenSequence) {
  const int sequences = ForEachSequence([](const json& sequence) {
    Model model = ModelOf(sequence);
    for (std::size_t i = 0; i < sequence["ops"].size(); ++i) {
      SCOPED_TRACE(sequence["id"].get<std::string>() + " operation " + std::to_string(i) + ": " +
                   sequence["rule"].get<std::string>());
      ExpectOperation(model, sequence["ops"][i]);
      if (testing::Test::HasFailure()) return;
    }
  });
  EXPECT_EQ(sequences, 433);
}

/// The sequences that were seen to hang kernels, BUG-51, are among those that the model warns of.
TEST(SvmModel, WarnsOfSequencesThatHang) {
  std::vector<std::string> warned;
  ForEachSequence([&](const json& sequence) {
    // They were seen on a machine of two GPUs; the second has access by default.
    Model model = ModelOf(sequence, sequence["gpus"].size() == 1 ? 1 : 0);
    for (const auto& operation : sequence["ops"]) {
      const std::uint64_t first = operation["start"];
      const std::uint64_t count = operation["npages"];
      if (operation["op"] == "munmap") model.Unmap(first, count);
      if (operation["op"] != "set") continue;
      const auto attributes = AttributesOf(operation["attrs"]);
      if (model.SetWouldHang(first, count, attributes)) {
        warned.push_back(sequence["id"]);
        break;
      }
      model.Set(first, count, attributes);
    }
  });
  for (const char* id : {"s0011", "s0039", "s0052", "s0077", "s0093", "s0160", "s0190", "s0006",
                         "s0018", "s0025", "s0041", "s0047"}) {
    EXPECT_NE(std::find(warned.begin(), warned.end(), id), warned.end()) << id;
  }
  EXPECT_LT(warned.size(), 200U) << "a warning of nearly everything is none";
}

Model TwoGpus(bool xnack) {
  Model model({{{1, true, 0}, {2, true, 0}}, xnack, 262144});
  model.Map(1000, 64);
  return model;
}

TEST(SvmModel, FaultMakesARangeAndMovesIt) {
  Model model = TwoGpus(true);
  ASSERT_TRUE(model.GpuTouch(1, 1030));
  ASSERT_NE(model.Find(1030), nullptr);
  EXPECT_EQ(model.Find(1030)->first, 1024U) << "2 MiB aligned";
  EXPECT_EQ(model.Find(1030)->last, 1063U);
  EXPECT_EQ(model.Find(1030)->actual, 2U);
  EXPECT_EQ(model.Find(1023), nullptr);
}

TEST(SvmModel, FaultWithoutAccessOrMapping) {
  Model model = TwoGpus(true);
  const Attribute none[] = {{kNoAccess, 1}};
  ASSERT_EQ(model.Set(1000, 8, none), 0);
  EXPECT_FALSE(model.GpuTouch(0, 1004));
  EXPECT_TRUE(model.GpuTouch(0, 1008));
  EXPECT_FALSE(model.GpuTouch(0, 999));
}

TEST(SvmModel, FaultOfInPlaceNeighbourBringsItBack) {
  Model model = TwoGpus(true);
  const Attribute attributes[] = {{kAccessInPlace, 1}};
  ASSERT_EQ(model.Set(1000, 8, attributes), 0);
  ASSERT_TRUE(model.GpuTouch(1, 1000));
  EXPECT_EQ(model.Find(1000)->actual, 2U);
  ASSERT_TRUE(model.GpuTouch(0, 1000));
  EXPECT_EQ(model.Find(1000)->actual, kSystem);
}

}  // namespace
}  // namespace kfdcts::harness::svm_model
