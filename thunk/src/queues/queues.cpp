#include "thunk/src/queues/queues.h"

#include <atomic>

namespace kfdcts::thunk {
namespace {

/// Never 0 and never again, in no context: a stale id must not name another's queue.
HSA_QUEUEID NextId() {
  static std::atomic<HSA_QUEUEID> last{0};
  return ++last;
}

}  // namespace

HSAKMT_STATUS Queues::Find(HSA_QUEUEID id, std::shared_ptr<Queue>& queue) const {
  if (id == 0) return HSAKMT_STATUS_INVALID_PARAMETER;
  const std::lock_guard guard(mutex_);
  const auto found = queues_.find(id);
  if (found == queues_.end()) return HSAKMT_STATUS_INVALID_HANDLE;
  queue = found->second;
  return HSAKMT_STATUS_SUCCESS;
}

/// A new queue among the others, before the kernel has it, so that nothing can fail between the
/// two; it goes again unless it is kept.
class Queues::Entry {
 public:
  Entry(Queues& queues, const std::shared_ptr<Queue>& queue) : queues_(queues) {
    const std::lock_guard guard(queues_.mutex_);
    queues_.queues_.emplace(id_, queue);
  }
  ~Entry() {
    if (kept_) return;
    const std::lock_guard guard(queues_.mutex_);
    queues_.queues_.erase(id_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  HSA_QUEUEID id() const { return id_; }
  void Keep() { kept_ = true; }

 private:
  Queues& queues_;
  const HSA_QUEUEID id_ = NextId();
  bool kept_ = false;
};

HSAKMT_STATUS Queues::Create(const QueueRequest& request, HsaQueueResource& resource) {
  const Gpu* gpu = FindGpu(gpus_, request.node);
  const Node* node = topology_.Find(request.node);
  if (gpu == nullptr || node == nullptr) return HSAKMT_STATUS_INVALID_NODE_UNIT;
  const auto queue = std::make_shared<Queue>(kfd_, memory_, *gpu);
  Entry entry(*this, queue);
  HsaQueueResource filled = resource;
  std::uint64_t doorbell_offset = 0;
  const HSAKMT_STATUS status = queue->Create(request, node->numbers, filled, doorbell_offset);
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  void* const doorbell = doorbells_.Find(*gpu, doorbell_offset, queue->id());
  if (doorbell == nullptr) {
    // A queue that does not go away keeps its memory until a release gets rid of it.
    if (queue->Destroy() != HSAKMT_STATUS_SUCCESS && queue->exists()) entry.Keep();
    return HSAKMT_STATUS_ERROR;
  }
  entry.Keep();
  filled.QueueId = entry.id();
  filled.QueueDoorBell = reinterpret_cast<std::uintptr_t>(doorbell);
  resource = filled;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS Queues::Destroy(HSA_QUEUEID id) {
  std::shared_ptr<Queue> queue;
  if (const HSAKMT_STATUS status = Find(id, queue); status != HSAKMT_STATUS_SUCCESS) return status;
  const HSAKMT_STATUS status = queue->Destroy();
  if (queue->exists()) return status;
  const std::lock_guard guard(mutex_);
  queues_.erase(id);
  return status;
}

std::size_t Queues::Count() const {
  const std::lock_guard guard(mutex_);
  return queues_.size();
}

void Queues::ReleaseAll() {
  std::erase_if(queues_, [](const auto& entry) {
    entry.second->Destroy();
    return !entry.second->exists();
  });
  if (queues_.empty()) doorbells_.Release();
}

void Queues::AbandonInChild() {
  for (auto& [id, queue] : queues_) queue->AbandonInChild();
  queues_.clear();
  doorbells_.AbandonInChild();
}

}  // namespace kfdcts::thunk
