#pragma once

#include <ostream>

#include "harness/thunk/thunk.h"

namespace kfdcts::harness {

/// Every capability, a line each, without asking for it.
void ListCapabilities(std::ostream& out);

/// Every capability with whether it is here, for each GPU where they differ. Loads `thunk`, opens
/// KFD and closes it. Throws ThunkError, std::runtime_error.
void ProbeCapabilities(std::ostream& out, const std::filesystem::path& thunk);

}  // namespace kfdcts::harness
