#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>

#include "harness/thunk/thunk.h"

namespace kfdcts::suites {

/// Attributes as hsaKmtSVMSetAttr takes them; `node` is a node id, 0 the CPU's.
HSA_SVM_ATTRIBUTE Access(HSAuint32 node);
HSA_SVM_ATTRIBUTE AccessInPlace(HSAuint32 node);
HSA_SVM_ATTRIBUTE NoAccess(HSAuint32 node);
HSA_SVM_ATTRIBUTE Preferred(HSAuint32 node);  ///< INVALID_NODEID: undefined again.
HSA_SVM_ATTRIBUTE Prefetch(HSAuint32 node);
HSA_SVM_ATTRIBUTE SetFlags(HSAuint32 flags);
HSA_SVM_ATTRIBUTE ClearFlags(HSAuint32 flags);
HSA_SVM_ATTRIBUTE Granularity(HSAuint32 log2_pages);

/// What one hsaKmtSVMGetAttr says of an interval: every attribute, and the access of every GPU.
/// Comparable and printable, so that a test states the whole answer.
struct SvmState {
  HSAuint32 preferred = INVALID_NODEID;
  HSAuint32 prefetch = INVALID_NODEID;
  HSAuint32 flags_set = HSA_SVM_FLAG_HOST_ACCESS | HSA_SVM_FLAG_COHERENT;  ///< As SET_FLAGS.
  HSAuint32 flags_clear =
      ~(HSAuint32{HSA_SVM_FLAG_HOST_ACCESS} | HSAuint32{HSA_SVM_FLAG_COHERENT});  ///< CLR_FLAGS.
  HSAuint32 granularity = 9;
  /// By node id: HSA_SVM_ATTR_ACCESS, …_ACCESS_IN_PLACE or …_NO_ACCESS.
  std::map<HSAuint32, HSA_SVM_ATTR_TYPE> access;

  // Copies with one thing changed, for expectations: Defaults().WithPrefetch(1).WithAccess(1, …).
  SvmState WithPreferred(HSAuint32 node) const;
  SvmState WithPrefetch(HSAuint32 node) const;
  SvmState WithFlags(HSAuint32 flags) const;  ///< flags_set = flags, flags_clear = ~flags.
  SvmState WithGranularity(HSAuint32 log2_pages) const;
  SvmState WithAccess(HSAuint32 node, HSA_SVM_ATTR_TYPE type) const;

  friend bool operator==(const SvmState&, const SvmState&) = default;
};

void PrintTo(const SvmState& state, std::ostream* out);
std::string NameOf(HSA_SVM_ATTR_TYPE type);

}  // namespace kfdcts::suites
