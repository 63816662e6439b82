#pragma once

#include "harness/thunk/thunk.h"
#include "suites/support/pointer_info.h"

namespace kfdcts::suites {

/// The primary context by its `…Ctx` calls; KFD is open before. Construction throws ThunkFailure.
class PrimaryContext {
 public:
  explicit PrimaryContext(const harness::ThunkApi& thunk);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

  HsaKFDContext* get() const { return context_; }

 private:
  const harness::ThunkApi& thunk_;
  HsaKFDContext* context_ = nullptr;
};

/// A further context, closed in the end. Construction throws ThunkFailure.
class SecondaryContext {
 public:
  explicit SecondaryContext(const harness::ThunkApi& thunk);
  ~SecondaryContext();
  SecondaryContext(const SecondaryContext&) = delete;
  SecondaryContext& operator=(const SecondaryContext&) = delete;

  HsaKFDContext* get() const { return context_; }

  /// Closes it now; the destructor does not again.
  HSAKMT_STATUS Close();

 private:
  const harness::ThunkApi& thunk_;
  HsaKFDContext* context_ = nullptr;
};

/// Memory of a context, unmapped and freed in the end. Construction throws ThunkFailure.
class ContextAllocation {
 public:
  ContextAllocation(const harness::ThunkApi& thunk, HsaKFDContext* context, HSAuint32 node,
                    std::size_t size, HsaMemFlags flags);
  ~ContextAllocation();
  ContextAllocation(const ContextAllocation&) = delete;
  ContextAllocation& operator=(const ContextAllocation&) = delete;

  void* address() const { return address_; }
  std::size_t size() const { return size_; }

  /// Maps it to `nodes`. Throws ThunkFailure.
  void Map(std::vector<HSAuint32> nodes) const;

 private:
  const harness::ThunkApi& thunk_;
  HsaKFDContext* context_;
  void* address_ = nullptr;
  std::size_t size_;
};

}  // namespace kfdcts::suites
