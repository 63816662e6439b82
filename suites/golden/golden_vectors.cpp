// The kernel's range code as Linux 6.1's answered apart from a kernel (fixtures/golden/README.md).
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <thread>

#include "harness/svm_vectors/kfd_vector_kernel.h"
#include "harness/svm_vectors/vector_file.h"
#include "harness/test_support/child.h"
#include "harness/test_support/kfd_test.h"

namespace kfdcts::suites {
namespace {

using namespace harness;

/// Of a sequence, which takes a fraction of a second.
constexpr std::chrono::seconds kSequenceLimit{15};

/// So many may hang before the rest is given up: within the test's time limit.
constexpr unsigned kMostHanging = 8;

/// What hangs some kernels for good (BUG-51), in a set or at the process's end: one of them costs
/// its guest.
const std::set<std::string> kNeverReturning = {
    "s0011", "s0039", "s0052", "s0077", "s0093", "s0116", "s0160", "s0190", "s0194",  // 7.3
    "s0006", "s0018", "s0025", "s0041", "s0047", "s0220", "s0229", "s0262", "s0270",  // 6.1
};

struct Part {
  const char* name;
  std::size_t index;
};
constexpr std::array kParts = {Part{"part0", 0}, Part{"part1", 1}, Part{"part2", 2},
                               Part{"part3", 3}, Part{"part4", 4}, Part{"part5", 5},
                               Part{"part6", 6}, Part{"part7", 7}};

class GoldenTest : public KfdTest {
 protected:
  enum class Kind { kOrdinary, kHanging, kOopsing };

  static Kind KindOf(const VectorSequence& sequence) {
    if (kNeverReturning.contains(sequence.id)) return Kind::kHanging;
    return sequence.MayOops61() ? Kind::kOopsing : Kind::kOrdinary;
  }

  static std::vector<VectorSequence> Choose(Kind kind) {
    auto sequences = LoadVectors(GoldenVectors());
    std::erase_if(sequences, [&](const auto& sequence) { return KindOf(sequence) != kind; });
    return sequences;
  }

  /// Fails the test for differences and an early end. False: it hangs.
  static bool ReplayInChild(const VectorSequence& sequence) {
    const auto result = RunInChild([&] { ReplayHere(sequence); }, kSequenceLimit);
    if (result.timed_out) {
      ADD_FAILURE() << sequence.id << " hangs";
    } else if (result.signal != 0) {
      ADD_FAILURE() << sequence.id << ": " << result.Describe();
    }
    return !result.timed_out;
  }

  /// Each in a child, which opens KFD for itself. Skips where the machine can hold none. One that
  /// hangs takes a CPU for good where the kernel is not preempted: one CPU is left.
  void ReplayAll(std::span<const VectorSequence> sequences) {
    ASSERT_FALSE(sequences.empty());
    const VectorMachine machine = ThisMachine(gpu::ReadTopology());
    const unsigned most = std::clamp(std::thread::hardware_concurrency(), 2U, kMostHanging + 1) - 1;
    std::map<std::string, int> left_out;
    std::size_t ran = 0;
    unsigned hanging = 0;
    for (const auto& sequence : sequences) {
      if (const auto obstacle = WhyNot(sequence, machine)) {
        ++left_out[obstacle->name];
        continue;
      }
      if (hanging == most) {
        ADD_FAILURE() << sequence.id << " and those after it are not tried any more";
        break;
      }
      try {
        if (!ReplayInChild(sequence)) ++hanging;
        ++ran;
      } catch (const CapabilityMissing& missing) {
        ++left_out[missing.capability()];
      }
    }
    RecordProperty("sequences", std::to_string(ran));
    for (const auto& [why, count] : left_out) {
      RecordProperty("left_out_" + why, std::to_string(count));
    }
    if (ran == 0) throw CapabilityMissing(left_out.begin()->first, "the machine can hold none");
  }
};

}  // namespace

KFD_TEST_CASES_F(
    SVMRange, GoldenVectors, GoldenTest, kParts,
    .property = "return codes and answers of the golden sequences of calls",
    .rules = "SVM-2 SVM-3 SVM-4 SVM-5 SVM-6 SVM-7 SVM-8 SVM-9 SVM-10 SVM-11 SVM-13 SVM-14",
    .scope = Scope::kFirstGpu, .needs = {Capability::kKfd, Capability::kSvm},
    .kfd = KfdState::kClosed, .process = Process::kFresh, .time_limit = std::chrono::seconds(180)) {
  const auto sequences = Choose(Kind::kOrdinary);
  const auto place = [&](std::size_t part) { return sequences.size() * part / kParts.size(); };
  const std::size_t first = place(param().index);
  ReplayAll(std::span(sequences).subspan(first, place(param().index + 1) - first));
}

KFD_TEST_F(SVMRange, GoldenVectorsThatHang, GoldenTest,
           .property = "golden sequences that some kernels never return from come to their end",
           .rules = "SVM-23", .guards = "BUG-51", .scope = Scope::kFirstGpu,
           .needs = {Capability::kKfd, Capability::kSvm}, .kfd = KfdState::kClosed,
           .process = Process::kFresh, .time_limit = std::chrono::seconds(180), .labels = "hang") {
  ReplayAll(Choose(Kind::kHanging));
}

KFD_TEST_F(SVMRange, GoldenVectorsOfTheLastAccess, GoldenTest,
           .property = "golden sequences that take a mapped range's last access away",
           .rules = "SVM-21", .scope = Scope::kFirstGpu,
           .needs = {Capability::kKfd, Capability::kSvm}, .kfd = KfdState::kClosed,
           .process = Process::kFresh, .time_limit = std::chrono::seconds(180)) {
  ReplayAll(Choose(Kind::kOopsing));
}

}  // namespace kfdcts::suites
