#pragma once

#include <new>
#include <optional>
#include <span>
#include <utility>

#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"
#include "thunk/src/context/contexts.h"

namespace kfdcts::thunk {

/// Answers what `work` returns; no exception passes into C.
template <typename Work>
HSAKMT_STATUS Guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return HSAKMT_STATUS_NO_MEMORY;
  } catch (...) {
    return HSAKMT_STATUS_ERROR;
  }
}

/// Does an API call's work(Context&) on the context that it names. Looks whether it is open before
/// anything else (PTR-17).
template <typename Work>
HSAKMT_STATUS Call(HsaKFDContext* context, Work&& work) noexcept {
  return Guarded([&] { return Contexts::Global().With(context, std::forward<Work>(work)); });
}

/// The same for work that is memory().Query() or SetUserData() alone.
template <typename Work>
HSAKMT_STATUS Ask(HsaKFDContext* context, Work&& work) noexcept {
  return Guarded([&] { return Contexts::Global().Ask(context, std::forward<Work>(work)); });
}

/// What the plain calls forward (PTR-23).
inline HsaKFDContext* Primary() { return Contexts::PrimaryHandle(); }

/// A C array of nodes where the call must have one: neither empty nor null.
inline bool HasNodes(HSAuint64 count, const HSAuint32* nodes) {
  return count > 0 && nodes != nullptr;
}

/// A C array of nodes; no list where it is empty.
inline NodeList Nodes(HSAuint64 count, const HSAuint32* nodes) {
  if (count == 0) return std::nullopt;
  return std::span(nodes, static_cast<std::size_t>(count));
}

/// None is null.
template <typename... Pointers>
bool NoneNull(Pointers... pointers) {
  return (... && (pointers != nullptr));
}

}  // namespace kfdcts::thunk
