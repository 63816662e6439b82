// The hsaKmt API for several contexts in one process.
//
// A context is a connection to the driver with memory, queues and events of its own; nothing of one
// is known in another. The calls of hsakmt.h work on the primary context; each call here is the
// call of the same name there, on the context that it is given. Signatures as in ROCm's hsakmtctx.h
// of 2025.
#pragma once

#include "hsakmttypes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kfd_ioctl_dbg_trap_args;  // of linux/kfd_ioctl.h

// NOLINTNEXTLINE(bugprone-reserved-identifier,modernize-use-using): name that callers rely on
typedef struct _HsaKFDContext HsaKFDContext;

// Opens the primary context, as hsaKmtOpenKFD; *pCtx gets it also when it was open
// (KERNEL_ALREADY_OPENED), and is not written on failure.
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenKFDCtx(HsaKFDContext** pCtx);
HSAKMT_STATUS HSAKMTAPI hsaKmtCloseKFDCtx(void);
// A further context; needs an open primary one and a kernel with AMDKFD_IOC_CREATE_PROCESS.
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenSecondaryKFDCtx(HsaKFDContext** pCtx);
HSAKMT_STATUS HSAKMTAPI hsaKmtCloseSecondaryKFDCtx(HsaKFDContext* ctx);

HSAKMT_STATUS HSAKMTAPI hsaKmtAcquireSystemPropertiesCtx(HsaKFDContext* ctx,
                                                         HsaSystemProperties* SystemProperties);
HSAKMT_STATUS HSAKMTAPI hsaKmtReleaseSystemPropertiesCtx(HsaKFDContext* ctx);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodePropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                   HsaNodeProperties* NodeProperties);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeMemoryPropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                         HSAuint32 NumBanks,
                                                         HsaMemoryProperties* MemoryProperties);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeCachePropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                        HSAuint32 ProcessorId, HSAuint32 NumCaches,
                                                        HsaCacheProperties* CacheProperties);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetNodeIoLinkPropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                         HSAuint32 NumIoLinks,
                                                         HsaIoLinkProperties* IoLinkProperties);
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateEventCtx(HsaKFDContext* ctx, HsaEventDescriptor* EventDesc,
                                             bool ManualReset, bool IsSignaled, HsaEvent** Event);
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyEventCtx(HsaKFDContext* ctx, HsaEvent* Event);
HSAKMT_STATUS HSAKMTAPI hsaKmtSetEventCtx(HsaKFDContext* ctx, HsaEvent* Event);
HSAKMT_STATUS HSAKMTAPI hsaKmtResetEventCtx(HsaKFDContext* ctx, HsaEvent* Event);
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryEventStateCtx(HsaKFDContext* ctx, HsaEvent* Event);
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEventCtx(HsaKFDContext* ctx, HsaEvent* Event,
                                             HSAuint32 Milliseconds);
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnEvent_ExtCtx(HsaKFDContext* ctx, HsaEvent* Event,
                                                 HSAuint32 Milliseconds, uint64_t* event_age);
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEventsCtx(HsaKFDContext* ctx, HsaEvent* Events[],
                                                      HSAuint32 NumEvents, bool WaitOnAll,
                                                      HSAuint32 Milliseconds);
HSAKMT_STATUS HSAKMTAPI hsaKmtWaitOnMultipleEvents_ExtCtx(HsaKFDContext* ctx, HsaEvent* Events[],
                                                          HSAuint32 NumEvents, bool WaitOnAll,
                                                          HSAuint32 Milliseconds,
                                                          uint64_t* event_age);
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                             HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
                                             HSA_QUEUE_PRIORITY Priority, void* QueueAddress,
                                             HSAuint64 QueueSizeInBytes, HsaEvent* Event,
                                             HsaQueueResource* QueueResource);
HSAKMT_STATUS HSAKMTAPI hsaKmtCreateQueueExtCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
                                                HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId,
                                                void* QueueAddress, HSAuint64 QueueSizeInBytes,
                                                HsaEvent* Event, HsaQueueResource* QueueResource);
HSAKMT_STATUS HSAKMTAPI hsaKmtUpdateQueueCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                             HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
                                             void* QueueAddress, HSAuint64 QueueSize,
                                             HsaEvent* Event);
