// Performance counters, streaming counters, PC sampling: not supported.
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"

HSAKMT_STATUS hsaKmtPmcGetCounterProperties(HSAuint32 /*NodeId*/,
                                            HsaCounterProperties** /*CounterProperties*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcGetCounterPropertiesCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                               HsaCounterProperties** /*CounterProperties*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcRegisterTrace(HSAuint32 /*NodeId*/, HSAuint32 /*NumberOfCounters*/,
                                     HsaCounter* /*Counters*/, HsaPmcTraceRoot* /*TraceRoot*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcRegisterTraceCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                        HSAuint32 /*NumberOfCounters*/, HsaCounter* /*Counters*/,
                                        HsaPmcTraceRoot* /*TraceRoot*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcUnregisterTrace(HSAuint32 /*NodeId*/, HSATraceId /*TraceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcUnregisterTraceCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                          HSATraceId /*TraceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcAcquireTraceAccess(HSAuint32 /*NodeId*/, HSATraceId /*TraceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcAcquireTraceAccessCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                             HSATraceId /*TraceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcReleaseTraceAccess(HSAuint32 /*NodeId*/, HSATraceId /*TraceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcReleaseTraceAccessCtx(HsaKFDContext* /*ctx*/, HSAuint32 /*NodeId*/,
                                             HSATraceId /*TraceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcStartTrace(HSATraceId /*TraceId*/, void* /*TraceBuffer*/,
                                  HSAuint64 /*TraceBufferSizeBytes*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcQueryTrace(HSATraceId /*TraceId*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtPmcStopTrace(HSATraceId /*TraceId*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtSPMAcquire(HSAuint32 /*PreferredNode*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtSPMRelease(HSAuint32 /*PreferredNode*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtSPMSetDestBuffer(HSAuint32 /*PreferredNode*/, HSAuint32 /*SizeInBytes*/,
                                     HSAuint32* /*timeout*/, HSAuint32* /*SizeCopied*/,
                                     void* /*DestMemoryAddress*/, bool* /*isSPMDataLoss*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPcSamplingSupport() { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtPcSamplingQueryCapabilities(HSAuint32 /*NodeId*/, void* /*sample_info*/,
                                                HSAuint32 /*sample_info_sz*/,
                                                HSAuint32* /*sz_needed*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPcSamplingCreate(HSAuint32 /*node_id*/, HsaPcSamplingInfo* /*sample_info*/,
                                     HsaPcSamplingTraceId* /*traceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPcSamplingDestroy(HSAuint32 /*NodeId*/, HsaPcSamplingTraceId /*traceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPcSamplingStart(HSAuint32 /*NodeId*/, HsaPcSamplingTraceId /*traceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPcSamplingStop(HSAuint32 /*NodeId*/, HsaPcSamplingTraceId /*traceId*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
