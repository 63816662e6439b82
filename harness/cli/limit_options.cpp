#include "harness/cli/limit_options.h"

#include "harness/cli/options.h"

namespace kfdcts::harness {
namespace {

void AddSeconds(CLI::App& app, const char* name, std::chrono::seconds& value, const char* text) {
  app.add_option_function<long>(
         name, [&value](const long& given) { value = std::chrono::seconds(given); }, text)
      ->option_text("SECONDS")
      ->check(CLI::Range(1L, 864000L));
}

}  // namespace

void AddLimitFlags(CLI::App& app, LimitOptions& options) {
  app.add_flag("--isolate", options.isolate,
               "Each test in a process of its own; else a process runs several until one fails");
  AddSeconds(app, "--run-timeout", options.run_timeout,
             "For the whole run; what has not run by then is reported as not run, and fails it");
  AddSeconds(app, "--silence-timeout", options.silence,
             "End a test that neither prints nor reports anything for so long");
  app.add_option("--watchdog", options.watchdog,
                 "Arm this watchdog, /dev/watchdog say, for the run: it restarts a machine that "
                 "hangs")
      ->option_text("DEVICE");
  app.add_option("--resume", options.resume,
                 "Go on with a run that ended before its time, by the journal in its results "
                 "folder; it has\nthe flags of that run")
      ->option_text("FOLDER");
  app.add_option("--kernel-log-filter", options.kernel_log_filter,
                 "What lines of the kernel's log mean for a test, in place of the installed file")
      ->option_text("FILE");
  app.add_option("--abort-on", options.abort_on,
                 "End the run after a test in which the kernel complained so; kinds of the "
                 "kernel-log filter,\ntaint and lockdep among them")
      ->option_text("KIND,KIND…")
      ->delimiter(',')
      ->allow_extra_args(false);
}

std::set<std::string> AbortKinds(const LimitOptions& options, const std::set<std::string>& known) {
  for (const auto& kind : options.abort_on) {
    if (known.contains(kind)) continue;
    std::string list;
    for (const auto& one : known) list += (list.empty() ? "" : ", ") + one;
    throw UsageError("--abort-on: " + kind + " is no kind of the kernel-log filter: " + list);
  }
  return {options.abort_on.begin(), options.abort_on.end()};
}

}  // namespace kfdcts::harness
