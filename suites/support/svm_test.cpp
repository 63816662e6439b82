#include "suites/support/svm_test.h"

#include <sys/prctl.h>

#include <chrono>
#include <stdexcept>

#include "harness/probes/kfd_objects.h"

namespace kfdcts::suites {
namespace {

gpu::UniqueFd OpenSmi(const harness::ThunkApi& thunk, HSAuint32 node) {
  int fd = -1;
  Check("hsaKmtOpenSMI(node " + std::to_string(node) + ")", thunk.hsaKmtOpenSMI(node, &fd));
  return gpu::UniqueFd(fd);
}

}  // namespace

SmiWatch::SmiWatch(const harness::ThunkApi& thunk, const harness::GpuNode& gpu, std::uint64_t types)
    : events_(OpenSmi(thunk, gpu.node_id), types) {}

std::optional<gpu::SmiEvent> SmiWatch::NextOf(std::uint32_t type, const gpu::Deadline& deadline) {
  return events_.NextOf(type, deadline);
}

std::vector<gpu::SmiEvent> SmiWatch::Drain() {
  std::vector<gpu::SmiEvent> all;
  while (auto event = events_.Next(gpu::Deadline(std::chrono::milliseconds(0)))) {
    all.push_back(*event);
  }
  return all;
}

void SvmTest::SetUp() {
  MemoryTest::SetUp();
  // Maps would count among the calls of a traced test.
  const bool traced = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
  if (IsSkipped() || HasFatalFailure() || traced) return;
  steps_ = std::make_unique<SvmSteps>(harness::SvmMap(thunk(), system_gpus()));
}

void SvmTest::WarmUp() {
  MemoryTest::WarmUp();
  // The thunk keeps its events page and each GPU's doorbells until it is closed.
  for (const auto& node : gpus()) {
    try {
      const GpuWork work(thunk(), node);
    } catch (const std::runtime_error&) {
      // A thunk without queues: only the tests that want one fail, by their own calls.
    }
  }
  if (Has(Capability::kRangeCount)) objects_before_ = FlushedObjectCount();
}

std::size_t SvmTest::FlushedObjectCount() const {
  // Ranges of unmapped memory go by deferred work; asking about any page waits for it.
  const SvmMemory page(1);
  std::vector<HSA_SVM_ATTRIBUTE> answer = {Granularity(0)};
  Check("hsaKmtSVMGetAttr", Get(page.All(), answer));
  return harness::CountKfdObjects();
}

std::size_t SvmTest::RangeCount() const {
  return FlushedObjectCount() - work_.size() * GpuWork::kKfdObjects - objects_before_;
}

void SvmTest::TearDown() {
  EndWork();
  if (steps_ && !steps_->Report().empty()) ADD_FAILURE() << steps_->Report();
  steps_.reset();
  MemoryTest::TearDown();
}

HSAKMT_STATUS SvmTest::Set(std::span<std::byte> pages,
                           std::vector<HSA_SVM_ATTRIBUTE> attributes) const {
  const HSAKMT_STATUS status = thunk().hsaKmtSVMSetAttr(
      pages.data(), pages.size(), static_cast<unsigned>(attributes.size()), attributes.data());
  StepDone("Set of " + std::to_string(attributes.size()) + " attributes");
  return status;
}

std::string SvmTest::MapOf(std::span<const std::byte> pages) const {
  return harness::SvmMap(thunk(), system_gpus()).Of(pages);
}

void SvmTest::StepDone(const std::string& what) const {
  if (steps_) steps_->After(what);
}

HSAKMT_STATUS SvmTest::Get(std::span<std::byte> pages,
                           std::vector<HSA_SVM_ATTRIBUTE>& attributes) const {
  return thunk().hsaKmtSVMGetAttr(pages.data(), pages.size(),
                                  static_cast<unsigned>(attributes.size()), attributes.data());
}

HSAKMT_STATUS SvmTest::Ask(std::span<std::byte> pages, std::span<const HSAuint32> nodes,
                           SvmState& state) const {
  std::vector<HSA_SVM_ATTRIBUTE> answers = {Preferred(0), Prefetch(0), SetFlags(0), ClearFlags(0),
                                            Granularity(0)};
  const std::size_t fixed = answers.size();
  for (const HSAuint32 node : nodes) answers.push_back(Access(node));
  const HSAKMT_STATUS status = Get(pages, answers);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  state.preferred = answers[0].value;
  state.prefetch = answers[1].value;
  state.flags_set = answers[2].value;
  state.flags_clear = answers[3].value;
  state.granularity = answers[4].value;
  state.access.clear();
  // By the nodes of the answers: another than was asked for is another state.
  for (const auto& answer : std::span(answers).subspan(fixed)) {
    state.access[answer.value] = static_cast<HSA_SVM_ATTR_TYPE>(answer.type);
  }
  return status;
}

SvmState SvmTest::StateOf(std::span<std::byte> pages) const {
  std::vector<HSAuint32> nodes;
  for (const auto& node : system_gpus()) nodes.push_back(node.node_id);
  SvmState state;
  EXPECT_EQ(Ask(pages, nodes, state), HSAKMT_STATUS_SUCCESS) << "hsaKmtSVMGetAttr of everything";
  return state;
}

SvmState SvmTest::StateOf(std::span<std::byte> pages, HSAuint32 node) const {
  SvmState state;
  EXPECT_EQ(Ask(pages, {&node, 1}, state), HSAKMT_STATUS_SUCCESS)
      << "hsaKmtSVMGetAttr of everything";
  return state;
}

SvmState SvmTest::Defaults() const {
  SvmState state;
  const auto access = XnackIsOn() ? HSA_SVM_ATTR_ACCESS : HSA_SVM_ATTR_NO_ACCESS;
  for (const auto& node : system_gpus()) state.access[node.node_id] = access;
  return state;
}

SvmState SvmTest::DefaultsWithAccess(std::initializer_list<HSAuint32> nodes) const {
  SvmState state = Defaults();
  for (const HSAuint32 node : nodes) state.access[node] = HSA_SVM_ATTR_ACCESS;
  return state;
}

bool SvmTest::XnackIsOn() const {
  HSAint32 mode = 0;
  Check("hsaKmtGetXNACKMode", thunk().hsaKmtGetXNACKMode(&mode));
  return mode != 0;
}

GpuWork& SvmTest::Work(std::size_t index, Engine engine) {
  auto& work = work_[{index, engine}];
  if (!work) work = std::make_unique<GpuWork>(thunk(), gpu(index), engine);
  StepDone(std::string("what came before work of ") + harness::NameOf(engine));
  return *work;
}

void SvmTest::ExpectFault(const WorkResult& result, const void* address, bool write,
                          std::size_t index) const {
  ASSERT_EQ(result.end, WorkResult::End::kFault) << result.Text();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  EXPECT_EQ(result.fault.address, at - at % PageSize()) << result.Text();
  EXPECT_EQ(result.fault.node, gpu(index).node_id);
  EXPECT_EQ(result.fault.read_only, write);
  EXPECT_FALSE(result.fault.no_execute);
}

}  // namespace kfdcts::suites