HSAKMT_STATUS HSAKMTAPI hsaKmtDestroyQueueCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId);
HSAKMT_STATUS HSAKMTAPI hsaKmtSetQueueCUMaskCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                                HSAuint32 CUMaskCount, HSAuint32* QueueCUMask);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetQueueInfoCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                              HsaQueueInfo* QueueInfo);
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocQueueGWSCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                               HSAuint32 nGWS, HSAuint32* firstGWS);
HSAKMT_STATUS HSAKMTAPI hsaKmtSetTrapHandlerCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                void* TrapHandlerBaseAddress,
                                                HSAuint64 TrapHandlerSizeInBytes,
                                                void* TrapBufferBaseAddress,
                                                HSAuint64 TrapBufferSizeInBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryPolicyCtx(HsaKFDContext* ctx, HSAuint32 Node,
                                                 HSAuint32 DefaultPolicy, HSAuint32 AlternatePolicy,
                                                 void* MemoryAddressAlternate,
                                                 HSAuint64 MemorySizeInBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemoryCtx(HsaKFDContext* ctx, HSAuint32 PreferredNode,
                                             HSAuint64 SizeInBytes, HsaMemFlags MemFlags,
                                             void** MemoryAddress);
HSAKMT_STATUS HSAKMTAPI hsaKmtAllocMemoryAlignCtx(HsaKFDContext* ctx, HSAuint32 PreferredNode,
                                                  HSAuint64 SizeInBytes, HSAuint64 Alignment,
                                                  HsaMemFlags MemFlags, void** MemoryAddress);
HSAKMT_STATUS HSAKMTAPI hsaKmtFreeMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                            HSAuint64 SizeInBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtAvailableMemoryCtx(HsaKFDContext* ctx, HSAuint32 Node,
                                                 HSAuint64* AvailableBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                                HSAuint64 MemorySizeInBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryToNodesCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                                       HSAuint64 MemorySizeInBytes,
                                                       HSAuint64 NumberOfNodes,
                                                       HSAuint32* NodeArray);
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterMemoryWithFlagsCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                                         HSAuint64 MemorySizeInBytes,
                                                         HsaMemFlags MemFlags);
HSAKMT_STATUS HSAKMTAPI hsaKmtDeregisterMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress);
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterGraphicsHandleToNodesCtx(
    HsaKFDContext* ctx, HSAuint64 GraphicsResourceHandle,
    HsaGraphicsResourceInfo* GraphicsResourceInfo, HSAuint64 NumberOfNodes, HSAuint32* NodeArray);
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterGraphicsHandleToNodesExtCtx(
    HsaKFDContext* ctx, HSAuint64 GraphicsResourceHandle,
    HsaGraphicsResourceInfo* GraphicsResourceInfo, HSAuint64 NumberOfNodes, HSAuint32* NodeArray,
    HSA_REGISTER_MEM_FLAGS RegisterFlags);
HSAKMT_STATUS HSAKMTAPI hsaKmtExportDMABufHandleCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                                    HSAuint64 MemorySizeInBytes, int* DMABufFd,
                                                    HSAuint64* Offset);
HSAKMT_STATUS HSAKMTAPI hsaKmtShareMemoryCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                             HSAuint64 SizeInBytes,
                                             HsaSharedMemoryHandle* SharedMemoryHandle);
HSAKMT_STATUS HSAKMTAPI
hsaKmtRegisterSharedHandleCtx(HsaKFDContext* ctx, const HsaSharedMemoryHandle* SharedMemoryHandle,
                              void** MemoryAddress, HSAuint64* SizeInBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtRegisterSharedHandleToNodesCtx(
    HsaKFDContext* ctx, const HsaSharedMemoryHandle* SharedMemoryHandle, void** MemoryAddress,
    HSAuint64* SizeInBytes, HSAuint64 NumberOfNodes, HSAuint32* NodeArray);
HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPUCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                                HSAuint64 MemorySizeInBytes,
                                                HSAuint64* AlternateVAGPU);
