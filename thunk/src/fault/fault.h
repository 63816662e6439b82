#pragma once

namespace kfdcts::thunk {

/// One deliberate mistake each, of a library that is built for tests of the tests (faults.inc).
enum class Fault {
#define KFDCTS_FAULT(name, rules, what) k##name,
#include "thunk/src/fault/faults.inc"
#undef KFDCTS_FAULT
};

#ifdef KFDCTS_THUNK_FAULTS

/// Whether the environment variable KFDCTS_THUNK_FAULT named this fault ("SizeRounded") when the
/// library was loaded. A name that is no fault's ends the process there.
bool Broken(Fault fault);

#else

/// Never: the library that users get has no faults to turn on.
constexpr bool Broken(Fault /*fault*/) { return false; }

#endif

}  // namespace kfdcts::thunk
