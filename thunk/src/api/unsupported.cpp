// What is left of the API and not supported.
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"

HSAKMT_STATUS hsaKmtProcessVMRead(HSAuint32 /*Pid*/, HsaMemoryRange* /*LocalMemoryArray*/,
                                  HSAuint64 /*LocalMemoryArrayCount*/,
                                  HsaMemoryRange* /*RemoteMemoryArray*/,
                                  HSAuint64 /*RemoteMemoryArrayCount*/, HSAuint64* /*SizeCopied*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtProcessVMWrite(HSAuint32 /*Pid*/, HsaMemoryRange* /*LocalMemoryArray*/,
                                   HSAuint64 /*LocalMemoryArrayCount*/,
                                   HsaMemoryRange* /*RemoteMemoryArray*/,
                                   HSAuint64 /*RemoteMemoryArrayCount*/,
                                   HSAuint64* /*SizeCopied*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtMapGraphicHandle(HSAuint32 /*NodeId*/, HSAuint64 /*GraphicDeviceHandle*/,
                                     HSAuint64 /*GraphicResourceHandle*/,
                                     HSAuint64 /*GraphicResourceOffset*/,
                                     HSAuint64 /*GraphicResourceSize*/,
                                     HSAuint64* /*FlatMemoryAddress*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtReplaceAsanHeaderPage(void* /*addr*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtReplaceAsanHeaderPageCtx(HsaKFDContext* /*ctx*/, void* /*addr*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtReturnAsanHeaderPage(void* /*addr*/) { return HSAKMT_STATUS_NOT_SUPPORTED; }

HSAKMT_STATUS hsaKmtReturnAsanHeaderPageCtx(HsaKFDContext* /*ctx*/, void* /*addr*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtAisReadWriteFile(void* /*MemoryAddress*/, HSAuint64 /*MemorySizeInBytes*/,
                                     HSAint32 /*fd*/, HSAint64 /*file_offset*/,
                                     HsaAisFlags /*AisFlags*/, HSAuint64* /*SizeCopiedInBytes*/,
                                     HSAint32* /*status*/) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