HSAKMT_STATUS HSAKMTAPI hsaKmtMapMemoryToGPUNodesCtx(HsaKFDContext* ctx, void* MemoryAddress,
                                                     HSAuint64 MemorySizeInBytes,
                                                     HSAuint64* AlternateVAGPU,
                                                     HsaMemMapFlags MemMapFlags,
                                                     HSAuint64 NumberOfNodes, HSAuint32* NodeArray);
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapMemoryToGPUCtx(HsaKFDContext* ctx, void* MemoryAddress);
HSAKMT_STATUS HSAKMTAPI hsaKmtUnmapGraphicHandleCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                    HSAuint64 FlatMemoryAddress,
                                                    HSAuint64 SizeInBytes);
HSAKMT_STATUS HSAKMTAPI hsaKmtQueryPointerInfoCtx(HsaKFDContext* ctx, const void* Pointer,
                                                  HsaPointerInfo* PointerInfo);
HSAKMT_STATUS HSAKMTAPI hsaKmtSetMemoryUserDataCtx(HsaKFDContext* ctx, const void* Pointer,
                                                   void* UserData);
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMSetAttrCtx(HsaKFDContext* ctx, void* start_addr, HSAuint64 size,
                                            unsigned int nattr, HSA_SVM_ATTRIBUTE* attrs);
HSAKMT_STATUS HSAKMTAPI hsaKmtSVMGetAttrCtx(HsaKFDContext* ctx, void* start_addr, HSAuint64 size,
                                            unsigned int nattr, HSA_SVM_ATTRIBUTE* attrs);
HSAKMT_STATUS HSAKMTAPI hsaKmtSetXNACKModeCtx(HsaKFDContext* ctx, HSAint32 enable);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetXNACKModeCtx(HsaKFDContext* ctx, HSAint32* enable);
HSAKMT_STATUS HSAKMTAPI hsaKmtOpenSMICtx(HsaKFDContext* ctx, HSAuint32 NodeId, int* fd);
HSAKMT_STATUS HSAKMTAPI hsaKmtReplaceAsanHeaderPageCtx(HsaKFDContext* ctx, void* addr);
HSAKMT_STATUS HSAKMTAPI hsaKmtReturnAsanHeaderPageCtx(HsaKFDContext* ctx, void* addr);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetAMDGPUDeviceHandleCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                       HsaAMDGPUDeviceHandle* DeviceHandle);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetClockCountersCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                  HsaClockCounters* Counters);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetTileConfigCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                               HsaGpuTileConfig* config);
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeEnableCtx(HsaKFDContext* ctx, void* rDebug, bool setupTtmp);
HSAKMT_STATUS HSAKMTAPI hsaKmtRuntimeDisableCtx(HsaKFDContext* ctx);
HSAKMT_STATUS HSAKMTAPI hsaKmtGetRuntimeCapabilitiesCtx(HsaKFDContext* ctx, HSAuint32* caps_mask);
HSAKMT_STATUS HSAKMTAPI hsaKmtCheckRuntimeDebugSupportCtx(HsaKFDContext* ctx);
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgEnableCtx(HsaKFDContext* ctx, void** runtime_info,
                                           HSAuint32* data_size);
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgDisableCtx(HsaKFDContext* ctx);
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgGetDeviceDataCtx(HsaKFDContext* ctx, void** data,
                                                  HSAuint32* n_entries, HSAuint32* entry_size);
HSAKMT_STATUS HSAKMTAPI hsaKmtDbgGetQueueDataCtx(HsaKFDContext* ctx, void** data,
                                                 HSAuint32* n_entries, HSAuint32* entry_size,
                                                 bool suspend_queues);
HSAKMT_STATUS HSAKMTAPI hsaKmtDebugTrapIoctlCtx(HsaKFDContext* ctx,
                                                struct kfd_ioctl_dbg_trap_args* arg,
                                                HSA_QUEUEID* Queues, HSAuint64* DebugReturn);
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcGetCounterPropertiesCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                         HsaCounterProperties** CounterProperties);
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcRegisterTraceCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                  HSAuint32 NumberOfCounters, HsaCounter* Counters,
                                                  HsaPmcTraceRoot* TraceRoot);
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcUnregisterTraceCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                    HSATraceId TraceId);
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcAcquireTraceAccessCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                       HSATraceId TraceId);
HSAKMT_STATUS HSAKMTAPI hsaKmtPmcReleaseTraceAccessCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                                       HSATraceId TraceId);

#ifdef __cplusplus
}
#endif
