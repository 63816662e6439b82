#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/test_support/test_spec.h"

namespace kfdcts::harness {

class KfdTest;

/// A test as its source declares it, for any number of GPUs.
struct TestDefinition {
  std::string suite;
  std::string name;
  std::string file;  ///< As __FILE__ gives it.
  int line = 0;
  TestSpec spec;
  std::vector<std::string> cases;  ///< Names of the parameter's values; empty: no parameter.
  std::function<KfdTest*()> make;  ///< A new fixture object, owned by the caller.
};

/// One test of a certain machine.
struct TestInstance {
  const TestDefinition* definition = nullptr;
  std::size_t case_index = 0;     ///< Of definition->cases.
  std::vector<int> gpu_ordinals;  ///< GPUs of the machine, in the order of their node ids.
  std::string name;               ///< gtest's name without the suite: "Name[/case]/gpu0".

  std::string FullName() const { return definition->suite + "." + name; }
};

/// Every test that is linked in.
class TestRegistry {
 public:
  /// The one that KFD_TEST fills before main().
  static TestRegistry& Global();

  /// Always true, so that it can initialise a namespace-scope constant.
  bool Add(TestDefinition definition);

  using Source = std::function<void(TestRegistry&)>;

  /// For tests that are data: `source` adds them when the program starts. Always true.
  bool AddSource(Source source);

  /// Asks every source, once, at main()'s beginning. Throws what they throw (FixtureError).
  void ReadSources();

  const std::vector<TestDefinition>& definitions() const { return definitions_; }

  /// The tests of a machine with `gpu_count` GPUs, suites and tests in order of declaration within
  /// a file and of file names.
  std::vector<TestInstance> Instantiate(int gpu_count) const;

 private:
  std::vector<TestDefinition> definitions_;
  std::vector<Source> sources_;
};

/// "PTR-4 PTR-9" → {"PTR-4", "PTR-9"}.
std::vector<std::string> SplitIds(std::string_view ids);

}  // namespace kfdcts::harness
