#pragma once

#include "harness/run/event.h"

namespace kfdcts::harness {

/// What this place tells about itself, from uname, sysfs and /dev/kfd. Runs no code of the thunk.
Surroundings AskSurroundings();

}  // namespace kfdcts::harness
