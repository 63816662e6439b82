// User queues.
#include "thunk/src/queues/queues.h"

#include "thunk/src/api/call.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

namespace {

/// Does `work` on a queue of a context that is open.
template <typename Work>
HSAKMT_STATUS CallOn(HsaKFDContext* ctx, HSA_QUEUEID id, Work&& work) {
  return Call(
      ctx, [&](Context& context) { return context.queues().With(id, std::forward<Work>(work)); });
}

}  // namespace

HSAKMT_STATUS hsaKmtReportQueue(HSA_QUEUEID /*QueueId*/, HsaQueueReport* /*QueueReport*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtCreateQueueExtCtx(HsaKFDContext* ctx, HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
                                      HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
                                      HSAuint32 SdmaEngineId, void* QueueAddress,
                                      HSAuint64 QueueSizeInBytes, HsaEvent* Event,
                                      HsaQueueResource* QueueResource) {
  return Call(ctx, [&](Context& context) {
    if (QueueResource == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.queues().Create({.node = NodeId,
                                    .type = Type,
                                    .percentage = QueuePercentage,
                                    .priority = Priority,
                                    .sdma_engine = SdmaEngineId,
                                    .ring = QueueAddress,
                                    .ring_bytes = QueueSizeInBytes,
                                    .event = Event},
                                   *QueueResource);
  });
}

HSAKMT_STATUS hsaKmtCreateQueueCtx(HsaKFDContext* ctx, HSAuint32 NodeId, HSA_QUEUE_TYPE Type,
                                   HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
                                   void* QueueAddress, HSAuint64 QueueSizeInBytes, HsaEvent* Event,
                                   HsaQueueResource* QueueResource) {
  if (Type == HSA_QUEUE_SDMA_BY_ENG_ID) {  // by which, this call cannot say
    return Call(ctx, [](Context& /*context*/) { return HSAKMT_STATUS_ERROR; });
  }
  return hsaKmtCreateQueueExtCtx(ctx, NodeId, Type, QueuePercentage, Priority, 0, QueueAddress,
                                 QueueSizeInBytes, Event, QueueResource);
}

HSAKMT_STATUS hsaKmtUpdateQueueCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                   HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
                                   void* QueueAddress, HSAuint64 QueueSize, HsaEvent* /*Event*/) {
  return CallOn(ctx, QueueId, [&](Queue& queue) {
    return queue.Update(QueuePercentage, Priority, QueueAddress, QueueSize);
  });
}

HSAKMT_STATUS hsaKmtDestroyQueueCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId) {
  return Call(ctx, [&](Context& context) { return context.queues().Destroy(QueueId); });
}

HSAKMT_STATUS hsaKmtSetQueueCUMaskCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                      HSAuint32 CUMaskCount, HSAuint32* QueueCUMask) {
  return CallOn(ctx, QueueId, [&](Queue& queue) {
    if (CUMaskCount == 0 || CUMaskCount % 32 != 0 || QueueCUMask == nullptr) {
      return HSAKMT_STATUS_INVALID_PARAMETER;
    }
    return queue.SetCuMask({QueueCUMask, CUMaskCount / 32});
  });
}

HSAKMT_STATUS hsaKmtGetQueueInfoCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId,
                                    HsaQueueInfo* QueueInfo) {
  return CallOn(ctx, QueueId, [&](Queue& queue) {
    if (QueueInfo == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return queue.Describe(*QueueInfo);
  });
}

HSAKMT_STATUS hsaKmtAllocQueueGWSCtx(HsaKFDContext* ctx, HSA_QUEUEID QueueId, HSAuint32 nGWS,
                                     HSAuint32* firstGWS) {
  return CallOn(ctx, QueueId, [&](Queue& queue) { return queue.AllocateGws(nGWS, firstGWS); });
}

HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 NodeId, HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
                                HSA_QUEUE_PRIORITY Priority, void* QueueAddress,
                                HSAuint64 QueueSizeInBytes, HsaEvent* Event,
                                HsaQueueResource* QueueResource) {
  return hsaKmtCreateQueueCtx(Primary(), NodeId, Type, QueuePercentage, Priority, QueueAddress,
                              QueueSizeInBytes, Event, QueueResource);
}

HSAKMT_STATUS hsaKmtCreateQueueExt(HSAuint32 NodeId, HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
                                   HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId,
                                   void* QueueAddress, HSAuint64 QueueSizeInBytes, HsaEvent* Event,
                                   HsaQueueResource* QueueResource) {
  return hsaKmtCreateQueueExtCtx(Primary(), NodeId, Type, QueuePercentage, Priority, SdmaEngineId,
                                 QueueAddress, QueueSizeInBytes, Event, QueueResource);
}

HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID QueueId, HSAuint32 QueuePercentage,
                                HSA_QUEUE_PRIORITY Priority, void* QueueAddress,
                                HSAuint64 QueueSize, HsaEvent* Event) {
  return hsaKmtUpdateQueueCtx(Primary(), QueueId, QueuePercentage, Priority, QueueAddress,
                              QueueSize, Event);
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID QueueId) {
  return hsaKmtDestroyQueueCtx(Primary(), QueueId);
}

HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID QueueId, HSAuint32 CUMaskCount,
                                   HSAuint32* QueueCUMask) {
  return hsaKmtSetQueueCUMaskCtx(Primary(), QueueId, CUMaskCount, QueueCUMask);
}

HSAKMT_STATUS hsaKmtGetQueueInfo(HSA_QUEUEID QueueId, HsaQueueInfo* QueueInfo) {
  return hsaKmtGetQueueInfoCtx(Primary(), QueueId, QueueInfo);
}

HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID QueueId, HSAuint32 nGWS, HSAuint32* firstGWS) {
  return hsaKmtAllocQueueGWSCtx(Primary(), QueueId, nGWS, firstGWS);
}
