// Queues: not implemented yet.
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"

HSAKMT_STATUS hsaKmtReportQueue(HSA_QUEUEID /*QueueId*/, HsaQueueReport* /*QueueReport*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 /*NodeId*/, HSA_QUEUE_TYPE /*Type*/,
                                HSAuint32 /*QueuePercentage*/, HSA_QUEUE_PRIORITY /*Priority*/,
                                void* /*QueueAddress*/, HSAuint64 /*QueueSizeInBytes*/,
                                HsaEvent* /*Event*/, HsaQueueResource* /*QueueResource*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtCreateQueueCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                   HSA_QUEUE_TYPE /*Type*/, HSAuint32 /*QueuePercentage*/,
                                   HSA_QUEUE_PRIORITY /*Priority*/, void* /*QueueAddress*/,
                                   HSAuint64 /*QueueSizeInBytes*/, HsaEvent* /*Event*/,
                                   HsaQueueResource* /*QueueResource*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtCreateQueueExt(HSAuint32 /*NodeId*/, HSA_QUEUE_TYPE /*Type*/,
                                   HSAuint32 /*QueuePercentage*/, HSA_QUEUE_PRIORITY /*Priority*/,
                                   HSAuint32 /*SdmaEngineId*/, void* /*QueueAddress*/,
                                   HSAuint64 /*QueueSizeInBytes*/, HsaEvent* /*Event*/,
                                   HsaQueueResource* /*QueueResource*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtCreateQueueExtCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                      HSA_QUEUE_TYPE /*Type*/, HSAuint32 /*QueuePercentage*/,
                                      HSA_QUEUE_PRIORITY /*Priority*/, HSAuint32 /*SdmaEngineId*/,
                                      void* /*QueueAddress*/, HSAuint64 /*QueueSizeInBytes*/,
                                      HsaEvent* /*Event*/, HsaQueueResource* /*QueueResource*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID /*QueueId*/, HSAuint32 /*QueuePercentage*/,
                                HSA_QUEUE_PRIORITY /*Priority*/, void* /*QueueAddress*/,
                                HSAuint64 /*QueueSize*/, HsaEvent* /*Event*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtUpdateQueueCtx(HsaKFDContext* /*ctx*/, HSA_QUEUEID /*QueueId*/,
                                   HSAuint32 /*QueuePercentage*/, HSA_QUEUE_PRIORITY /*Priority*/,
                                   void* /*QueueAddress*/, HSAuint64 /*QueueSize*/,
                                   HsaEvent* /*Event*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID /*QueueId*/) { return HSAKMT_STATUS_NOT_IMPLEMENTED; }

HSAKMT_STATUS hsaKmtDestroyQueueCtx(HsaKFDContext* /*ctx*/, HSA_QUEUEID /*QueueId*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID /*QueueId*/, HSAuint32 /*CUMaskCount*/,
                                   HSAuint32* /*QueueCUMask*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtSetQueueCUMaskCtx(HsaKFDContext* /*ctx*/, HSA_QUEUEID /*QueueId*/,
                                      HSAuint32 /*CUMaskCount*/, HSAuint32* /*QueueCUMask*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtGetQueueInfo(HSA_QUEUEID /*QueueId*/, HsaQueueInfo* /*QueueInfo*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtGetQueueInfoCtx(HsaKFDContext* /*ctx*/, HSA_QUEUEID /*QueueId*/,
                                    HsaQueueInfo* /*QueueInfo*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID /*QueueId*/, HSAuint32 /*nGWS*/,
                                  HSAuint32* /*firstGWS*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}

HSAKMT_STATUS hsaKmtAllocQueueGWSCtx(HsaKFDContext* /*ctx*/, HSA_QUEUEID /*QueueId*/,
                                     HSAuint32 /*nGWS*/, HSAuint32* /*firstGWS*/) {
  return HSAKMT_STATUS_NOT_IMPLEMENTED;
}
