// Debugging: not supported.
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"

HSAKMT_STATUS hsaKmtDbgRegister(HSAuint32 /*NodeId*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtDbgUnregister(HSAuint32 /*NodeId*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtDbgWavefrontControl(HSAuint32 /*NodeId*/, HSA_DBG_WAVEOP /*Operand*/,
                                        HSA_DBG_WAVEMODE /*Mode*/, HSAuint32 /*TrapId*/,
                                        HsaDbgWaveMessage* /*DbgWaveMsgRing*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgAddressWatch(HSAuint32 /*NodeId*/, HSAuint32 /*NumWatchPoints*/,
                                    HSA_DBG_WATCH_MODE /*WatchMode*/[], void* /*WatchAddress*/[],
                                    HSAuint64 /*WatchMask*/[], HsaEvent* /*WatchEvent*/[]) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeEnable(void* /*rDebug*/, bool /*setupTtmp*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeEnableCtx(HsaKFDContext* /*ctx*/, void* /*rDebug*/, bool /*setupTtmp*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeDisable() { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtRuntimeDisableCtx(HsaKFDContext* /*ctx*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(HSAuint32* /*caps_mask*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetRuntimeCapabilitiesCtx(HsaKFDContext* /*ctx*/, HSAuint32* /*caps_mask*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtCheckRuntimeDebugSupport() { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtCheckRuntimeDebugSupportCtx(HsaKFDContext* /*ctx*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32* /*Major*/, HSAuint32* /*Minor*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgEnable(void** /*runtime_info*/, HSAuint32* /*data_size*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgEnableCtx(HsaKFDContext* /*ctx*/, void** /*runtime_info*/,
                                 HSAuint32* /*data_size*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgDisable() { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtDbgDisableCtx(HsaKFDContext* /*ctx*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtDbgGetDeviceData(void** /*data*/, HSAuint32* /*n_entries*/,
                                     HSAuint32* /*entry_size*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgGetDeviceDataCtx(HsaKFDContext* /*ctx*/, void** /*data*/,
                                        HSAuint32* /*n_entries*/, HSAuint32* /*entry_size*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgGetQueueData(void** /*data*/, HSAuint32* /*n_entries*/,
                                    HSAuint32* /*entry_size*/, bool /*suspend_queues*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgGetQueueDataCtx(HsaKFDContext* /*ctx*/, void** /*data*/,
                                       HSAuint32* /*n_entries*/, HSAuint32* /*entry_size*/,
                                       bool /*suspend_queues*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDebugTrapIoctl(struct kfd_ioctl_dbg_trap_args* /*arg*/, HSA_QUEUEID* /*Queues*/,
                                   HSAuint64* /*DebugReturn*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDebugTrapIoctlCtx(HsaKFDContext* /*ctx*/,
                                      struct kfd_ioctl_dbg_trap_args* /*arg*/,
                                      HSA_QUEUEID* /*Queues*/, HSAuint64* /*DebugReturn*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
