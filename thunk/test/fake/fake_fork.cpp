#include <pthread.h>

#include <set>

#include "thunk/test/fake/fake_kernel.h"

namespace kfdcts::thunk {
namespace {

/// All fake kernels of the process; their locks are held across fork().
struct Forks {
  std::mutex mutex;
  std::set<std::mutex*> locks;
  unsigned generation = 0;
};

Forks& AllForks() {
  static auto* forks = new Forks;  // handlers run to the process' end
  return *forks;
}

void Unlock() {
  for (std::mutex* lock : AllForks().locks) lock->unlock();
  AllForks().mutex.unlock();
}

void Prepare() {
  AllForks().mutex.lock();
  for (std::mutex* lock : AllForks().locks) lock->lock();
}

void InChild() {
  ++AllForks().generation;
  Unlock();
}

}  // namespace

void FakeKernel::FollowForks() {
  static const int installed = pthread_atfork(Prepare, Unlock, InChild);
  static_cast<void>(installed);
  const std::lock_guard lock(AllForks().mutex);
  AllForks().locks.insert(&mutex_);
}

void FakeKernel::ForgetForks() {
  const std::lock_guard lock(AllForks().mutex);
  AllForks().locks.erase(&mutex_);
}

unsigned FakeKernel::ForkGeneration() { return AllForks().generation; }

}  // namespace kfdcts::thunk
