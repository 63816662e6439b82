#include "harness/vgpu/transport/session.h"

#include <linux/vfio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "harness/vgpu/core/register_file.h"
#include "harness/vgpu/transport/trace_log.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint16_t kMajor = 0;
constexpr std::uint16_t kMinor = 1;

/// The first bytes of a payload; the dispatcher has checked that there are enough.
template <typename T>
T Load(std::span<const std::byte> payload, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, payload.data() + offset, sizeof(T));
  return value;
}

template <typename T>
void Append(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// What this server can do. Coalesced writes ("write_multiple") are understood but not offered: a
/// client that maps VRAM must not post its writes, lest its direct accesses overtake them, and so
/// has nothing to coalesce.
std::string Capabilities() {
  const nlohmann::json capabilities = {{"capabilities",
                                        {{"max_msg_fds", wire::kMaxMessageFds},
                                         {"max_data_xfer_size", wire::kMaxTransferBytes},
                                         {"max_dma_maps", DmaMap::kMaxRegions},
                                         {"pgsizes", DmaMap::kPageBytes}}}};
  return capabilities.dump();
}

/// The client's own capabilities change nothing for this server, but they must be JSON with an
/// object of that name.
bool AreCapabilities(std::span<const std::byte> text) {
  if (text.empty()) {
    return true;
  }
  if (text.back() != std::byte{0}) {
    return false;
  }
  const std::string_view json(reinterpret_cast<const char*>(text.data()), text.size() - 1);
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  return parsed.is_object() &&
         (!parsed.contains("capabilities") || parsed["capabilities"].is_object());
}

PciIdentity IdentityOf(const Chip& chip, const Device& device) {
  return {chip.pci_device_id, device.vram_bytes(), Device::kDoorbellBytes, RegisterFile::kMmioBytes,
          static_cast<std::uint32_t>(device.vbios().size())};
}

}  // namespace

const Session::Entry* Session::Find(std::uint16_t command) {
  using wire::Command;
  struct Row {
    Command command;
    Entry entry;
  };
  static constexpr std::array kTable = {
      Row{Command::kVersion, {&Session::OnVersion, sizeof(wire::Version), false}},
      Row{Command::kDmaMap, {&Session::OnDmaMap, sizeof(wire::DmaMap), true}},
      Row{Command::kDmaUnmap, {&Session::OnDmaUnmap, sizeof(wire::DmaUnmap), false}},
      Row{Command::kDeviceGetInfo, {&Session::OnDeviceGetInfo, sizeof(wire::DeviceInfo), false}},
      Row{Command::kDeviceGetRegionInfo,
          {&Session::OnDeviceGetRegionInfo, sizeof(vfio_region_info), false}},
      Row{Command::kDeviceGetIrqInfo, {&Session::OnDeviceGetIrqInfo, sizeof(vfio_irq_info), false}},
      Row{Command::kDeviceSetIrqs, {&Session::OnDeviceSetIrqs, sizeof(vfio_irq_set), true}},
      Row{Command::kRegionRead, {&Session::OnRegionRead, sizeof(wire::RegionAccess), false}},
      Row{Command::kRegionWrite, {&Session::OnRegionWrite, sizeof(wire::RegionAccess), false}},
      Row{Command::kRegionWriteMulti,
          {&Session::OnRegionWriteMulti, sizeof(wire::WriteMulti), false}},
      Row{Command::kDeviceReset, {&Session::OnDeviceReset, 0, false}},
  };
  for (const Row& row : kTable) {
    if (static_cast<std::uint16_t>(row.command) == command) {
      return &row.entry;
    }
  }
  return nullptr;
}

Session::Session(UniqueFd socket, const Chip& chip, Device& device, VfioHost& host,
                 std::mutex& access_first, TraceLog* trace)
    : socket_(std::move(socket)),
      device_(device),
      host_(host),
      config_(IdentityOf(chip, device)),
      regions_(device, config_, access_first, trace),
      trace_(trace) {}

Session::~Session() {
  host_.irqs().Clear();
  device_.Locked([this] { host_.memory().Clear(); });
}

