#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/gpu/smi_events.h"
#include "harness/work/gpu_work.h"
#include "suites/support/memory_test.h"
#include "suites/support/svm_attributes.h"
#include "suites/support/svm_memory.h"
#include "suites/support/svm_steps.h"

namespace kfdcts::suites {

using harness::AtomicOp;
using harness::Engine;
using harness::GpuWork;
using harness::WorkResult;

/// The system management events of one GPU that this process may see, from hsaKmtOpenSMI. Only what
/// comes after the construction.
class SmiWatch {
 public:
  /// `types`: an or of KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_…). Throws ThunkFailure.
  SmiWatch(const harness::ThunkApi& thunk, const harness::GpuNode& gpu, std::uint64_t types);
  /// The next event of this type; nothing where none came before the deadline.
  std::optional<gpu::SmiEvent> NextOf(
      std::uint32_t type, const gpu::Deadline& deadline = gpu::Deadline(gpu::kGpuTimeout));
  /// All that have come so far, without waiting.
  std::vector<gpu::SmiEvent> Drain();

 private:
  gpu::SmiEvents events_;
};

/// Both engines, for KFD_TEST_CASES_F.
struct EngineCase {
  std::string_view name;
  Engine engine;
};
inline constexpr EngineCase kEngines[] = {{"sdma", Engine::kSdma}, {"pm4", Engine::kPm4}};

/// Fixture of the suites about shared virtual memory. Tests name in `needs` kSvm, and kPagemap,
/// kRangeCount… as they use them, and the XNACK mode that they are about as TestSpec::xnack.
class SvmTest : public MemoryTest {
 protected:
  void SetUp() override;
  void WarmUp() override;
  void TearDown() override;

  /// The ranges of some memory as text, as a failing test shows them of all its SvmMemory before
  /// the step that failed and after.
  std::string MapOf(std::span<const std::byte> pages) const;

  HSAKMT_STATUS Set(std::span<std::byte> pages, std::vector<HSA_SVM_ATTRIBUTE> attributes) const;
  /// As hsaKmtSVMGetAttr: the answers replace `attributes`.
  HSAKMT_STATUS Get(std::span<std::byte> pages, std::vector<HSA_SVM_ATTRIBUTE>& attributes) const;

  /// Everything about an interval, with the access of these nodes. `state` is kept where the call
  /// fails.
  HSAKMT_STATUS Ask(std::span<std::byte> pages, std::span<const HSAuint32> nodes,
                    SvmState& state) const;
  /// The same of all GPUs, or of one; fails the test where the call fails.
  SvmState StateOf(std::span<std::byte> pages) const;
  SvmState StateOf(std::span<std::byte> pages, HSAuint32 node) const;
  /// SVM-4: what an interval without a range says in this process's XNACK mode.
  SvmState Defaults() const;
  /// The state of a new range made by Set with ACCESS for these GPUs in this XNACK mode.
  SvmState DefaultsWithAccess(std::initializer_list<HSAuint32> nodes) const;

  /// The process's XNACK mode.
  bool XnackIsOn() const;

  /// GPU work of the test's GPU `index`, made at the first call, kept to the test's end.
  GpuWork& Work(std::size_t index = 0, Engine engine = Engine::kSdma);

  /// Fails the test unless the work ended with a memory exception of the test's GPU `index` in the
  /// page of `address`.
  void ExpectFault(const WorkResult& result, const void* address, bool write,
                   std::size_t index = 0) const;

  /// How many svm_ranges the kernel has made for this process since the test's body began; needs
  /// kRangeCount. Wrong while the body itself keeps queues or events beside Work()'s.
  std::size_t RangeCount() const;

  /// Destroys all GPU work now, as XNK-2 needs.
  void EndWork() { work_.clear(); }

 private:
  /// A step of the test has ended.
  void StepDone(const std::string& what) const;
  std::size_t FlushedObjectCount() const;

  std::map<std::pair<std::size_t, Engine>, std::unique_ptr<GpuWork>> work_;
  std::unique_ptr<SvmSteps> steps_;
  std::size_t objects_before_ = 0;  // of CountKfdObjects, where it may be asked
};

}  // namespace kfdcts::suites
