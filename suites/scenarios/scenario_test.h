#pragma once

#include "harness/scenario/scenario.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {

/// The fixture's services for objects beside the test itself.
class ScenarioBase : public SvmTest {
 public:
  using SvmTest::AllowDeviceFindings;
  using SvmTest::Ask;
  using SvmTest::cpu_node;
  using SvmTest::Defaults;
  using SvmTest::EndWork;
  using SvmTest::Get;
  using SvmTest::gpu;
  using SvmTest::gpus;
  using SvmTest::MapOf;
  using SvmTest::RangeCount;
  using SvmTest::system_gpus;
  using SvmTest::thunk;
  using SvmTest::Work;
  using SvmTest::XnackIsOn;
};

/// The test that a scenario file is.
class ScenarioTest : public ScenarioBase {
 public:
  explicit ScenarioTest(const harness::scenario::Scenario& scenario) : scenario_(scenario) {}

 private:
  void Body() override;
  /// With its last check made wrong: it must fail. So each file is seen to be able to.
  void PlayFalsified();

  const harness::scenario::Scenario& scenario_;
};

}  // namespace kfdcts::suites