Session::End Session::Run() {
  Message message;
  Reply reply;
  while (true) {
    switch (socket_.Next(message)) {
      case MessageSocket::Received::kClosed:
        return End::kClientLeft;
      case MessageSocket::Received::kMalformed:
        problem_ = "message of " + std::to_string(message.header.size) + " bytes";
        return End::kProtocol;
      case MessageSocket::Received::kMessage:
        break;
    }
    if ((message.header.flags & wire::kTypeMask) != wire::kTypeCommand) {
      problem_ = "not a command: flags " + std::to_string(message.header.flags);
      return End::kProtocol;
    }
    ++messages_;
    reply.payload.clear();
    reply.fd = -1;
    const int error = Handle(message, reply);
    refused_ += error != 0 ? 1 : 0;
    if (!Answer(message, error, reply)) {
      return End::kClientLeft;
    }
  }
}

int Session::Handle(Message& message, Reply& reply) {
  const Entry* entry = Find(message.header.command);
  if (entry == nullptr) {
    return message.header.command == static_cast<std::uint16_t>(wire::Command::kDeviceFeature)
               ? ENOTTY  // as the kernel's VFIO says "no such feature"
               : ENOTSUP;
  }
  const bool is_version = entry->handler == &Session::OnVersion;
  if (is_version == negotiated_) {
    return EINVAL;  // The version comes first, and once.
  }
  if (message.payload.size() < entry->min_payload || message.fds_lost ||
      (!entry->takes_fds && !message.fds.empty())) {
    return EINVAL;
  }
  return (this->*entry->handler)(message, reply);
}

bool Session::Answer(const Message& message, int error, const Reply& reply) {
  if (trace_ != nullptr && error != 0) {
    trace_->Note("refused command " + std::to_string(message.header.command) + ": " +
                 std::strerror(error));
  }
  if ((message.header.flags & wire::kFlagNoReply) != 0) {
    return true;
  }
  wire::Header header = message.header;
  header.flags = wire::kTypeReply | (error != 0 ? wire::kFlagError : 0);
  header.error = static_cast<std::uint32_t>(error);
  const std::span<const std::byte> payload =
      error != 0 ? std::span<const std::byte>() : std::span(reply.payload);
  header.size = static_cast<std::uint32_t>(sizeof(header) + payload.size());
  return socket_.Send(header, payload, error != 0 ? -1 : reply.fd);
}

int Session::OnVersion(Message& message, Reply& reply) {
  auto version = Load<wire::Version>(message.payload);
  if (version.major != kMajor) {
    return ENOTSUP;
  }
  if (!AreCapabilities(std::span(message.payload).subspan(sizeof(version)))) {
    return EINVAL;
  }
  version.minor = std::min(version.minor, kMinor);
  Append(reply.payload, version);
  const std::string capabilities = Capabilities();
  const auto text = std::as_bytes(std::span(capabilities.c_str(), capabilities.size() + 1));
  reply.payload.insert(reply.payload.end(), text.begin(), text.end());
  negotiated_ = true;
  return 0;
}

int Session::OnDmaMap(Message& message, Reply&) {
  const auto request = Load<wire::DmaMap>(message.payload);
  if (request.argsz < sizeof(request) || message.fds.size() > 1) {
    return EINVAL;
  }
  UniqueFd fd = message.fds.empty() ? UniqueFd() : std::move(message.fds[0]);
  int error = 0;
  device_.Locked([&] { error = host_.memory().Map(request, std::move(fd)); });
  return error;
}

int Session::OnDmaUnmap(Message& message, Reply& reply) {
  const auto request = Load<wire::DmaUnmap>(message.payload);
  if (request.argsz < sizeof(request)) {
    return EINVAL;
  }
  int error = 0;
  device_.Locked([&] { error = host_.memory().Unmap(request); });
  Append(reply.payload, request);
  return error;
}

int Session::OnDeviceGetInfo(Message& message, Reply& reply) {
  auto info = Load<wire::DeviceInfo>(message.payload);
  if (info.argsz < sizeof(info)) {
    return EINVAL;
  }
  info = {sizeof(info), VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI, Regions::kCount,
          IrqSet::kIndexCount};
  Append(reply.payload, info);
  return 0;
}

