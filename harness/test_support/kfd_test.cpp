#include "harness/test_support/kfd_test.h"

#include <system_error>

#include "harness/capabilities/probe.h"
#include "harness/director/device_watch.h"
#include "harness/probes/leak_check.h"
#include "harness/probes/syscall_tracer.h"
#include "harness/report/device_findings.h"
#include "harness/test_support/test_process.h"
#include "harness/test_support/xnack_mode.h"

namespace kfdcts::harness {

KfdTest::KfdTest() = default;
KfdTest::~KfdTest() = default;

const ThunkApi& KfdTest::thunk() const { return TestProcess::LoadedThunk().api(); }

std::uint32_t KfdTest::Seed() { return TestProcess::Seed(); }

SyscallTracer& KfdTest::tracer() {
  if (instance_.definition->spec.process != Process::kTraced) {
    throw std::logic_error("tracer() of a test that is not declared as traced");
  }
  return SyscallTracer::Install();
}

void KfdTest::OpenKfd() {
  try {
    session_.Open(thunk());
    kfd_open_ = true;
  } catch (const std::runtime_error& error) {
    FAIL() << error.what();
  }
}

void KfdTest::CloseKfd() {
  try {
    kfd_open_ = false;
    session_.Close(thunk());
  } catch (const std::runtime_error& error) {
    FAIL() << error.what();
  }
}

std::optional<std::string> KfdTest::Missing(const Requirement& requirement) const {
  const Thunk* loaded = TestProcess::HasThunk() ? &TestProcess::LoadedThunk() : nullptr;
  return WhyMissing(requirement, {loaded, kfd_open_, gpus_, session_.gpus()});
}

bool KfdTest::Has(const Requirement& requirement) const { return !Missing(requirement); }

void KfdTest::Require(const Requirement& requirement) const {
  if (const auto reason = Missing(requirement)) {
    throw CapabilityMissing(NameOf(requirement), *reason);
  }
}

void KfdTest::FindGpus() {
  session_.ReadTopology();
  for (const int ordinal : instance_.gpu_ordinals) {
    const auto count = session_.gpus().size();
    if (static_cast<std::size_t>(ordinal) >= count) {
      throw std::runtime_error("gpu" + std::to_string(ordinal) +
                               " is not there: KFD's topology has " + std::to_string(count) +
                               " GPUs");
    }
    gpus_.push_back(session_.gpus()[static_cast<std::size_t>(ordinal)]);
  }
}

void KfdTest::PrepareKfd() {
  const TestSpec& spec = instance_.definition->spec;
  if (!TestProcess::HasThunk()) return;
  TestProcess::LoadedThunk();
  if (spec.kfd == KfdState::kOpen) {
    Require(Capability::kKfd);
    session_ = TestProcess::OpenedKfd();
    kfd_open_ = true;
  } else if (spec.process == Process::kShared && Has(Capability::kKfd)) {
    TestProcess::CloseKfd();
  }
}

void KfdTest::PrepareXnack() {
  const Xnack wanted = instance_.definition->spec.xnack;
  if (wanted == Xnack::kAny) return;
  xnack_mode_ = std::make_unique<XnackMode>(wanted, session_.gpus());
  RecordProperty("xnack", wanted == Xnack::kOn ? "on" : "off");
}

void KfdTest::WatchDevices() {
  device_watch_ = std::make_unique<DeviceWatch>(session_.gpus());
  int number = 0;
  for (const auto& found : device_watch_->before()) {
    RecordProperty(DeviceFindingProperty(++number),
                   found.kind + ": before this test began: " + found.text);
  }
}

void KfdTest::ReportDeviceFindings() {
  const TestDefinition& definition = *instance_.definition;
  int number = static_cast<int>(device_watch_->before().size());
  try {
    for (const auto& found : device_watch_->End()) {
      if (allowed_findings_.contains(found.kind)) continue;
      RecordProperty(DeviceFindingProperty(++number), found.kind + ": " + found.text);
    }
  } catch (const DirectorError& error) {
    ADD_FAILURE_AT(definition.file.c_str(), definition.line) << error.what();
  }
}

void KfdTest::SetUp() {
  const TestSpec& spec = instance_.definition->spec;
  try {
    if (spec.process == Process::kTraced) Require(Capability::kTracer);
    FindGpus();
    PrepareKfd();
    if (HasFatalFailure()) return;
    for (const auto& requirement : spec.needs) Require(requirement);
    WatchDevices();
    PrepareXnack();
    if (kfd_open_) WarmUp();
    // Late: it slows every call down, and opening KFD makes thousands.
    if (spec.process == Process::kTraced) SyscallTracer::Install();
    // A process that was never opened KFD in and ends with the test keeps what it likes.
    if (kfd_open_ || spec.process == Process::kShared) {
      leak_check_ = std::make_unique<LeakCheck>(
          TestProcess::HasThunk() ? &TestProcess::LoadedThunk() : nullptr);
    }
    if (spec.process == Process::kTraced) tracer().Reset();
  } catch (const CapabilityMissing& missing) {
    SkipAsMissing(missing);
  } catch (const std::exception& error) {
    FAIL() << error.what();
  }
}

void KfdTest::TestBody() {
  try {
    Body();
  } catch (const CapabilityMissing& missing) {
    SkipAsMissing(missing);
  }
}

void KfdTest::TearDown() {
  const TestDefinition& definition = *instance_.definition;
  // What the test armed does not strike what follows it.
  if (definition.spec.process == Process::kTraced && leak_check_) tracer().Reset();
  if (leak_check_) {
    for (const auto& leak : leak_check_->Leaks()) {
      ADD_FAILURE_AT(definition.file.c_str(), definition.line) << "left behind: " << leak;
    }
  }
  if (xnack_mode_) {
    const int error = xnack_mode_->Restore();
    if (error != 0) {
      ADD_FAILURE_AT(definition.file.c_str(), definition.line)
          << "left behind: the XNACK mode cannot be put back: "
          << std::system_category().message(error);
    }
  }
  if (device_watch_) ReportDeviceFindings();
  // What the body opened and left open; the process's own stays.
  if (kfd_open_ && definition.spec.kfd == KfdState::kClosed) CloseKfd();
}

void KfdTest::SkipAsMissing(const CapabilityMissing& missing) {
  RecordProperty("missing_capability", missing.capability());
  GTEST_SKIP() << missing.what();
}

}  // namespace kfdcts::harness
