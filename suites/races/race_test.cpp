#include "suites/races/race_test.h"

#include <algorithm>
#include <string>

namespace kfdcts::suites {
namespace {

/// A queue of the driver's own that has work left.
bool DriverWaits(const harness::DirectorQueue& queue) {
  return queue.vmid == 0 && queue.name.starts_with("sdma") && queue.wptr > queue.rptr;
}

}  // namespace

Director& RaceTest::Device(std::size_t index) {
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

std::future<HSAKMT_STATUS> RaceTest::SetAside(std::span<std::byte> pages,
                                              std::vector<HSA_SVM_ATTRIBUTE> attributes) const {
  return std::async(std::launch::async, [this, pages, attributes = std::move(attributes)] {
    return Set(pages, attributes);
  });
}

}  // namespace kfdcts::suites
