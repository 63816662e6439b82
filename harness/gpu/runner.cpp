#include "harness/gpu/runner.h"

#include <cerrno>

namespace kfdcts::gpu {
namespace {

constexpr QueueType TypeFor(const SdmaPackets*) { return QueueType::kSdma; }
constexpr QueueType TypeFor(const Pm4Packets*) { return QueueType::kPm4; }

void AppendFence(SdmaPackets& packets, std::uint64_t address, std::uint32_t value) {
  packets.Fence(address, value);
}
void AppendFence(Pm4Packets& packets, std::uint64_t address, std::uint32_t value) {
  packets.ReleaseMem(address, value, Pm4Packets::Release::kData32);
}

}  // namespace

template <class Packets>
Runner<Packets>::Runner(Session& session, Gpu& gpu, const Queue::Options& options)
    : session_(session),
      fence_(gpu, BufferKind::kGtt, kPageBytes),
      queue_(gpu, TypeFor(static_cast<const Packets*>(nullptr)), options) {
  *fence_.as<std::uint32_t>() = 0;
  session.WatchExceptions();
}

template <class Packets>
std::uint32_t Runner<Packets>::Start(Packets packets) {
  AppendFence(packets, fence_.address(), ++started_);
  if (!queue_.Submit(packets)) throw GpuError(ETIMEDOUT, "the ring stays full");
  return started_;
}

template <class Packets>
bool Runner<Packets>::Done(std::uint32_t ticket) const {
  return LoadAcquire(fence_.as<std::uint32_t>()) >= ticket;
}

template <class Packets>
WorkResult Runner<Packets>::Finish(std::uint32_t ticket, const Deadline& deadline) {
  return session_.Await([&] { return Done(ticket); }, deadline);
}

template class Runner<SdmaPackets>;
template class Runner<Pm4Packets>;

}  // namespace kfdcts::gpu
