#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.h"
#include "suites/scenarios/contents.h"
#include "suites/scenarios/forked_child.h"
#include "suites/scenarios/ptrace_reader.h"
#include "suites/scenarios/range_map.h"
#include "suites/scenarios/scenario_test.h"
#include "suites/scenarios/virtual_gpus.h"

namespace kfdcts::suites {

/// Plays scenarios' steps in the test's process. What it made is gone at its end, and the XNACK
/// mode as it was.
class Player {
 public:
  /// The GPU work of one thread.
  using Engines = std::map<std::pair<std::size_t, Engine>, std::unique_ptr<GpuWork>>;

  /// `steps` are all that it will be asked to play, and outlive it.
  Player(ScenarioBase& test, const std::vector<harness::scenario::Step>& steps);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// What differs from what the step says. Exceptions of what prepares a step are complaints, too,
  /// but for CapabilityMissing.
  Complaint Do(const harness::scenario::Step& step);

  /// All mappings, as they are now; empty while another thread is at work, since asking the kernel
  /// would wait for it.
  std::string Map() const;

 private:
  struct Background {
    std::thread thread;
    Complaint complaint;
  };

  Complaint DoIn(const harness::scenario::Step& step, Engines& engines);
  Complaint DoAll(const std::vector<harness::scenario::Step>& steps, Engines& engines);
  Complaint DoCpuStep(const harness::scenario::Step& step);
  void PrepareEngines(const std::vector<harness::scenario::Step>& steps, Engines& engines);
  GpuWork& Work(Engines& engines, std::size_t gpu, harness::scenario::EngineKind kind);
  std::span<std::byte> Bytes(const harness::scenario::Pages& pages) const;
  SvmMemory& Memory(const std::string& name) const { return *mappings_.at(name); }
  void NoteHole(const harness::scenario::Pages& pages);
  void UnmapWhatCameAgain();
  std::deque<gpu::SmiEvent>& Collect(std::size_t gpu);

  // One for each kind of step.
  Complaint Run(const harness::scenario::Map& step, Engines&);
  Complaint Run(const harness::scenario::MapAgain& step, Engines&);
  Complaint Run(const harness::scenario::Munmap& step, Engines&);
  Complaint Run(const harness::scenario::Mremap& step, Engines&);
  Complaint Run(const harness::scenario::Madvise& step, Engines&);
  Complaint Run(const harness::scenario::Mprotect& step, Engines&);
  Complaint Run(const harness::scenario::Mlock& step, Engines&);
  Complaint Run(const harness::scenario::SetAttributes& step, Engines&);
  Complaint Run(const harness::scenario::GetAttributes& step, Engines&);
  Complaint Run(const harness::scenario::Expect& step, Engines&);
  Complaint Run(const harness::scenario::ExpectResidency& step, Engines&);
  Complaint Run(const harness::scenario::ExpectRanges& step, Engines&);
  Complaint Run(const harness::scenario::CpuWrite& step, Engines&);
  Complaint Run(const harness::scenario::CpuRead& step, Engines&);
  Complaint Run(const harness::scenario::Peek& step, Engines&);
  Complaint Run(const harness::scenario::SyscallRead& step, Engines&);
  Complaint Run(const harness::scenario::SyscallWrite& step, Engines&);
  Complaint Run(const harness::scenario::GpuWrite& step, Engines& engines);
  Complaint Run(const harness::scenario::GpuRead& step, Engines& engines);
  Complaint Run(const harness::scenario::GpuAtomic& step, Engines& engines);
  Complaint Run(const harness::scenario::ExpectFault& step, Engines& engines);
  Complaint Run(const harness::scenario::WatchEvents& step, Engines&);
  Complaint Run(const harness::scenario::ExpectEvents& step, Engines&);
  Complaint Run(const harness::scenario::ExpectNoEvents& step, Engines&);
  Complaint Run(const harness::scenario::Fork& step, Engines&);
  Complaint Run(const harness::scenario::Child& step, Engines&);
  Complaint Run(const harness::scenario::EndChild& step, Engines&);
  Complaint Run(const harness::scenario::SetXnack& step, Engines&);
  Complaint Run(const harness::scenario::EndWork& step, Engines&);
  Complaint Run(const harness::scenario::Together& step, Engines&);
  Complaint Run(const harness::scenario::Start& step, Engines&);
  Complaint Run(const harness::scenario::Finish& step, Engines&);
  Complaint Run(const harness::scenario::Hold& step, Engines&);
  Complaint Run(const harness::scenario::Release& step, Engines&);

  ScenarioBase& test_;
  std::unique_ptr<PtraceReader> ptrace_;
  Mappings mappings_;
  std::mutex mapping_mutex_;  // what is noted of pages that are gone
  /// By mapping, pages that were unmapped or moved away, and those of them that map-again brought
  /// back, which are ours to unmap.
  std::map<std::string, std::set<std::size_t>> holes_, mapped_again_;
  Engines engines_;  // stands for the test's own, and stays empty
  std::map<std::pair<std::string, std::size_t>, Engines> thread_engines_;
  std::map<std::size_t, std::unique_ptr<SmiWatch>> watches_;
  std::map<std::size_t, std::deque<gpu::SmiEvent>> events_;
  std::size_t ranges_before_ = 0;
  int xnack_before_ = -1;  // -1: not changed
  VirtualGpus virtual_gpus_;
  std::map<std::string, Background> background_;
  std::map<std::string, std::unique_ptr<ForkedChild>> children_;
};

}  // namespace kfdcts::suites
