#pragma once

namespace kfdcts::falsify {

/// Starts falsifying what the kernel answers to this process, by the tracer at the system-call
/// boundary, from now on and for the process's life. False where `name` is no such falsification.
bool StartIoctlFalsifier(const char* name);

}  // namespace kfdcts::falsify
