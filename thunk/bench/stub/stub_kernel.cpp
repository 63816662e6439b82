#include "thunk/bench/stub/stub_kernel.h"

#include <sys/mman.h>

#include <cstring>
#include <fstream>
#include <new>
#include <string_view>
#include <utility>

namespace kfdcts::bench {
namespace {

std::atomic<StubKernel*> active{nullptr};

constexpr std::string_view kTopology = "/sys/devices/virtual/kfd/";
constexpr std::string_view kDrm = "/sys/dev/char/226:";

constexpr std::size_t kReservation = 64ull << 30;
constexpr std::size_t kPage = thunk::kFakePage;
constexpr int kReserveFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

// User pages are the benchmark's own, and the library's mmap of plain memory does not pass here.
StubKernel::StubKernel(thunk::FakeMachine machine, std::filesystem::path folder)
    : kernel_(std::move(machine), {.check_user_pages = false, .track_mappings = false}),
      folder_(std::move(folder)) {
  void* reservation = mmap(nullptr, kReservation, PROT_NONE, kReserveFlags, -1, 0);
  if (reservation == MAP_FAILED) throw std::bad_alloc();
  reservation_ = static_cast<char*>(reservation);
  WriteFiles();
  active = this;
}

StubKernel::~StubKernel() {
  active = nullptr;
  munmap(reservation_, kReservation);
}

StubKernel* StubKernel::Active() { return active.load(std::memory_order_acquire); }

bool StubKernel::IsDevice(const char* path) {
  return std::strcmp(path, "/dev/kfd") == 0 || std::strncmp(path, "/dev/dri/renderD", 16) == 0;
}

std::string StubKernel::Redirect(const char* path) const {
  const std::string_view name = path;
  const bool here = name.starts_with(kTopology) || name.starts_with(kDrm);
  return here ? folder_.string() + path : path;
}

void* StubKernel::Reserve(std::size_t size, int protection, int flags) {
  if (!cut_ || protection != PROT_NONE || flags != kReserveFlags) return nullptr;
  size = (size + kPage - 1) / kPage * kPage;
  const std::size_t at = reserved_.fetch_add(size);
  return at + size <= kReservation ? reservation_ + at : nullptr;
}

bool StubKernel::IsReserved(const void* address) const {
  return address >= reservation_ && address < reservation_ + kReservation;
}

void StubKernel::WriteFiles() const {
  for (const auto& [path, content] : kernel_.files) {
    const std::filesystem::path file = folder_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  // libdrm tells devices apart by their card node.
  for (const thunk::FakeGpu& gpu : kernel_.machine().gpus) {
    const std::string minor = std::to_string(gpu.render_minor);
    const std::string card = "card" + std::to_string(gpu.render_minor - 128);
    std::filesystem::create_directories(folder_.string() + std::string(kDrm) + minor +
                                        "/device/drm/" + card);
  }
}

}  // namespace kfdcts::bench