int Session::OnDeviceGetRegionInfo(Message& message, Reply& reply) {
  auto info = Load<vfio_region_info>(message.payload);
  if (info.argsz < sizeof(info) || info.index >= Regions::kCount) {
    return EINVAL;
  }
  info.argsz = sizeof(info);
  info.flags = regions_.Flags(info.index);
  info.cap_offset = 0;
  info.size = regions_.Size(info.index);
  info.offset = 0;
  Append(reply.payload, info);
  reply.fd = regions_.Fd(info.index);
  return 0;
}

int Session::OnDeviceGetIrqInfo(Message& message, Reply& reply) {
  auto info = Load<vfio_irq_info>(message.payload);
  if (info.argsz < sizeof(info) || info.index >= IrqSet::kIndexCount) {
    return EINVAL;
  }
  info.argsz = sizeof(info);
  info.flags = IrqSet::Flags(info.index);
  info.count = IrqSet::Vectors(info.index);
  Append(reply.payload, info);
  return 0;
}

int Session::OnDeviceSetIrqs(Message& message, Reply&) {
  // vfio_irq_set ends in an array of no elements, so it is loaded by hand.
  alignas(vfio_irq_set) std::byte storage[sizeof(vfio_irq_set)];
  std::memcpy(storage, message.payload.data(), sizeof(storage));
  const auto& request = *reinterpret_cast<const vfio_irq_set*>(storage);
  if (request.argsz < sizeof(request)) {
    return EINVAL;
  }
  return host_.irqs().Set(request, std::span(message.payload).subspan(sizeof(request)),
                          std::move(message.fds));
}

int Session::OnRegionRead(Message& message, Reply& reply) {
  const auto access = Load<wire::RegionAccess>(message.payload);
  if (access.count > wire::kMaxTransferBytes) {
    return EINVAL;
  }
  Append(reply.payload, access);
  reply.payload.resize(sizeof(access) + access.count);
  return regions_.Read(access.region, access.offset,
                       std::span(reply.payload).subspan(sizeof(access)));
}

int Session::OnRegionWrite(Message& message, Reply& reply) {
  const auto access = Load<wire::RegionAccess>(message.payload);
  const auto data = std::span<const std::byte>(message.payload).subspan(sizeof(access));
  if (access.count > wire::kMaxTransferBytes || access.count != data.size()) {
    return EINVAL;
  }
  Append(reply.payload, access);
  return regions_.Write(access.region, access.offset, data);
}

int Session::OnRegionWriteMulti(Message& message, Reply& reply) {
  const auto multi = Load<wire::WriteMulti>(message.payload);
  const auto writes = std::span<const std::byte>(message.payload).subspan(sizeof(multi));
  if (multi.count > writes.size() / sizeof(wire::SingleWrite)) {
    return EINVAL;
  }
  for (std::uint64_t i = 0; i < multi.count; ++i) {
    const auto write = Load<wire::SingleWrite>(writes, i * sizeof(wire::SingleWrite));
    if (write.access.count > sizeof(write.data)) {
      return EINVAL;
    }
    const int error =
        regions_.Write(write.access.region, write.access.offset,
                       std::as_bytes(std::span(write.data)).first(write.access.count));
    if (error != 0) {
      return error;
    }
  }
  Append(reply.payload, multi);
  return 0;
}

int Session::OnDeviceReset(Message&, Reply&) {
  device_.Reset();
  config_.Reset();
  if (trace_ != nullptr) {
    trace_->Note("reset");
  }
  return 0;
}

void Session::Report(std::ostream& out) const {
  out << "vfio-user messages " << messages_ << "\n"
      << "vfio-user refused " << refused_ << "\n";
  constexpr std::pair<std::uint32_t, const char*> kNamed[] = {
      {VFIO_PCI_BAR0_REGION_INDEX, "vram"},     {VFIO_PCI_BAR2_REGION_INDEX, "doorbell"},
      {VFIO_PCI_BAR5_REGION_INDEX, "register"}, {VFIO_PCI_ROM_REGION_INDEX, "rom"},
      {VFIO_PCI_CONFIG_REGION_INDEX, "config"},
  };
  for (const auto& [index, name] : kNamed) {
    out << name << " reads " << regions_.reads(index) << "\n"
        << name << " writes " << regions_.writes(index) << "\n";
  }
  out << "interrupts delivered " << host_.irqs().delivered() << "\n"
      << "interrupts lost " << host_.irqs().lost() << "\n";
}

}  // namespace kfdcts::vgpu
