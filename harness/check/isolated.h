#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace kfdcts::check {

/// How long a check may take before it is killed.
inline constexpr std::chrono::milliseconds kCheckLimit{60000};

/// Runs the body of a gtest test in a process of its own: KFD ties VMs, event page and fault state
/// to a process, so each check starts from nothing, and one that hangs or crashes ends alone.
/// Failures and skips of the body become those of the current test, with their own file and line;
/// so does its end by a signal, by exit() or by the limit. All processes that the body started are
/// killed when it is over. Call it from a single-threaded process.
void RunIsolated(const std::function<void()>& body, std::chrono::milliseconds limit = kCheckLimit);

/// In a body: declares that the kernel may log lines that this regular expression (ECMAScript,
/// searched) finds, although they look like trouble, because the body provokes them.
void ExpectKernelLog(const std::string& regex);

}  // namespace kfdcts::check
