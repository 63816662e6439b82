// Types of the hsaKmt API as ROCm's libhsakmt of August 2025 has them: same names, values and
// layouts.
#pragma once

// IWYU pragma: begin_exports
#include "types/base.h"
#include "types/debug.h"
#include "types/event.h"
#include "types/memory.h"
#include "types/profile.h"
#include "types/queue.h"
#include "types/topology.h"
// IWYU pragma: end_exports
