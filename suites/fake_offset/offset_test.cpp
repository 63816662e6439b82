#include "suites/fake_offset/offset_test.h"

#include "harness/test_support/child.h"

namespace kfdcts::suites {

void OffsetTest::TearDown() {
  source_.reset();  // it may hold a file, which is no leak of the test's
  MemoryTest::TearDown();
}

OffsetSource& OffsetTest::source() {
  if (!source_) {
    source_ = gpus().empty() ? MakeVgemSource() : kGpuSources[case_index()].make(gpu(), thunk());
  }
  return *source_;
}

void OffsetTest::InChild(const std::function<void()>& body) {
  const harness::ChildResult child = harness::RunInChild(body);
  EXPECT_TRUE(child.Passed()) << child.Describe();
}

bool AddOffsetTest(const char* name, const char* file, int line, const harness::TestSpec& spec,
                   const std::function<harness::KfdTest*()>& make) {
  harness::TestRegistry& registry = harness::TestRegistry::Global();
  harness::TestSpec on_gpu = spec;
  on_gpu.scope = Scope::kFirstGpu;
  harness::TestSpec on_cpu = spec;
  on_cpu.scope = Scope::kCpu;
  on_cpu.kfd = KfdState::kClosed;
  const std::string suite = "FakeOffset";
  return registry.Add({suite, name, file, line, on_gpu, harness::CaseNames(kGpuSources), make}) &&
         registry.Add({suite, name, file, line, on_cpu, {"vgem"}, make});
}

}  // namespace kfdcts::suites
