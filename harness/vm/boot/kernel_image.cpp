#include "harness/vm/boot/kernel_image.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <system_error>
#include <vector>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/base/files.h"
#include "harness/vm/boot/cached_file.h"
#include "harness/vm/boot/kernel_module.h"

namespace fs = std::filesystem;

namespace kfdcts::vm {
namespace {

// Offsets of the setup header, Documentation/arch/x86/boot.rst.
constexpr std::size_t kSetupSectors = 0x1f1;
constexpr std::size_t kHeaderMagic = 0x202;
constexpr std::size_t kKernelVersion = 0x20e;
constexpr std::size_t kPayloadOffset = 0x248;
constexpr std::size_t kPayloadLength = 0x24c;
constexpr std::size_t kHeaderEnd = 0x260;

template <typename T>
T Load(std::string_view bytes, std::size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof value) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

bool IsBzImage(std::string_view image) {
  return image.size() > kHeaderEnd && image.substr(kHeaderMagic, 4) == "HdrS";
}

std::string_view Payload(std::string_view image) {
  if (!IsBzImage(image)) {
    return {};
  }
  std::size_t sectors = Load<std::uint8_t>(image, kSetupSectors);
  sectors = (sectors == 0 ? 4 : sectors) + 1;
  const std::size_t start = sectors * 512 + Load<std::uint32_t>(image, kPayloadOffset);
  const std::size_t length = Load<std::uint32_t>(image, kPayloadLength);
  if (start > image.size() || length > image.size() - start) {
    return {};
  }
  return image.substr(start, length);
}

struct Packer {
  std::string_view magic;
  std::string_view tool;
};

constexpr std::array kPackers{Packer{std::string_view("\x28\xb5\x2f\xfd", 4), "zstd"},
                              Packer{std::string_view("\xfd"
                                                      "7zXZ",
                                                      5),
                                     "xz"},
                              Packer{std::string_view("\x1f\x8b", 2), "gzip"}};

/// The notes of an ELF file's PT_NOTE segments are walked for Xen's XEN_ELFNOTE_PHYS32_ENTRY, the
/// PVH entry point.
bool NotesHoldEntry(std::string_view notes) {
  constexpr std::uint32_t kPhys32Entry = 18;
  std::size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    const auto note = Load<Elf64_Nhdr>(notes, at);
    at += sizeof note;
    if (note.n_type == kPhys32Entry && note.n_namesz == 4 &&
        notes.substr(std::min(at, notes.size()), 3) == "Xen") {
      return true;
    }
    const auto aligned = [](std::size_t size) { return (size + 3) / 4 * 4; };
    at += aligned(note.n_namesz) + aligned(note.n_descsz);
  }
  return false;
}

}  // namespace

std::string KernelRelease(std::string_view image) {
  if (!IsBzImage(image)) {
    return "";
  }
  const std::size_t start = Load<std::uint16_t>(image, kKernelVersion) + std::size_t{0x200};
  if (start == 0x200 || start >= image.size()) {
    return "";
  }
  const std::string_view text = image.substr(start, 256);
  return std::string(text.substr(0, text.find_first_of(std::string_view(" \0", 2))));
}

bool StartsDirectly(std::string_view vmlinux) {
  const auto header = Load<Elf64_Ehdr>(vmlinux, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != EM_X86_64) {
    return false;
  }
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = Load<Elf64_Phdr>(vmlinux, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_NOTE && segment.p_offset < vmlinux.size() &&
        NotesHoldEntry(vmlinux.substr(segment.p_offset, segment.p_filesz))) {
      return true;
    }
  }
  return false;
}

std::string UnpackKernel(std::string_view image) {
  const std::string_view payload = Payload(image);
  const auto* packer = std::ranges::find_if(
      kPackers, [&](const Packer& one) { return payload.starts_with(one.magic); });
  if (packer == kPackers.end()) {
    return "";
  }
  const TemporaryFolder folder;
  const fs::path packed = folder.path() / "payload";
  WriteFile(packed, payload);
  SpawnOptions tool;
  tool.argv = {std::string(packer->tool), "-dc", packed.string()};
  try {
    // What follows the packed kernel (its size) makes some tools end with an error; the note below
    // judges.
    ToolResult result = RunTool(tool);
    return StartsDirectly(result.output) ? std::move(result.output) : "";
  } catch (const RunError&) {
    return "";  // No such tool here: `image` is booted as it is.
  }
}

fs::path BootableImage(const fs::path& image, const fs::path& cache) {
  std::error_code error;
  if (!fs::is_regular_file(image, error)) {
    throw RunError("kernel image " + image.string() + ": " +
                   (error ? error.message() : "no such file"));
  }
  std::string content;
  try {
    content = ReadFile(image);
  } catch (const std::system_error& failure) {
    throw RunError("kernel image " + std::string(failure.what()));
  }
  if (StartsDirectly(content)) {
    return image;
  }
  if (!IsBzImage(content)) {
    throw RunError("kernel image " + image.string() + ": neither a bzImage nor a vmlinux");
  }
  const CachedFile entry(cache, "vmlinux", "image", {image});
  if (const auto found = entry.Find()) {
    return found->file;
  }
  const std::string unpacked = UnpackKernel(content);
  return unpacked.empty() ? image : entry.Store(unpacked, "", {image});
}

bool HasDisplayCore(const Kernel& kernel, std::string_view amdgpu_module) {
  if (!amdgpu_module.empty()) {
    // Only amdgpu_dm.c asks for it.
    const auto wanted = ModuleInfo(amdgpu_module, "firmware", "amdgpu");
    return std::ranges::find(wanted, "amdgpu/raven_dmcu.bin") != wanted.end();
  }
  const std::array configurations{kernel.image.parent_path() / ("config-" + kernel.release),
                                  kernel.image.parent_path() / ".config",
                                  kernel.image.parent_path() / "../../../.config",
                                  kernel.modules / "build" / ".config"};
  for (const fs::path& file : configurations) {
    if (access(file.c_str(), R_OK) == 0) {
      return ReadFile(file).find("\nCONFIG_DRM_AMD_DC=y") != std::string::npos;
    }
  }
  return false;
}

}  // namespace kfdcts::vm
