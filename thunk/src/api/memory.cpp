// Memory: allocation, registration, sharing, mapping.
#include "thunk/src/memory/memory.h"

#include "thunk/src/api/call.h"
#include "thunk/src/fault/fault.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

HSAKMT_STATUS hsaKmtSetMemoryPolicyCtx(HsaKFDContext* ctx, HSAuint32 Node, HSAuint32 DefaultPolicy,
                                       HSAuint32 AlternatePolicy, void* MemoryAddressAlternate,
                                       HSAuint64 MemorySizeInBytes) {
  return Call(ctx, [&](Context& context) {
    return context.memory().SetPolicy(Node, DefaultPolicy, AlternatePolicy, MemoryAddressAlternate,
                                      MemorySizeInBytes);
  });
}

HSAKMT_STATUS hsaKmtAllocMemoryAlignCtx(HsaKFDContext* ctx, HSAuint32 PreferredNode,
                                        HSAuint64 SizeInBytes, HSAuint64 Alignment,
                                        HsaMemFlags MemFlags, void** MemoryAddress) {
  return Call(ctx, [&](Context& context) {
    if (MemoryAddress == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.memory().Allocate(PreferredNode, SizeInBytes, Alignment, MemFlags,
                                     MemoryAddress);
  });
}

HSAKMT_STATUS hsaKmtAllocMemoryCtx(HsaKFDContext* ctx, HSAuint32 PreferredNode,
                                   HSAuint64 SizeInBytes, HsaMemFlags MemFlags,
                                   void** MemoryAddress) {
  return hsaKmtAllocMemoryAlignCtx(ctx, PreferredNode, SizeInBytes, 0, MemFlags, MemoryAddress);
}

HSAKMT_STATUS hsaKmtFreeMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress, HSAuint64 SizeInBytes) {
  return Call(ctx, [&](Context& context) {
    if (MemoryAddress == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.memory().Free(MemoryAddress, SizeInBytes);
  });
}

HSAKMT_STATUS hsaKmtAvailableMemoryCtx(HsaKFDContext* ctx, HSAuint32 Node,
                                       HSAuint64* AvailableBytes) {
  return Call(ctx, [&](Context& context) {
    if (AvailableBytes == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.memory().Available(Node, AvailableBytes);
  });
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlagsCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                               HSAuint64 MemorySizeInBytes, HsaMemFlags MemFlags) {
  return Call(ctx, [&](Context& context) {
    return context.memory().Register(MemoryAddress, MemorySizeInBytes, std::nullopt, MemFlags);
  });
}

HSAKMT_STATUS hsaKmtRegisterMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                      HSAuint64 MemorySizeInBytes) {
  HsaMemFlags flags{};
  flags.ui32.CoarseGrain = 1;  // what registration without flags has always meant
  return hsaKmtRegisterMemoryWithFlagsCtx(ctx, MemoryAddress, MemorySizeInBytes, flags);
}

HSAKMT_STATUS hsaKmtRegisterMemoryToNodesCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                             HSAuint64 MemorySizeInBytes, HSAuint64 NumberOfNodes,
                                             HSAuint32* NodeArray) {
  return Call(ctx, [&](Context& context) {
    if (!HasNodes(NumberOfNodes, NodeArray)) return HSAKMT_STATUS_INVALID_PARAMETER;
    HsaMemFlags flags{};
    flags.ui32.CoarseGrain = 1;
    return context.memory().Register(MemoryAddress, MemorySizeInBytes,
                                     Nodes(NumberOfNodes, NodeArray), flags);
  });
}

