#include "suites/support/pointer_info.h"

#include <gtest/gtest.h>

#include <cstring>

#include "suites/support/status.h"

namespace kfdcts::suites {
namespace {

// More nodes than any machine has: a count beyond it is not an answer, and must not be read.
constexpr HSAuint32 kMostNodes = 256;

// The structure's Type, which a thunk may have left at a value that is none.
HSA_POINTER_TYPE TypeOf(const HsaPointerInfo& answer) {
  HSAuint32 raw = 0;
  std::memcpy(&raw, &answer.Type, sizeof(raw));
  if (raw <= HSA_POINTER_RESERVED_ADDR) return static_cast<HSA_POINTER_TYPE>(raw);
  ADD_FAILURE() << "Type is 0x" << std::hex << raw;
  return HSA_POINTER_UNKNOWN;
}

std::set<HSAuint32> NodeSet(const char* what, HSAuint32 count, const HSAuint32* array) {
  if (count == 0) return {};
  if (count > kMostNodes || array == nullptr) {
    ADD_FAILURE() << what << ": " << count << " nodes at " << array;
    return {};
  }
  std::set<HSAuint32> nodes(array, array + count);
  EXPECT_EQ(nodes.size(), count) << what << " names a node twice";
  return nodes;
}

template <typename Call>
PointerInfo Ask(Call call) {
  HsaPointerInfo answer;
  std::memset(&answer, 0xa5, sizeof(answer));
  PointerInfo info;
  info.status = call(&answer);
  info.type = TypeOf(answer);
  info.node = answer.Node;
  info.flags = answer.MemFlags.Value;
  info.cpu_address = answer.CPUAddress;
  info.gpu_address = answer.GPUAddress;
  info.size = answer.SizeInBytes;
  info.registered_count = answer.NRegisteredNodes;
  info.mapped_count = answer.NMappedNodes;
  info.registered_array = answer.RegisteredNodes;
  info.mapped_array = answer.MappedNodes;
  info.user_data = answer.UserData;
  return info;
}

}  // namespace

void PrintTo(const PointerInfo& info, std::ostream* out) {
  *out << NameOf(info.status) << ", " << NameOf(info.type) << ", node " << info.node << ", flags 0x"
       << std::hex << info.flags << ", CPU " << info.cpu_address << ", GPU 0x" << info.gpu_address
       << std::dec << ", " << info.size << " bytes, registered to " << info.registered_count
       << " nodes, mapped to " << info.mapped_count << ", user data " << info.user_data;
}

PointerInfo Query(const harness::ThunkApi& thunk, const void* address) {
  return Ask([&](HsaPointerInfo* answer) { return thunk.hsaKmtQueryPointerInfo(address, answer); });
}

PointerInfo QueryCtx(const harness::ThunkApi& thunk, HsaKFDContext* context, const void* address) {
  return Ask([&](HsaPointerInfo* answer) {
    return thunk.hsaKmtQueryPointerInfoCtx(context, address, answer);
  });
}

PointerInfo Query(const harness::ThunkApi& thunk, HSAuint64 address) {
  return Query(thunk, reinterpret_cast<const void*>(address));
}

std::set<HSAuint32> RegisteredNodes(const PointerInfo& info) {
  return NodeSet("RegisteredNodes", info.registered_count, info.registered_array);
}

std::set<HSAuint32> MappedNodes(const PointerInfo& info) {
  return NodeSet("MappedNodes", info.mapped_count, info.mapped_array);
}

}  // namespace kfdcts::suites
