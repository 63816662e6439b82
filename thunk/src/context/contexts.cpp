#include "thunk/src/context/contexts.h"

#include <pthread.h>

#include <algorithm>
#include <functional>
#include <mutex>

#include "thunk/src/fault/fault.h"

namespace kfdcts::thunk {
namespace {

HsaKFDContext* HandleOf(Context* context) { return reinterpret_cast<HsaKFDContext*>(context); }

/// Where a context with this handle is or would be.
template <typename List>
auto LowerBound(List& contexts, HsaKFDContext* handle) {
  return std::lower_bound(contexts.begin(), contexts.end(), handle,
                          [](const std::unique_ptr<Context>& context, HsaKFDContext* wanted) {
                            return std::less<>()(HandleOf(context.get()), wanted);
                          });
}

}  // namespace

Contexts& Contexts::Global() {
  static Contexts& contexts = *[] {
    auto* made = new Contexts(LinuxSystemCalls());
    pthread_atfork([] { Global().BeforeFork(); }, [] { Global().AfterForkInParent(); },
                   [] { Global().AfterForkInChild(); });
    return made;
  }();
  return contexts;
}

HsaKFDContext* Contexts::PrimaryHandle() {
  // An address that is nothing else's: the primary context comes and goes.
  static char primary;
  return reinterpret_cast<HsaKFDContext*>(&primary);
}

HSAKMT_STATUS Contexts::OpenPrimary() {
  const std::unique_lock guard(lock_);
  DropParentsContexts();
  if (open_count_ > 0) {
    ++open_count_;
    return HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
  }
  if (!primary_) {
    if (!primary_render_nodes_) primary_render_nodes_ = std::make_shared<RenderNodes>(calls_, true);
    const HSAKMT_STATUS status = Context::Open(calls_, true, primary_render_nodes_, primary_);
    if (status != HSAKMT_STATUS_SUCCESS) return status;
  }
  open_count_ = 1;
  open_primary_.store(primary_.get(), std::memory_order_release);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Contexts::ClosePrimary() {
  const std::unique_lock guard(lock_);
  if (open_count_ == 0 || in_forked_child_) return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (--open_count_ > 0) return HSAKMT_STATUS_SUCCESS;
  open_primary_.store(nullptr, std::memory_order_release);
  primary_->ReleaseObjects();
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Contexts::OpenSecondary(HsaKFDContext** handle) {
  const std::unique_lock guard(lock_);
  if (open_count_ == 0 || in_forked_child_) return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  std::unique_ptr<Context> opened;
  const HSAKMT_STATUS status =
      Context::Open(calls_, false, std::make_shared<RenderNodes>(calls_, false), opened);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  HsaKFDContext* name = HandleOf(opened.get());
  secondaries_.insert(LowerBound(secondaries_, name), std::move(opened));
  *handle = name;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Contexts::CloseSecondary(HsaKFDContext* handle) {
  const std::unique_lock guard(lock_);
  const auto found = LowerBound(secondaries_, handle);
  if (found == secondaries_.end() || HandleOf(found->get()) != handle) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  if (in_forked_child_) (*found)->AbandonInChild();
  secondaries_.erase(found);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Contexts::Find(HsaKFDContext* handle, Context*& context) const {
  if (open_count_ == 0 || in_forked_child_) {
    return Broken(Fault::kClosedIsError) ? HSAKMT_STATUS_ERROR
                                         : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  }
  if (Broken(Fault::kPlainAsksNewest) && !secondaries_.empty()) {
    handle = HandleOf(secondaries_.back().get());
  }
  if (handle == PrimaryHandle() || Broken(Fault::kContextIgnored)) {
    context = primary_.get();
    return HSAKMT_STATUS_SUCCESS;
  }
  const auto found = LowerBound(secondaries_, handle);
  if (found == secondaries_.end() || HandleOf(found->get()) != handle) {
    return HSAKMT_STATUS_INVALID_PARAMETER;
  }
  context = found->get();
  return HSAKMT_STATUS_SUCCESS;
}

void Contexts::BeforeFork() {
  lock_.lock();
  if (primary_) primary_->memory().LockForFork();
}

void Contexts::AfterForkInParent() {
  if (primary_) primary_->memory().UnlockAfterFork();
  lock_.unlock();
}

void Contexts::AfterForkInChild() {
  if (primary_) primary_->memory().UnlockInChild();
  open_primary_.store(nullptr, std::memory_order_release);
  in_forked_child_ = primary_ != nullptr || primary_render_nodes_ != nullptr;
  if (Broken(Fault::kChildInheritsObjects)) in_forked_child_ = false;
  lock_.unlock_in_child();
}

void Contexts::DropParentsContexts() {
  if (!in_forked_child_) return;
  for (const auto& context : secondaries_) context->AbandonInChild();
  secondaries_.clear();
  if (primary_) primary_->AbandonInChild();
  primary_.reset();
  primary_render_nodes_.reset();
  open_count_ = 0;
  in_forked_child_ = false;
}

}  // namespace kfdcts::thunk