HSAKMT_STATUS hsaKmtDeregisterMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress) {
  return Call(ctx, [&](Context& context) { return context.memory().Deregister(MemoryAddress); });
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodesExtCtx(
    HsaKFDContext* ctx, HSAuint64 GraphicsResourceHandle,
    HsaGraphicsResourceInfo* GraphicsResourceInfo, HSAuint64 NumberOfNodes, HSAuint32* NodeArray,
    HSA_REGISTER_MEM_FLAGS RegisterFlags) {
  return Call(ctx, [&](Context& context) {
    if (GraphicsResourceInfo == nullptr || (NodeArray == nullptr && NumberOfNodes > 0)) {
      return HSAKMT_STATUS_INVALID_PARAMETER;
    }
    return context.memory().RegisterGraphics(GraphicsResourceHandle, GraphicsResourceInfo,
                                             Nodes(NumberOfNodes, NodeArray), RegisterFlags);
  });
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodesCtx(HsaKFDContext* ctx,
                                                     HSAuint64 GraphicsResourceHandle,
                                                     HsaGraphicsResourceInfo* GraphicsResourceInfo,
                                                     HSAuint64 NumberOfNodes,
                                                     HSAuint32* NodeArray) {
  HSA_REGISTER_MEM_FLAGS flags{};
  flags.ui32.requiresVAddr = 1;
  return hsaKmtRegisterGraphicsHandleToNodesExtCtx(
      ctx, GraphicsResourceHandle, GraphicsResourceInfo, NumberOfNodes, NodeArray, flags);
}

HSAKMT_STATUS hsaKmtExportDMABufHandleCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                          HSAuint64 MemorySizeInBytes, int* DMABufFd,
                                          HSAuint64* Offset) {
  return Call(ctx, [&](Context& context) {
    if (!NoneNull(MemoryAddress, DMABufFd, Offset)) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.memory().ExportDmabuf(MemoryAddress, MemorySizeInBytes, DMABufFd, Offset);
  });
}

HSAKMT_STATUS hsaKmtShareMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress, HSAuint64 SizeInBytes,
                                   HsaSharedMemoryHandle* SharedMemoryHandle) {
  return Call(ctx, [&](Context& context) {
    if (!NoneNull(MemoryAddress, SharedMemoryHandle)) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.memory().Share(MemoryAddress, SizeInBytes, SharedMemoryHandle);
  });
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleCtx(HsaKFDContext* ctx,
                                            const HsaSharedMemoryHandle* SharedMemoryHandle,
                                            void** MemoryAddress, HSAuint64* SizeInBytes) {
  return Call(ctx, [&](Context& context) {
    if (!NoneNull(SharedMemoryHandle, MemoryAddress, SizeInBytes)) {
      return HSAKMT_STATUS_INVALID_PARAMETER;
    }
    return context.memory().RegisterShared(SharedMemoryHandle, MemoryAddress, SizeInBytes,
                                           std::nullopt);
  });
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodesCtx(HsaKFDContext* ctx,
                                                   const HsaSharedMemoryHandle* SharedMemoryHandle,
                                                   void** MemoryAddress, HSAuint64* SizeInBytes,
                                                   HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  return Call(ctx, [&](Context& context) {
    if (!NoneNull(SharedMemoryHandle, MemoryAddress, SizeInBytes) ||
        (NodeArray == nullptr && NumberOfNodes > 0)) {
      return HSAKMT_STATUS_INVALID_PARAMETER;
    }
    return context.memory().RegisterShared(SharedMemoryHandle, MemoryAddress, SizeInBytes,
                                           Nodes(NumberOfNodes, NodeArray));
  });
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                      HSAuint64 MemorySizeInBytes, HSAuint64* AlternateVAGPU) {
  return Call(ctx, [&](Context& context) {
    if (MemoryAddress == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    HSAuint64 unused = 0;
    return context.memory().Map(MemoryAddress, MemorySizeInBytes, std::nullopt,
                                AlternateVAGPU != nullptr ? AlternateVAGPU : &unused);
  });
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodesCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                           HSAuint64 MemorySizeInBytes, HSAuint64* AlternateVAGPU,
                                           HsaMemMapFlags /*MemMapFlags*/, HSAuint64 NumberOfNodes,
                                           HSAuint32* NodeArray) {
  return Call(ctx, [&](Context& context) {
    if (MemoryAddress == nullptr || !HasNodes(NumberOfNodes, NodeArray)) {
      return HSAKMT_STATUS_INVALID_PARAMETER;
    }
    HSAuint64 unused = 0;
    return context.memory().Map(MemoryAddress, MemorySizeInBytes, Nodes(NumberOfNodes, NodeArray),
                                AlternateVAGPU != nullptr ? AlternateVAGPU : &unused);
  });
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPUCtx(HsaKFDContext* ctx, void* MemoryAddress) {
  return Call(ctx, [&](Context& context) {
    if (MemoryAddress == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.memory().Unmap(MemoryAddress);
  });
}

HSAKMT_STATUS hsaKmtUnmapGraphicHandleCtx(HsaKFDContext* ctx, HSAuint32 /*NodeId*/,
                                          HSAuint64 FlatMemoryAddress, HSAuint64 /*SizeInBytes*/) {
  return hsaKmtUnmapMemoryToGPUCtx(ctx, reinterpret_cast<void*>(FlatMemoryAddress));
}

HSAKMT_STATUS hsaKmtQueryPointerInfoCtx(HsaKFDContext* ctx, const void* Pointer,
                                        HsaPointerInfo* PointerInfo) {
  if (Broken(Fault::kClosedWritesOutput) && PointerInfo != nullptr) *PointerInfo = {};
  if (Broken(Fault::kNullCheckedFirst) && PointerInfo == nullptr) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  return Ask(ctx, [&](Context& context) {
    if (PointerInfo == nullptr) {
      return Broken(Fault::kNullIsError) ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_INVALID_PARAMETER;
    }
    return context.memory().Query(Pointer, PointerInfo);
  });
}

HSAKMT_STATUS hsaKmtSetMemoryUserDataCtx(HsaKFDContext* ctx, const void* Pointer, void* UserData) {
  return Ask(Broken(Fault::kSetterContextIgnored) ? Primary() : ctx,
             [&](Context& context) { return context.memory().SetUserData(Pointer, UserData); });
}

/// For the harness's leak check (harness/probes/thunk_objects.h): memory objects and queues of the
/// primary context, 0 where it is not open. Not part of the API.
extern "C" HSAKMTAPI std::uint64_t kfdctsThunkObjectCount() {
  std::uint64_t count = 0;
  Call(Primary(), [&](Context& context) {
    count = context.memory().ObjectCount() + context.queues().Count();
    return HSAKMT_STATUS_SUCCESS;
  });
  return count;
}
