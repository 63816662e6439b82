#pragma once

#include <cstddef>

namespace kfdcts::harness {

/// How many queues, events and SVM ranges KFD keeps for this process, as CRIU's PROCESS_INFO tells
/// (kernel: criu_get_process_object_info); it does not tell them apart. The process's queues are
/// stopped for a moment. Needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN. Throws gpu::GpuError.
std::size_t CountKfdObjects();

}  // namespace kfdcts::harness
