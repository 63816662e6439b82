#include "suites/support/context.h"

#include <utility>

#include "suites/support/status.h"

namespace kfdcts::suites {

PrimaryContext::PrimaryContext(const harness::ThunkApi& thunk) : thunk_(thunk) {
  const HSAKMT_STATUS status = thunk.hsaKmtOpenKFDCtx(&context_);
  if (status != HSAKMT_STATUS_KERNEL_ALREADY_OPENED) Check("hsaKmtOpenKFDCtx", status);
  if (context_ == nullptr) throw std::runtime_error("hsaKmtOpenKFDCtx gives no context");
}

PrimaryContext::~PrimaryContext() { thunk_.hsaKmtCloseKFDCtx(); }

SecondaryContext::SecondaryContext(const harness::ThunkApi& thunk) : thunk_(thunk) {
  Check("hsaKmtOpenSecondaryKFDCtx", thunk.hsaKmtOpenSecondaryKFDCtx(&context_));
  if (context_ == nullptr) throw std::runtime_error("hsaKmtOpenSecondaryKFDCtx gives no context");
}

SecondaryContext::~SecondaryContext() {
  if (context_ != nullptr) Close();
}

HSAKMT_STATUS SecondaryContext::Close() {
  return thunk_.hsaKmtCloseSecondaryKFDCtx(std::exchange(context_, nullptr));
}

ContextAllocation::ContextAllocation(const harness::ThunkApi& thunk, HsaKFDContext* context,
                                     HSAuint32 node, std::size_t size, HsaMemFlags flags)
    : thunk_(thunk), context_(context), size_(size) {
  Check("hsaKmtAllocMemoryCtx", thunk.hsaKmtAllocMemoryCtx(context, node, size, flags, &address_));
}

ContextAllocation::~ContextAllocation() {
  thunk_.hsaKmtUnmapMemoryToGPUCtx(context_, address_);  // fails where nothing is mapped
  thunk_.hsaKmtFreeMemoryCtx(context_, address_, size_);
}

void ContextAllocation::Map(std::vector<HSAuint32> nodes) const {
  HSAuint64 gpu_address = 0;
  Check("hsaKmtMapMemoryToGPUNodesCtx",
        thunk_.hsaKmtMapMemoryToGPUNodesCtx(context_, address_, size_, &gpu_address,
                                            HsaMemMapFlags{}, nodes.size(), nodes.data()));
}

}  // namespace kfdcts::suites
