#pragma once

namespace kfdcts::falsify {

/// The function of that name in the real library, which the shim depends on. Ends the process with
/// a message where it has none: what the shim exports, the real one must.
void* RealFunction(const char* name);

/// Forwards a call to the real library: Real<&hsaKmtQueryPointerInfo>("hsaKmtQueryPointerInfo")(…).
template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(RealFunction(name));
}

}  // namespace kfdcts::falsify

/// The real function of the API.
#define REAL(name) static auto* const real = ::kfdcts::falsify::Real<decltype(::name)>(#name)
