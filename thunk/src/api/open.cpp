// Opening and closing, and the kernel's version.
#include "thunk/src/api/call.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

HSAKMT_STATUS hsaKmtOpenKFDCtx(HsaKFDContext** pCtx) {
  return Guarded([&] {
    if (pCtx == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    const HSAKMT_STATUS status = Contexts::Global().OpenPrimary();
    if (status == HSAKMT_STATUS_SUCCESS || status == HSAKMT_STATUS_KERNEL_ALREADY_OPENED) {
      *pCtx = Primary();
    }
    return status;
  });
}

HSAKMT_STATUS hsaKmtOpenKFD() {
  HsaKFDContext* primary = nullptr;
  return hsaKmtOpenKFDCtx(&primary);
}

HSAKMT_STATUS hsaKmtCloseKFDCtx() {
  return Guarded([] { return Contexts::Global().ClosePrimary(); });
}

HSAKMT_STATUS hsaKmtCloseKFD() { return hsaKmtCloseKFDCtx(); }

HSAKMT_STATUS hsaKmtOpenSecondaryKFDCtx(HsaKFDContext** pCtx) {
  return Guarded([&] {
    if (pCtx == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    return Contexts::Global().OpenSecondary(pCtx);
  });
}

HSAKMT_STATUS hsaKmtCloseSecondaryKFDCtx(HsaKFDContext* ctx) {
  return Guarded([&] { return Contexts::Global().CloseSecondary(ctx); });
}

HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo* VersionInfo) {
  return Call(Primary(), [&](Context& context) {
    if (VersionInfo == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    *VersionInfo = {.KernelInterfaceMajorVersion = context.version().major_version,
                    .KernelInterfaceMinorVersion = context.version().minor_version};
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtModelEnabled(bool* enable) {
  if (enable == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
  *enable = false;  // the kernel is always a real one
  return HSAKMT_STATUS_SUCCESS;
}
