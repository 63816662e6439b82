// The index against the plainest model of it, under random insertions and removals.
#include "thunk/src/memory/range_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "thunk/src/memory/memory_object.h"

namespace kfdcts::thunk {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

/// Looks at every range.
class Model {
 public:
  std::map<Range, MemoryObject*> ranges;

  MemoryObject* Find(std::uint64_t address) const {
    std::optional<Range> best;
    MemoryObject* object = nullptr;
    for (const auto& [range, candidate] : ranges) {
      if (range.first > address || range.second <= address) continue;
      const bool closer = !best || range.first > best->first ||
                          (range.first == best->first && range.second < best->second);
      if (!closer) continue;
      best = range;
      object = candidate;
    }
    return object;
  }
};

struct IndexCase {
  const char* name;
  std::uint64_t span;     ///< Starts are below this.
  std::uint64_t longest;  ///< Bytes of a range.
};

class RangeIndexModel : public testing::TestWithParam<IndexCase> {
 protected:
  Range RandomRange() {
    const std::uint64_t start = random_() % GetParam().span;
    return {start, start + 1 + random_() % GetParam().longest};
  }

  void Insert(Range range) {
    if (model_.ranges.contains(range)) return;
    auto& object = objects_.emplace_back(std::make_unique<MemoryObject>());
    index_.Insert(range.first, range.second, object.get());
    model_.ranges[range] = object.get();
  }

  void EraseSome() {
    const Range wanted = RandomRange();
    auto at = model_.ranges.lower_bound(wanted);
    EXPECT_EQ(index_.FindExact(wanted.first, wanted.second),
              model_.ranges.contains(wanted) ? model_.ranges[wanted] : nullptr);
    if (at == model_.ranges.end()) return;
    EXPECT_EQ(index_.FindExact(at->first.first, at->first.second), at->second);
    EXPECT_TRUE(index_.Erase(at->first.first, at->first.second));
    EXPECT_FALSE(index_.Erase(at->first.first, at->first.second));
    model_.ranges.erase(at);
  }

  void Compare(int look_ups) {
    ASSERT_EQ(index_.size(), model_.ranges.size());
    for (int i = 0; i < look_ups; ++i) {
      const std::uint64_t address = random_() % (GetParam().span + GetParam().longest);
      ASSERT_EQ(index_.Find(address), model_.Find(address)) << address;
    }
  }

  std::mt19937_64 random_{20260101};
  RangeIndex index_;
  Model model_;
  std::vector<std::unique_ptr<MemoryObject>> objects_;
};

TEST_P(RangeIndexModel, FindsWhatTheModelFinds) {
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 150; ++i) Insert(RandomRange());
    Compare(40);
    const int gone = round % 10 == 9 ? 1400 : 60;
    for (int i = 0; i < gone; ++i) EraseSome();
    Compare(40);
  }
  while (MemoryObject* object = index_.Any()) {
    const auto at = std::find_if(model_.ranges.begin(), model_.ranges.end(),
                                 [&](const auto& entry) { return entry.second == object; });
    ASSERT_NE(at, model_.ranges.end());
    ASSERT_TRUE(index_.Erase(at->first.first, at->first.second));
    model_.ranges.erase(at);
  }
  EXPECT_TRUE(model_.ranges.empty());
  EXPECT_EQ(index_.Find(0), nullptr);
}

TEST_P(RangeIndexModel, VisitsThoseOfOneStartSmallestFirst) {
  for (int i = 0; i < 2000; ++i) Insert(RandomRange());
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t start = random_() % GetParam().span;
    std::vector<MemoryObject*> expected;
    for (auto at = model_.ranges.lower_bound({start, 0});
         at != model_.ranges.end() && at->first.first == start; ++at) {
      expected.push_back(at->second);
    }
    std::vector<MemoryObject*> visited;
    index_.ForEachAt(start, [&](MemoryObject& object) { visited.push_back(&object); });
    ASSERT_EQ(visited, expected) << start;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RangeIndexModel,
                         testing::Values(IndexCase{"sparse", 1ULL << 40, 1ULL << 20},
                                         IndexCase{"dense", 4000, 60},
                                         IndexCase{"nested", 1ULL << 20, 1ULL << 20},
                                         IndexCase{"few_starts", 12, 3000}),
                         [](const auto& one) { return one.param.name; });

struct OrderCase {
  const char* name;
  bool descending;
};
class RangeIndexOrder : public testing::TestWithParam<OrderCase> {};

// As address space is given out.
TEST_P(RangeIndexOrder, RangesSideBySide) {
  constexpr std::uint64_t kCount = 20000;
  constexpr std::uint64_t kSize = 3;
  std::vector<MemoryObject> objects(kCount);
  RangeIndex index;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const std::uint64_t slot = GetParam().descending ? kCount - 1 - i : i;
    index.Insert(10 + slot * kSize, 10 + (slot + 1) * kSize, &objects[slot]);
  }
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(index.Find(10 + i * kSize), &objects[i]);
    ASSERT_EQ(index.Find(10 + (i + 1) * kSize - 1), &objects[i]);
  }
  EXPECT_EQ(index.Find(9), nullptr);
  EXPECT_EQ(index.Find(10 + kCount * kSize), nullptr);
  for (std::uint64_t i = 0; i < kCount; i += 2) {
    ASSERT_TRUE(index.Erase(10 + i * kSize, 10 + (i + 1) * kSize));
  }
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(index.Find(10 + i * kSize + 1), i % 2 == 0 ? nullptr : &objects[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, RangeIndexOrder,
                         testing::Values(OrderCase{"ascending", false},
                                         OrderCase{"descending", true}),
                         [](const auto& one) { return one.param.name; });

// One wide range below very many small ones, which a walk backwards would have to pass all.
TEST(RangeIndexTest, WideRangeBehindManySmallOnes) {
  constexpr std::uint64_t kCount = 100000;
  std::vector<MemoryObject> objects(kCount);
  MemoryObject wide;
  RangeIndex index;
  index.Insert(1, 10 * kCount, &wide);
  for (std::uint64_t i = 0; i < kCount; ++i) index.Insert(2 + 4 * i, 4 + 4 * i, &objects[i]);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(index.Find(3 + 4 * i), &objects[i]);
    ASSERT_EQ(index.Find(4 + 4 * i), &wide);
  }
}

}  // namespace
}  // namespace kfdcts::thunk
