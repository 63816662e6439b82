#include "suites/races/race_test.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace kfdcts::suites {
namespace {

/// A ring of the driver's own that does not get on.
bool DriverWaits(const harness::DirectorQueue& queue) {
  return queue.vmid == 0 && queue.kind == "sdma" && queue.state == "waiting";
}

/// The letter in the thread's /proc/…/stat; 0 where there is none. Asks for no memory.
char StateOfThread(pid_t thread) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/stat", thread);
  const gpu::UniqueFd file(open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  const ssize_t length = file.valid() ? read(file.get(), text.data(), text.size()) : 0;
  const std::string_view line(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const std::size_t name_end = line.rfind(')');  // of "(name) D …"
  return name_end == line.npos || name_end + 2 >= line.size() ? '\0' : line[name_end + 2];
}

/// Makes the heap large enough for a test, so that this thread's allocations do not ask the kernel
/// for more in the middle of a race.
void KeepHeap() {
  constexpr int kBytes = 16 << 20;
  mallopt(M_TRIM_THRESHOLD, 2 * kBytes);
  mallopt(M_TOP_PAD, kBytes);
  mallopt(M_MMAP_THRESHOLD, kBytes);
  mallopt(M_ARENA_MAX, 1);  // for the threads, too
  const std::vector<char> touched(kBytes / 2, 1);
}

}  // namespace

Aside::Aside(std::function<void()> body)
    : body_(std::move(body)), thread_([this] {
        thread_id_ = gettid();
        begin_.Wait();
        if (wanted_) body_();
        ended_ = true;
      }) {}

Aside::~Aside() {
  begin_.Open();
  thread_.join();
}

void Aside::Start() {
  wanted_ = true;
  begin_.Open();
}

bool Aside::Blocks() const {
  return gpu::WaitUntil([this] { return !ended_ && StateOfThread(thread_id_) == 'D'; });
}

bool Aside::Ends(const gpu::Deadline& deadline) const {
  return gpu::WaitUntil([this] { return ended_.load(); }, deadline);
}

Director& RaceTest::Device(std::size_t index) {
  if (devices_.empty()) KeepHeap();
  if (devices_.size() <= index) devices_.resize(index + 1);
  if (!devices_[index]) devices_[index] = std::make_unique<Director>(gpu(index));
  return *devices_[index];
}

bool RaceTest::WaitForHeldCopies() {
  return gpu::WaitUntil([this] {
    const auto queues = Device().Queues();
    return std::any_of(queues.begin(), queues.end(), DriverWaits);
  });
}

bool RaceTest::WaitForHeldFaults(std::initializer_list<const void*> pages) {
  return gpu::WaitUntil([&] {
    const auto faults = Device().Held().faults;
    return std::all_of(pages.begin(), pages.end(), [&](const void* page) {
      const auto at = reinterpret_cast<std::uintptr_t>(page) / PageSize();
      return std::any_of(faults.begin(), faults.end(),
                         [at](const harness::DirectorInterrupt& held) {
                           return held.address && *held.address / PageSize() == at;
                         });
    });
  });
}

DirectorHold RaceTest::HoldFaultsOf(std::span<const std::byte> memory) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
  return Device().HoldFaults(first, first + memory.size() - 1);
}

}  // namespace kfdcts::suites
