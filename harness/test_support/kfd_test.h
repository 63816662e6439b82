#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/capabilities/capability.h"
#include "harness/test_support/gpu_node.h"
#include "harness/test_support/kfd_session.h"
#include "harness/test_support/registry.h"
#include "harness/test_support/test_spec.h"
#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

class DeviceWatch;
class LeakCheck;
class SyscallTracer;
class XnackMode;

/// The fixture of every test. Before the body it opens or closes KFD (TestSpec::kfd), skips where
/// something that the test needs is missing, sets the XNACK mode (TestSpec::xnack), and fails a
/// test that leaves a descriptor, mapping, thread, thunk object or KFD memory behind.
class KfdTest : public testing::Test {
 public:
  KfdTest();
  ~KfdTest() override;

  /// Says which test of the machine this object is; once, before gtest runs it.
  void Bind(const TestInstance& instance) { instance_ = instance; }

 protected:
  void SetUp() override;
  void TearDown() override;
  void TestBody() final;

  /// The test's own code; KFD_TEST writes it.
  virtual void Body() = 0;

  /// Called with KFD open and before the leak check's baseline: a fixture makes here what the thunk
  /// keeps until it is closed, as the events page.
  virtual void WarmUp() {}

  /// Every function of the API. One that the thunk under test lacks skips the test when it is
  /// called; a test that can know beforehand lists Symbol{"hsaKmt…"} in `needs`.
  const ThunkApi& thunk() const;

  /// The test's GPUs in the order of its name: gpu(1) of "…/gpu0_gpu2" is the system's GPU 2.
  const GpuNode& gpu(std::size_t index = 0) const { return gpus_.at(index); }
  const std::vector<GpuNode>& gpus() const { return gpus_; }

  /// Every GPU of the system.
  const std::vector<GpuNode>& system_gpus() const { return session_.gpus(); }

  /// The first node that has CPU cores.
  HSAuint32 cpu_node() const { return session_.cpu_node(); }

  /// Ends the test as skipped where `requirement` is not met.
  void Require(const Requirement& requirement) const;
  bool Has(const Requirement& requirement) const;

  /// Only where TestSpec::process is kTraced. Counts nothing before the body.
  SyscallTracer& tracer();

  /// For random sequences: the run's seed, printed in every report; --gtest_random_seed sets it.
  static std::uint32_t Seed();

  /// What a virtual GPU's sanitizer finds of this kind ("read-only-write": see
  /// harness/vgpu/core/findings.h) from the body's beginning on is what the test is about. Every
  /// other finding fails the test, or is known as the kernel's own (fixtures/expectations).
  void AllowDeviceFindings(const std::string& kind) { allowed_findings_.insert(kind); }

  std::size_t case_index() const { return instance_.case_index; }

  /// Opens KFD and reads the topology as SetUp does, for tests with KfdState::kClosed or in a
  /// forked child. A failure fails the test fatally.
  void OpenKfd();
  /// Releases and closes.
  void CloseKfd();

 private:
  std::optional<std::string> Missing(const Requirement& requirement) const;
  void FindGpus();
  void PrepareKfd();
  void PrepareXnack();
  void WatchDevices();
  void ReportDeviceFindings();
  void SkipAsMissing(const CapabilityMissing& missing);

  TestInstance instance_;
  KfdSession session_;
  std::vector<GpuNode> gpus_;
  std::unique_ptr<DeviceWatch> device_watch_;
  std::set<std::string> allowed_findings_;
  std::unique_ptr<LeakCheck> leak_check_;
  std::unique_ptr<XnackMode> xnack_mode_;
  bool kfd_open_ = false;
};

/// The names of a list of cases: each element has a member `name`.
template <typename Cases>
std::vector<std::string> CaseNames(const Cases& cases) {
  std::vector<std::string> names;
  for (const auto& one : cases) names.emplace_back(one.name);
  return names;
}

}  // namespace kfdcts::harness

#define KFDCTS_TEST_CLASS(suite, name) suite##_##name##_KfdTest

#define KFDCTS_REGISTER(suite, name, case_names, ...)                                            \
  static const bool suite##_##name##_registered = ::kfdcts::harness::TestRegistry::Global().Add( \
      {#suite, #name, __FILE__, __LINE__, ::kfdcts::harness::TestSpec{__VA_ARGS__}, case_names,  \
       [] { return new KFDCTS_TEST_CLASS(suite, name); }})

/// A test: KFD_TEST(PointerInfo, InteriorAddress, .property = "…", .rules = "PTR-11") { body }.
/// What follows the name are members of TestSpec, in their order.
#define KFD_TEST(suite, name, ...) KFD_TEST_F(suite, name, ::kfdcts::harness::KfdTest, __VA_ARGS__)

/// The same on a fixture of the suite's own, which derives from KfdTest.
#define KFD_TEST_F(suite, name, fixture, ...)                            \
  class KFDCTS_TEST_CLASS(suite, name) : public fixture {                \
    void Body() override;                                                \
  };                                                                     \
  KFDCTS_REGISTER(suite, name, std::vector<std::string>{}, __VA_ARGS__); \
  void KFDCTS_TEST_CLASS(suite, name)::Body()

/// A test for each element of the array `case_list` (with static life time), whose type has a
/// member `name` of letters, digits and '_'; the body reads its own by param().
/// The test's name is Suite.Name/case/gpu0.
#define KFD_TEST_CASES(suite, name, case_list, ...) \
  KFD_TEST_CASES_F(suite, name, ::kfdcts::harness::KfdTest, case_list, __VA_ARGS__)

#define KFD_TEST_CASES_F(suite, name, fixture, case_list, ...)                        \
  class KFDCTS_TEST_CLASS(suite, name) : public fixture {                             \
    const auto& param() const { return std::begin(case_list)[case_index()]; }         \
    void Body() override;                                                             \
  };                                                                                  \
  KFDCTS_REGISTER(suite, name, ::kfdcts::harness::CaseNames(case_list), __VA_ARGS__); \
  void KFDCTS_TEST_CLASS(suite, name)::Body()
