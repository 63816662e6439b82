#include "suites/support/svm_attributes.h"

#include <array>
#include <cstdio>

namespace kfdcts::suites {
namespace {

std::string NodeText(HSAuint32 node) {
  return node == INVALID_NODEID ? "undefined" : std::to_string(node);
}

std::string Hex(HSAuint32 value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%x", value);
  return text.data();
}

}  // namespace

HSA_SVM_ATTRIBUTE Access(HSAuint32 node) { return {HSA_SVM_ATTR_ACCESS, node}; }
HSA_SVM_ATTRIBUTE AccessInPlace(HSAuint32 node) { return {HSA_SVM_ATTR_ACCESS_IN_PLACE, node}; }
HSA_SVM_ATTRIBUTE NoAccess(HSAuint32 node) { return {HSA_SVM_ATTR_NO_ACCESS, node}; }
HSA_SVM_ATTRIBUTE Preferred(HSAuint32 node) { return {HSA_SVM_ATTR_PREFERRED_LOC, node}; }
HSA_SVM_ATTRIBUTE Prefetch(HSAuint32 node) { return {HSA_SVM_ATTR_PREFETCH_LOC, node}; }
HSA_SVM_ATTRIBUTE SetFlags(HSAuint32 flags) { return {HSA_SVM_ATTR_SET_FLAGS, flags}; }
HSA_SVM_ATTRIBUTE ClearFlags(HSAuint32 flags) { return {HSA_SVM_ATTR_CLR_FLAGS, flags}; }
HSA_SVM_ATTRIBUTE Granularity(HSAuint32 log2_pages) {
  return {HSA_SVM_ATTR_GRANULARITY, log2_pages};
}

SvmState SvmState::WithPreferred(HSAuint32 node) const {
  SvmState copy = *this;
  copy.preferred = node;
  return copy;
}

SvmState SvmState::WithPrefetch(HSAuint32 node) const {
  SvmState copy = *this;
  copy.prefetch = node;
  return copy;
}

SvmState SvmState::WithFlags(HSAuint32 flags) const {
  SvmState copy = *this;
  copy.flags_set = flags;
  copy.flags_clear = ~flags;
  return copy;
}

SvmState SvmState::WithGranularity(HSAuint32 log2_pages) const {
  SvmState copy = *this;
  copy.granularity = log2_pages;
  return copy;
}

SvmState SvmState::WithAccess(HSAuint32 node, HSA_SVM_ATTR_TYPE type) const {
  SvmState copy = *this;
  copy.access[node] = type;
  return copy;
}

void PrintTo(const SvmState& state, std::ostream* out) {
  *out << "{preferred " << NodeText(state.preferred) << ", prefetch " << NodeText(state.prefetch)
       << ", flags " << Hex(state.flags_set);
  if (state.flags_clear != ~state.flags_set) *out << " (clear " << Hex(state.flags_clear) << ")";
  *out << ", granularity " << state.granularity;
  for (const auto& [node, type] : state.access) *out << ", node " << node << ": " << NameOf(type);
  *out << "}";
}

std::string NameOf(HSA_SVM_ATTR_TYPE type) {
  switch (type) {
    case HSA_SVM_ATTR_PREFERRED_LOC:
      return "PREFERRED_LOC";
    case HSA_SVM_ATTR_PREFETCH_LOC:
      return "PREFETCH_LOC";
    case HSA_SVM_ATTR_ACCESS:
      return "ACCESS";
    case HSA_SVM_ATTR_ACCESS_IN_PLACE:
      return "ACCESS_IN_PLACE";
    case HSA_SVM_ATTR_NO_ACCESS:
      return "NO_ACCESS";
    case HSA_SVM_ATTR_SET_FLAGS:
      return "SET_FLAGS";
    case HSA_SVM_ATTR_CLR_FLAGS:
      return "CLR_FLAGS";
    case HSA_SVM_ATTR_GRANULARITY:
      return "GRANULARITY";
  }
  return "attribute " + std::to_string(static_cast<unsigned>(type));
}

}  // namespace kfdcts::suites
