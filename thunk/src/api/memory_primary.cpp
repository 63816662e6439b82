// The memory's plain calls: those on the primary context (PTR-23).
#include "thunk/src/api/call.h"
#include "thunk/src/fault/fault.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32 Node, HSAuint32 DefaultPolicy,
                                    HSAuint32 AlternatePolicy, void* MemoryAddressAlternate,
                                    HSAuint64 MemorySizeInBytes) {
  return hsaKmtSetMemoryPolicyCtx(Primary(), Node, DefaultPolicy, AlternatePolicy,
                                  MemoryAddressAlternate, MemorySizeInBytes);
}

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
                                HsaMemFlags MemFlags, void** MemoryAddress) {
  return hsaKmtAllocMemoryCtx(Primary(), PreferredNode, SizeInBytes, MemFlags, MemoryAddress);
}

HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 PreferredNode, HSAuint64 SizeInBytes,
                                     HSAuint64 Alignment, HsaMemFlags MemFlags,
                                     void** MemoryAddress) {
  return hsaKmtAllocMemoryAlignCtx(Primary(), PreferredNode, SizeInBytes, Alignment, MemFlags,
                                   MemoryAddress);
}

HSAKMT_STATUS hsaKmtFreeMemory(void* MemoryAddress, HSAuint64 SizeInBytes) {
  return hsaKmtFreeMemoryCtx(Primary(), MemoryAddress, SizeInBytes);
}

HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 Node, HSAuint64* AvailableBytes) {
  return hsaKmtAvailableMemoryCtx(Primary(), Node, AvailableBytes);
}

HSAKMT_STATUS hsaKmtRegisterMemory(void* MemoryAddress, HSAuint64 MemorySizeInBytes) {
  return hsaKmtRegisterMemoryCtx(Primary(), MemoryAddress, MemorySizeInBytes);
}

HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                          HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  return hsaKmtRegisterMemoryToNodesCtx(Primary(), MemoryAddress, MemorySizeInBytes, NumberOfNodes,
                                        NodeArray);
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                            HsaMemFlags MemFlags) {
  return hsaKmtRegisterMemoryWithFlagsCtx(Primary(), MemoryAddress, MemorySizeInBytes, MemFlags);
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void* MemoryAddress) {
  return hsaKmtDeregisterMemoryCtx(Primary(), MemoryAddress);
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(HSAuint64 GraphicsResourceHandle,
                                                  HsaGraphicsResourceInfo* GraphicsResourceInfo,
                                                  HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  return hsaKmtRegisterGraphicsHandleToNodesCtx(Primary(), GraphicsResourceHandle,
                                                GraphicsResourceInfo, NumberOfNodes, NodeArray);
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodesExt(HSAuint64 GraphicsResourceHandle,
                                                     HsaGraphicsResourceInfo* GraphicsResourceInfo,
                                                     HSAuint64 NumberOfNodes, HSAuint32* NodeArray,
                                                     HSA_REGISTER_MEM_FLAGS RegisterFlags) {
  return hsaKmtRegisterGraphicsHandleToNodesExtCtx(Primary(), GraphicsResourceHandle,
                                                   GraphicsResourceInfo, NumberOfNodes, NodeArray,
                                                   RegisterFlags);
}

HSAKMT_STATUS hsaKmtExportDMABufHandle(void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                       int* DMABufFd, HSAuint64* Offset) {
  return hsaKmtExportDMABufHandleCtx(Primary(), MemoryAddress, MemorySizeInBytes, DMABufFd, Offset);
}

HSAKMT_STATUS hsaKmtShareMemory(void* MemoryAddress, HSAuint64 SizeInBytes,
                                HsaSharedMemoryHandle* SharedMemoryHandle) {
  return hsaKmtShareMemoryCtx(Primary(), MemoryAddress, SizeInBytes, SharedMemoryHandle);
}

HSAKMT_STATUS hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle* SharedMemoryHandle,
                                         void** MemoryAddress, HSAuint64* SizeInBytes) {
  return hsaKmtRegisterSharedHandleCtx(Primary(), SharedMemoryHandle, MemoryAddress, SizeInBytes);
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle* SharedMemoryHandle,
                                                void** MemoryAddress, HSAuint64* SizeInBytes,
                                                HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  return hsaKmtRegisterSharedHandleToNodesCtx(Primary(), SharedMemoryHandle, MemoryAddress,
                                              SizeInBytes, NumberOfNodes, NodeArray);
}

HSAKMT_STATUS hsaKmtMapMemoryToGPU(void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                   HSAuint64* AlternateVAGPU) {
  return hsaKmtMapMemoryToGPUCtx(Primary(), MemoryAddress, MemorySizeInBytes, AlternateVAGPU);
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                        HSAuint64* AlternateVAGPU, HsaMemMapFlags MemMapFlags,
                                        HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  return hsaKmtMapMemoryToGPUNodesCtx(Primary(), MemoryAddress, MemorySizeInBytes, AlternateVAGPU,
                                      MemMapFlags, NumberOfNodes, NodeArray);
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void* MemoryAddress) {
  return hsaKmtUnmapMemoryToGPUCtx(Primary(), MemoryAddress);
}

HSAKMT_STATUS hsaKmtUnmapGraphicHandle(HSAuint32 NodeId, HSAuint64 FlatMemoryAddress,
                                       HSAuint64 SizeInBytes) {
  return hsaKmtUnmapGraphicHandleCtx(Primary(), NodeId, FlatMemoryAddress, SizeInBytes);
}

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void* Pointer, HsaPointerInfo* PointerInfo) {
  if (Broken(Fault::kPlainNullDiffers) && PointerInfo == nullptr) return HSAKMT_STATUS_ERROR;
  return hsaKmtQueryPointerInfoCtx(Primary(), Pointer, PointerInfo);
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void* Pointer, void* UserData) {
  return hsaKmtSetMemoryUserDataCtx(Primary(), Pointer, UserData);
}
