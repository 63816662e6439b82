#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace kfdcts::harness {

/// The children of this process, of whichever thread, that run, and their names. Those that have
/// ended hold nothing; they stay to be waited for.
std::map<pid_t, std::string> RunningChildren();

}  // namespace kfdcts::harness
