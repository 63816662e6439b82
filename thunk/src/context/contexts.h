#pragma once

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "hsakmt/hsakmtctx.h"
#include "thunk/src/context/context.h"
#include "thunk/src/context/sharded_lock.h"
#include "thunk/src/fault/fault.h"

namespace kfdcts::thunk {

/// The contexts of a process: the primary one, which opens count, and further ones. Any thread may
/// call. A forked child starts with nothing open.
class Contexts {
 public:
  explicit Contexts(SystemCalls& calls) : calls_(calls) {}
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  /// The process's own, on the real kernel, with a fork handler. Never destroyed: a thread may be
  /// in a call when the process ends.
  static Contexts& Global();

  /// What names the primary context, open or not.
  static HsaKFDContext* PrimaryHandle();

  /// KERNEL_ALREADY_OPENED where it was open: it counts all the same.
  HSAKMT_STATUS OpenPrimary();
  HSAKMT_STATUS ClosePrimary();
  /// `*handle` is written on success only.
  HSAKMT_STATUS OpenSecondary(HsaKFDContext** handle);
  HSAKMT_STATUS CloseSecondary(HsaKFDContext* handle);

  /// Calls work(Context&) while nothing is opened, closed or forked, and answers what it returns.
  /// KERNEL_IO_CHANNEL_NOT_OPENED where the primary context is not open; INVALID_PARAMETER where
  /// `handle` is no context.
  template <typename Work>
  HSAKMT_STATUS With(HsaKFDContext* handle, Work&& work) {
    const std::shared_lock guard(lock_);
    Context* context = nullptr;
    const HSAKMT_STATUS status = Find(handle, context);
    return status == HSAKMT_STATUS_SUCCESS ? work(*context) : status;
  }

  /// The same for questions that memory().Query() and SetUserData() answer, which have a lock of
  /// their own: on the primary context they need no other.
  template <typename Work>
  HSAKMT_STATUS Ask(HsaKFDContext* handle, Work&& work) {
    if (handle == PrimaryHandle() && !Broken(Fault::kPlainAsksNewest)) {
      // The object stays when it is closed, so that one who comes too late finds it empty.
      if (Context* context = open_primary_.load(std::memory_order_acquire)) return work(*context);
    }
    return With(handle, std::forward<Work>(work));
  }

  /// Around fork(): no call is half done when the child's memory is copied.
  void BeforeFork();
  void AfterForkInParent();
  void AfterForkInChild();

 private:
  HSAKMT_STATUS Find(HsaKFDContext* handle, Context*& context) const;
  void DropParentsContexts();

  SystemCalls& calls_;
  ShardedLock lock_;
  /// Kept over the last close, since the kernel keeps the process's events page and VMs, too.
  std::unique_ptr<Context> primary_;
  std::atomic<Context*> open_primary_{nullptr};  ///< primary_ while it is open, else null.
  std::shared_ptr<RenderNodes> primary_render_nodes_;
  unsigned long open_count_ = 0;
  std::vector<std::unique_ptr<Context>> secondaries_;  ///< By address.
  bool in_forked_child_ = false;
};

}  // namespace kfdcts::thunk
