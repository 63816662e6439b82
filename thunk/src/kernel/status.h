#pragma once

#include "hsakmt/hsakmttypes.h"

namespace kfdcts::thunk {

/// What the API says of a failed system call (`error` is -errno; 0 is SUCCESS) where a call has
/// nothing more exact to say.
HSAKMT_STATUS StatusOf(int error);

}  // namespace kfdcts::thunk
