// Shared virtual memory, XNACK and the event stream of the system management interface.
#include <cerrno>

#include "thunk/src/api/call.h"
#include "thunk/src/fault/points.h"
#include "thunk/src/kernel/status.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

namespace {

constexpr std::uint32_t kSvmMinorVersion = 5;

/// SVM and XNACK came with one version of the interface.
template <typename Work>
HSAKMT_STATUS CallWithSvm(HsaKFDContext* ctx, Work&& work) {
  return Call(ctx, [&](Context& context) {
    if (context.version().minor_version < kSvmMinorVersion) return HSAKMT_STATUS_NOT_SUPPORTED;
    return work(context);
  });
}

/// XNK-1, XNK-2.
HSAKMT_STATUS XnackStatus(int error) {
  if (error == 0) return HSAKMT_STATUS_SUCCESS;
  if (Broken(Fault::kXnackBusyIsSuccess) && error == -EBUSY) return HSAKMT_STATUS_SUCCESS;
  return error == -EPERM ? HSAKMT_STATUS_NOT_SUPPORTED : HSAKMT_STATUS_ERROR;
}

}  // namespace

HSAKMT_STATUS hsaKmtSVMSetAttrCtx(HsaKFDContext* ctx, void* start_addr, HSAuint64 size,
                                  unsigned int nattr, HSA_SVM_ATTRIBUTE* attrs) {
  return CallWithSvm(ctx, [&](Context& context) {
    if (attrs == nullptr && nattr > 0) return HSAKMT_STATUS_INVALID_PARAMETER;
    fault::Note(Fault::kSvmMemoryIsFound, reinterpret_cast<std::uintptr_t>(start_addr), size);
    HsaPointerInfo info{};
    if (Broken(Fault::kSvmSetNeedsObject) && context.memory().Query(start_addr, &info) != 0) {
      return HSAKMT_STATUS_ERROR;
    }
    return context.svm().Set(start_addr, size, {attrs, nattr});
  });
}

HSAKMT_STATUS hsaKmtSVMGetAttrCtx(HsaKFDContext* ctx, void* start_addr, HSAuint64 size,
                                  unsigned int nattr, HSA_SVM_ATTRIBUTE* attrs) {
  return CallWithSvm(ctx, [&](Context& context) {
    if (attrs == nullptr && nattr > 0) return HSAKMT_STATUS_INVALID_PARAMETER;
    return context.svm().Get(start_addr, size, {attrs, nattr});
  });
}

HSAKMT_STATUS hsaKmtSetXNACKModeCtx(HsaKFDContext* ctx, HSAint32 enable) {
  return CallWithSvm(ctx, [&](Context& context) {
    std::int32_t mode = enable != 0 ? 1 : 0;
    return XnackStatus(context.kfd().SetXnackMode(mode));
  });
}

HSAKMT_STATUS hsaKmtGetXNACKModeCtx(HsaKFDContext* ctx, HSAint32* enable) {
  return CallWithSvm(ctx, [&](Context& context) {
    if (enable == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    std::int32_t mode = -1;  // asks
    const HSAKMT_STATUS status = XnackStatus(context.kfd().SetXnackMode(mode));
    if (status == HSAKMT_STATUS_SUCCESS) *enable = mode;
    return status;
  });
}

HSAKMT_STATUS hsaKmtOpenSMICtx(HsaKFDContext* ctx, HSAuint32 NodeId, int* fd) {
  return Call(ctx, [&](Context& context) {
    if (fd == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    const Gpu* gpu = FindGpu(context.gpus(), NodeId);
    if (gpu == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
    const int stream = context.kfd().OpenSmi(gpu->gpu_id);
    if (stream < 0) return HSAKMT_STATUS_ERROR;
    *fd = stream;
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtSVMSetAttr(void* start_addr, HSAuint64 size, unsigned int nattr,
                               HSA_SVM_ATTRIBUTE* attrs) {
  return hsaKmtSVMSetAttrCtx(Primary(), start_addr, size, nattr, attrs);
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void* start_addr, HSAuint64 size, unsigned int nattr,
                               HSA_SVM_ATTRIBUTE* attrs) {
  return hsaKmtSVMGetAttrCtx(Primary(), start_addr, size, nattr, attrs);
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable) {
  return hsaKmtSetXNACKModeCtx(Primary(), enable);
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32* enable) {
  return hsaKmtGetXNACKModeCtx(Primary(), enable);
}

HSAKMT_STATUS hsaKmtOpenSMI(HSAuint32 NodeId, int* fd) {
  return hsaKmtOpenSMICtx(Primary(), NodeId, fd);
}
