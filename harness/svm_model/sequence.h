#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/scenario/scenario.h"
#include "harness/svm_model/model.h"

namespace kfdcts::harness::svm_model {

/// Something that a thread of a random sequence wants done to its memory; what must come of it is
/// the model's to say, so that a sequence with operations left out still has a meaning.
struct Operation {
  enum class Kind {
    kSet,
    kExpect,  ///< What the kernel says of the pages.
    kCheck,   ///< What is in the pages, by the CPU.
    kCpuWrite,
    kGpuWrite,
    kGpuRead,
    kGpuAdd,  ///< Atomically, to the first word of each page.
    kPeek,
    kSyscallRead,
    kSyscallWrite,
    kUnmap,
    kMapAgain,
    kDontNeed,
    kProtect,       ///< Read-only, and back.
    kForkAndWrite,  ///< A child writes to its copy. One thread only.
    kMove,          ///< mremap to a place of its own. One thread only.
  };

  Kind kind = Kind::kSet;
  std::size_t first = 0, count = 1;             ///< Pages of the thread's mapping.
  std::vector<scenario::Attribute> attributes;  ///< Of kSet.
  std::size_t gpu = 0;
  scenario::EngineKind engine = scenario::EngineKind::kSdma;
  std::uint32_t number = 0;  ///< A value to write or to add.
};
inline constexpr int kOperationKinds = static_cast<int>(Operation::Kind::kMove) + 1;

/// One list a thread. Each thread owns a mapping, so that what the others do does not change what
/// it must see.
using Sequence = std::vector<std::vector<Operation>>;

/// Where a sequence runs.
struct Setting {
  Machine machine;                ///< Every GPU of the system, those of the test first.
  std::size_t gpus = 1;           ///< Of the test.
  std::size_t pages = 32;         ///< Of a thread's mapping, at most 512.
  bool pm4 = true;                ///< The PM4 engine, too.
  bool allow_hang = false;        ///< What leads to BUG-51, too.
  bool keep_last_access = false;  ///< No set that takes the last GPU's access away (BUG-53).
  /// With several GPUs, what makes Linux 7.3 count too many of a range's pages as on a GPU, after
  /// which another GPU's fault never ends: MADV_DONTNEED of such pages (dontneed_then_another_gpu),
  /// and a split of a range of which a part went back, as small granularities make them.
  bool allow_miscounts = false;
  /// With retry, what a fault that the kernel handles late makes go wrong: mremap and, with several
  /// GPUs, MADV_DONTNEED, if it takes the pages back to the GPU after the CPU has read them; and
  /// mprotect, if it is a write's and meets the moment without the right.
  bool allow_late_faults = false;
};

/// A sequence that the seed determines.
Sequence MakeSequence(const Setting& setting, std::size_t threads, std::size_t operations,
                      std::uint32_t seed);

/// The scenario of a sequence: the mappings, then the threads' steps with what each must find.
/// What cannot be done, as a write to what is not mapped, is left out; so is what today's kernels
/// do not survive, unless the setting allows that.
scenario::Scenario ToScenario(const Setting& setting, const Sequence& sequence);

/// How many steps it has, those of threads included and the threads' own step not.
std::size_t CountSteps(const scenario::Scenario& scenario);

/// A sequence with as few of the operations as can be found by leaving out ever smaller parts of
/// it, for which `fails` still says so. Asks at most `most` times.
Sequence Shrink(Sequence sequence, const std::function<bool(const Sequence&)>& fails, int most);

}  // namespace kfdcts::harness::svm_model
