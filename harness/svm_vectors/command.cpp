#include "harness/svm_vectors/command.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>

#include "harness/cli/place.h"
#include "harness/report/device_findings.h"
#include "harness/report/junit.h"
#include "harness/run/glob.h"
#include "harness/run/session.h"
#include "harness/svm_vectors/tally.h"
#include "harness/svm_vectors/vector_file.h"
#include "harness/svm_vectors/vector_test.h"
#include "harness/vm/base/errors.h"

namespace kfdcts::harness {
namespace {

constexpr int kUsageExitCode = 2;
constexpr int kInterruptedExitCode = 130;
/// Holds the most of the sequences that machines of virtual GPUs can hold.
constexpr const char* kMachine = "vega10x4";
constexpr const char* kNoFix =
    "oops61: this kernel lacks the fix and may die of them (seen in the first); --allow-oops runs "
    "them";
constexpr const char* kNotOnAHost =
    "oops61: a kernel without the fix may die of them; --allow-oops runs them on this host";

using Sequences = std::vector<const VectorSequence*>;

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

bool LostItsKernel(const TestRecord& record) {
  return record.failure_kind == FailureKind::kGuestLost ||
         record.failure_kind == FailureKind::kCrash;
}

class VectorRun {
 public:
  VectorRun(Place& place, const Options& options, int signal_fd)
      : place_(place),
        allow_oops_(options.allow_oops),
        results_(options.results),
        expectations_(LoadExpectations(options)),
        limit_(options.time_limit),
        session_(*place.target, SessionOptions(options, signal_fd)) {}

  void Run(const Sequences& sequences) {
    if (allow_oops_) {
      Replay(sequences);
    } else {
      RunOopsingLast(sequences);
    }
    session_.Finish();
    place_.info.device_complaints = session_.device_complaints();
  }

  int Report() const {
    const std::string text = tally_.Text();
    std::cout << text << std::flush;
    std::filesystem::create_directories(results_);
    ReplaceFile(results_ / "svm-vectors.txt", text);
    WriteJUnitFile(results_ / "junit.xml", place_.info, records_);
    if (session_.interrupted()) return kInterruptedExitCode;
    return tally_.Clean() ? 0 : 1;
  }

 private:
  Session::Options SessionOptions(const Options& options, int signal_fd) {
    Session::Options session;
    session.results = options.results;
    session.plan.seed = ChooseSeed();
    session.plan.gpu_count = place_.gpu_count;
    session.plan.time_limit = options.time_limit;
    session.signal_fd = signal_fd;
    session.time_limit = [this](const std::string&) {
      return limit_.count() > 0 ? limit_ : kVectorTimeLimit;
    };
    session.notice = [](const std::string& line) { std::cerr << line << std::endl; };
    return session;
  }

  void Replay(const Sequences& sequences) {
    std::vector<std::string> names;
    for (const auto* sequence : sequences) names.push_back(VectorTestName(*sequence));
    session_.Begin(names);
    for (const auto* sequence : sequences) {
      if (session_.interrupted()) return;
      Take(*sequence, session_.Run(VectorTestName(*sequence)));
    }
  }

  void RunOopsingLast(const Sequences& sequences) {
    Sequences plain;
    Sequences oopsing;
    for (const auto* sequence : sequences) {
      (sequence->MayOops61() ? oopsing : plain).push_back(sequence);
    }
    Replay(plain);
    RunOopsing(oopsing);
  }

  /// The shortest of those that die for sure is the probe: it is the last that its guest runs where
  /// it fails.
  void RunOopsing(Sequences sequences) {
    if (sequences.empty() || session_.interrupted()) return;
    std::stable_sort(sequences.begin(), sequences.end(), [](const auto* a, const auto* b) {
      return std::pair(!a->Oopses61(), a->operations.size()) <
             std::pair(!b->Oopses61(), b->operations.size());
    });
    if (place_.info.target != "vm") return LeaveOut(sequences, kNotOnAHost);
    const VectorSequence& probe = *sequences.front();
    session_.Begin({VectorTestName(probe)});
    const TestRecord record = session_.Run(VectorTestName(probe));
    if (LostItsKernel(record)) {
      std::cerr << probe.id << ": " << FirstLine(record.failures.front().message) << std::endl;
      return LeaveOut(sequences, kNoFix);
    }
    Take(probe, record);
    sequences.erase(sequences.begin());
    Replay(sequences);
  }

  void LeaveOut(const Sequences& sequences, const char* reason) {
    for (const auto* sequence : sequences) tally_.LeaveOut(*sequence, reason);
  }

  void Take(const VectorSequence& sequence, TestRecord record) {
    place_.info.kernel_release = session_.surroundings().kernel_release;
    place_.info.kfd_version = session_.surroundings().kfd_version;
    place_.info.gpus = session_.surroundings().gpus;
    const std::string name = VectorTestName(sequence);
    record.suite = name.substr(0, name.find('.'));
    record.name = name.substr(name.find('.') + 1);
    record.property = sequence.rule;
    JudgeDeviceFindings(record, expectations_, place_.info);
    expectations_.Expect(record, place_.info);
    if (record.Failed()) {
      std::cout << sequence.id << ": " << FirstLine(record.failures.front().message) << std::endl;
    }
    tally_.Add(sequence, record);
    records_.push_back(std::move(record));
  }

  Place& place_;
  bool allow_oops_;
  std::filesystem::path results_;
  Expectations expectations_;
  std::chrono::seconds limit_;
  Session session_;
  VectorTally tally_;
  std::vector<TestRecord> records_;
};

/// Globs with ':' between them. No filter of gtest's: ids hold the '-' that begins what it leaves
/// out.
bool MatchesAny(const std::string& globs, const std::string& id) {
  std::istringstream list(globs);
  for (std::string glob; std::getline(list, glob, ':');) {
    if (MatchesGlob(glob, id)) return true;
  }
  return false;
}

/// The sequences that --sequence names, all without it.
Sequences Chosen(const std::vector<VectorSequence>& all, const std::string& globs) {
  Sequences chosen;
  for (const auto& sequence : all) {
    if (globs.empty() || MatchesAny(globs, sequence.id)) chosen.push_back(&sequence);
  }
  if (chosen.empty()) throw UsageError("--sequence: " + globs + " names no sequence");
  return chosen;
}

}  // namespace

int RunSvmVectors(const Options& options, const Program& program) {
  const auto all = LoadVectors(options.svm_vectors->file);
  const Sequences chosen = Chosen(all, options.svm_vectors->sequences);
  Options where = options;
  if (where.machine.empty() && where.target == Options::Target::kVm) where.machine = kMachine;
  if (where.machine.empty() && where.target == Options::Target::kAuto &&
      program.host_topology().gpus.empty()) {
    where.machine = kMachine;
  }
  Place place = ChoosePlace(where, program);
  RemoveOldBoots(options.results);
  const vm::UniqueFd signals(CatchSignals());
  try {
    VectorRun run(place, options, signals.get());
    run.Run(chosen);
    return run.Report();
  } catch (const vm::RunError& error) {
    std::cerr << "kfdcts: " << error.what() << '\n';
    return kUsageExitCode;
  }
}

}  // namespace kfdcts::harness
