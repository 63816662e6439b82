// Topology: answers come from the snapshot that hsaKmtAcquireSystemProperties took.
#include <algorithm>

#include "thunk/src/api/call.h"
#include "thunk/src/topology/api_layout.h"
#include "thunk/src/topology/properties.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

namespace {

/// Calls work(node, its surroundings) on a node of the snapshot.
template <typename Work>
HSAKMT_STATUS CallOnNode(HsaKFDContext* ctx, HSAuint32 node_id, const void* output, Work&& work) {
  return Call(ctx, [&](const Context& context) {
    if (output == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    const std::shared_ptr<const Topology> snapshot = context.snapshot();
    const Node* node = snapshot ? snapshot->Find(node_id) : nullptr;
    if (node == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
    return work(*node, context.SurroundingsOf(node_id, *node));
  });
}

/// As many as the caller has room for; what is beyond the node's own is zeroed.
template <typename Properties>
void Store(const std::vector<Properties>& properties, HSAuint32 count, Properties* output) {
  const std::size_t known = std::min<std::size_t>(count, properties.size());
  std::copy_n(properties.begin(), known, output);
  std::fill_n(output + known, count - known, Properties{});
}

HSAKMT_STATUS GetNodeProperties(HsaKFDContext* ctx, HSAuint32 node_id, void* output,
                                const void* caller) {
  return CallOnNode(ctx, node_id, output, [&](const Node& node, const NodeSurroundings& around) {
    StoreNodeProperties(MakeNodeProperties(node, around), LayoutOfCaller(caller), output);
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS GetIoLinkProperties(HsaKFDContext* ctx, HSAuint32 node_id, HSAuint32 count,
                                  void* output, const void* caller) {
  return CallOnNode(ctx, node_id, output, [&](const Node& node, const NodeSurroundings&) {
    std::vector<HsaIoLinkProperties> links = MakeIoLinkProperties(node);
    if (count > links.size()) return HSAKMT_STATUS_INVALID_PARAMETER;
    links.resize(count);
    StoreIoLinkProperties(links, LayoutOfCaller(caller), output);
    return HSAKMT_STATUS_SUCCESS;
  });
}

}  // namespace

HSAKMT_STATUS hsaKmtAcquireSystemPropertiesCtx(HsaKFDContext* ctx,
                                               HsaSystemProperties* SystemProperties) {
  return Call(ctx, [&](Context& context) {
    if (SystemProperties == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    std::shared_ptr<const Topology> snapshot;
    const HSAKMT_STATUS status = context.AcquireSnapshot(snapshot);
    if (status == HSAKMT_STATUS_SUCCESS) *SystemProperties = MakeSystemProperties(*snapshot);
    return status;
  });
}

HSAKMT_STATUS hsaKmtReleaseSystemPropertiesCtx(HsaKFDContext* ctx) {
  return Call(ctx, [](Context& context) {
    context.ReleaseSnapshot();
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtGetNodePropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                         HsaNodeProperties* NodeProperties) {
  return GetNodeProperties(ctx, NodeId, NodeProperties, __builtin_return_address(0));
}

HSAKMT_STATUS hsaKmtGetNodeMemoryPropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                               HSAuint32 NumBanks,
                                               HsaMemoryProperties* MemoryProperties) {
  return CallOnNode(ctx, NodeId, MemoryProperties,
                    [&](const Node& node, const NodeSurroundings& around) {
                      Store(MakeMemoryProperties(node, around), NumBanks, MemoryProperties);
                      return HSAKMT_STATUS_SUCCESS;
                    });
}

HSAKMT_STATUS hsaKmtGetNodeCachePropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                              HSAuint32 /*ProcessorId*/, HSAuint32 NumCaches,
                                              HsaCacheProperties* CacheProperties) {
  return CallOnNode(ctx, NodeId, CacheProperties, [&](const Node& node, const NodeSurroundings&) {
    const std::vector<HsaCacheProperties> caches = MakeCacheProperties(node);
    if (NumCaches > caches.size()) return HSAKMT_STATUS_INVALID_PARAMETER;
    Store(caches, NumCaches, CacheProperties);
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtGetNodeIoLinkPropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                               HSAuint32 NumIoLinks,
                                               HsaIoLinkProperties* IoLinkProperties) {
  return GetIoLinkProperties(ctx, NodeId, NumIoLinks, IoLinkProperties,
                             __builtin_return_address(0));
}

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties* SystemProperties) {
  return hsaKmtAcquireSystemPropertiesCtx(Primary(), SystemProperties);
}

HSAKMT_STATUS hsaKmtReleaseSystemProperties() {
  return hsaKmtReleaseSystemPropertiesCtx(Primary());
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 NodeId, HsaNodeProperties* NodeProperties) {
  return GetNodeProperties(Primary(), NodeId, NodeProperties, __builtin_return_address(0));
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 NodeId, HSAuint32 NumBanks,
                                            HsaMemoryProperties* MemoryProperties) {
  return hsaKmtGetNodeMemoryPropertiesCtx(Primary(), NodeId, NumBanks, MemoryProperties);
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 NodeId, HSAuint32 ProcessorId,
                                           HSAuint32 NumCaches,
                                           HsaCacheProperties* CacheProperties) {
  return hsaKmtGetNodeCachePropertiesCtx(Primary(), NodeId, ProcessorId, NumCaches,
                                         CacheProperties);
}

HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
                                            HsaIoLinkProperties* IoLinkProperties) {
  return GetIoLinkProperties(Primary(), NodeId, NumIoLinks, IoLinkProperties,
                             __builtin_return_address(0));
}
