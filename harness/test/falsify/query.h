#pragma once

#include "hsakmt/hsakmt.h"

namespace kfdcts::falsify {

/// One call of hsaKmtQueryPointerInfo, after the real library has answered it.
struct QueryCall {
  const void* pointer;
  HsaPointerInfo* info;   ///< The caller's; null where it passed none.
  HsaPointerInfo before;  ///< What it held.
  HSAKMT_STATUS status;

  bool Found() const { return status == HSAKMT_STATUS_SUCCESS && info != nullptr; }
};

/// Falsifies an answer. Null where `name` is no falsification of the query.
using QueryFalsifier = void (*)(QueryCall&);
QueryFalsifier FindQueryFalsifier(const char* name);

/// The real library's answer about another address.
HSAKMT_STATUS AskReal(const void* pointer, HsaPointerInfo* info);

}  // namespace kfdcts::falsify
