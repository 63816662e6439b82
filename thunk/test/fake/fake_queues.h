#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/uapi/kfd_compat.h"
#include "thunk/test/fake/fake_machine.h"

namespace kfdcts::thunk {

class FakeProcess;

/// A kfd_process' user queues. Each holds its buffers as long as it lives: mapped at their start,
/// with exactly the size that Linux 7.3 checks.
class FakeQueues {
 public:
  FakeQueues(const FakeMachine& machine, FakeProcess& process)
      : machine_(machine), process_(process) {}

  int Create(std::size_t gpu, kfdcts_create_queue_args& arguments);
  int Update(const kfd_ioctl_update_queue_args& arguments);
  int Destroy(std::uint32_t id);
  int SetCuMask(const kfd_ioctl_set_cu_mask_args& arguments);
  int GetWaveState(kfd_ioctl_get_queue_wave_state_args& arguments) const;
  int AllocGws(kfd_ioctl_alloc_queue_gws_args& arguments);
  std::size_t size() const { return queues_.size(); }

 private:
  struct Piece {
    std::uint64_t address;
    std::uint64_t bytes;
  };
  struct Queue {
    std::size_t gpu = 0;
    std::uint32_t type = 0;
    bool active = false;
    bool gws = false;
    std::vector<Piece> pieces;  ///< the ring is the first
  };

  int CheckProperties(const kfdcts_create_queue_args& arguments) const;
  int CheckEngine(std::size_t gpu, const kfdcts_create_queue_args& arguments) const;
  int PiecesOf(std::size_t gpu, const kfdcts_create_queue_args& arguments,
               std::vector<Piece>& pieces) const;
  int Hold(Queue& queue, const std::vector<Piece>& pieces);
  void LetGo(Queue& queue);
  std::uint32_t FreeId() const;
  Queue* Find(std::uint32_t id);

  const FakeMachine& machine_;
  FakeProcess& process_;
  std::map<std::uint32_t, Queue> queues_;  ///< by id
};

}  // namespace kfdcts::thunk
