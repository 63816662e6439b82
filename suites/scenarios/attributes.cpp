#include "suites/scenarios/attributes.h"

#include <sstream>

namespace kfdcts::suites {

namespace scenario = harness::scenario;

HSAuint32 NodeOf(const ScenarioBase& test, const scenario::Place& place) {
  switch (place.kind) {
    case scenario::Place::Kind::kCpu:
      return test.cpu_node();
    case scenario::Place::Kind::kGpu:
      return test.gpu(place.gpu).node_id;
    case scenario::Place::Kind::kNone:
      break;
  }
  return INVALID_NODEID;
}

HSA_SVM_ATTRIBUTE ToThunk(const ScenarioBase& test, const scenario::Attribute& attribute) {
  using Kind = scenario::Attribute::Kind;
  switch (attribute.kind) {
    case Kind::kAccess:
      return Access(NodeOf(test, attribute.place));
    case Kind::kInPlace:
      return AccessInPlace(NodeOf(test, attribute.place));
    case Kind::kNoAccess:
      return NoAccess(NodeOf(test, attribute.place));
    case Kind::kPreferred:
      return Preferred(NodeOf(test, attribute.place));
    case Kind::kPrefetch:
      return Prefetch(NodeOf(test, attribute.place));
    case Kind::kSetFlags:
      return SetFlags(attribute.value);
    case Kind::kClearFlags:
      return ClearFlags(attribute.value);
    case Kind::kGranularity:
      break;
  }
  return Granularity(attribute.value);
}

std::vector<HSA_SVM_ATTRIBUTE> ToThunk(const ScenarioBase& test,
                                       const std::vector<scenario::Attribute>& list) {
  std::vector<HSA_SVM_ATTRIBUTE> attributes;
  for (const auto& attribute : list) attributes.push_back(ToThunk(test, attribute));
  return attributes;
}

HSAKMT_STATUS ToThunk(scenario::Status status) {
  switch (status) {
    case scenario::Status::kSuccess:
      return HSAKMT_STATUS_SUCCESS;
    case scenario::Status::kError:
      return HSAKMT_STATUS_ERROR;
    case scenario::Status::kInvalidParameter:
      return HSAKMT_STATUS_INVALID_PARAMETER;
    case scenario::Status::kInvalidNode:
      return HSAKMT_STATUS_INVALID_NODE_UNIT;
    case scenario::Status::kNoMemory:
      return HSAKMT_STATUS_NO_MEMORY;
    case scenario::Status::kNotSupported:
      break;
  }
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

SvmState ExpectedState(const ScenarioBase& test, const scenario::Expect& expect) {
  SvmState state = test.Defaults();
  if (expect.preferred) state.preferred = NodeOf(test, *expect.preferred);
  if (expect.prefetch) state.prefetch = NodeOf(test, *expect.prefetch);
  if (expect.flags) state.flags_set = *expect.flags;
  state.flags_clear = ~expect.any_flags.value_or(state.flags_set);
  if (expect.granularity) state.granularity = *expect.granularity;
  for (const auto& [gpu, kind] : expect.access) {
    const scenario::Attribute attribute{kind, {}, 0};
    state.access[test.gpu(gpu).node_id] =
        static_cast<HSA_SVM_ATTR_TYPE>(ToThunk(test, attribute).type);
  }
  return state;
}

std::string Text(const std::vector<HSA_SVM_ATTRIBUTE>& attributes) {
  std::ostringstream text;
  for (const auto& attribute : attributes) {
    if (text.tellp() > 0) text << ", ";
    text << NameOf(static_cast<HSA_SVM_ATTR_TYPE>(attribute.type)) << " 0x" << std::hex
         << attribute.value << std::dec;
  }
  return text.str();
}

std::string Text(const SvmState& state) {
  std::ostringstream text;
  PrintTo(state, &text);
  return text.str();
}

}  // namespace kfdcts::suites
