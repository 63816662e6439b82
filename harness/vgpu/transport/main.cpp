/// vgpu: a virtual GPU in a process of its own, for an emulator that speaks vfio-user.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness/vgpu/transport/server.h"

namespace {

using kfdcts::vgpu::ServerOptions;
using kfdcts::vgpu::UsageError;

constexpr std::uint64_t kMinVram = 16ULL << 20;
constexpr std::uint64_t kMaxVram = 64ULL << 30;
constexpr std::size_t kMaxVbios = 1 << 20;

/// The image, filled up to the power of two that its PCI region needs.
std::vector<std::byte> ReadVbios(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw UsageError("--vbios: cannot read " + path);
  }
  std::vector<char> content((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
  if (content.size() < 512 || content.size() > kMaxVbios || content[0] != '\x55' ||
      content[1] != '\xaa') {
    throw UsageError("--vbios: " + path + " is not an option ROM of 512 bytes to 1 MiB");
  }
  content.resize(std::bit_ceil(content.size()), '\xff');
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

void CheckVram(std::uint64_t bytes) {
  if (!std::has_single_bit(bytes) || bytes < kMinVram || bytes > kMaxVram) {
    throw UsageError("--vram: " + std::to_string(bytes) + " is not a power of two from 16M to 64G");
  }
}

/// A launcher that dies takes its GPUs along, also before a client came.
void DieWithParent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) {  // It died in between.
    std::exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A virtual GPU for an emulator that speaks vfio-user", "vgpu");
  ServerOptions options;
  std::string chip = "vega10", vbios;
  options.vram_bytes = 256ULL << 20;
  options.name = "gpu0";
  bool die_with_parent = false;
  app.add_option("--chip", chip, "Kind of chip")->capture_default_str();
  app.add_option("--vram", options.vram_bytes, "Video memory, a power of two, as 256M")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  app.add_option("--vbios", vbios, "Video BIOS image")->required();
  app.add_option("--socket", options.socket, "vfio-user socket to listen on")->required();
  app.add_option("--director", options.director, "Socket for the director's JSON lines");
  app.add_option("--report", options.report, "File for the report; else standard error");
  app.add_option("--trace", options.trace, "File for a line each access of the guest");
  app.add_option("--name", options.name, "Name in the report")->capture_default_str();
  app.add_option("--ready-fd", options.ready_fd,
                 "Descriptor that gets \"ready\" when the sockets listen; else standard output");
  app.add_flag("--die-with-parent", die_with_parent,
               "End when the thread that started this program ends");
  try {
    app.parse(argc, argv);
    options.chip = kfdcts::vgpu::FindChip(chip.c_str());
    if (options.chip == nullptr) {
      throw UsageError("--chip: there is no chip \"" + chip + "\"");
    }
    CheckVram(options.vram_bytes);
    options.vbios = ReadVbios(vbios);
    if (die_with_parent) {
      DieWithParent();
    }
    return kfdcts::vgpu::Serve(options) ? 0 : 1;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    std::fprintf(stderr, "vgpu: %s\n", problem.what());
    return 2;
  } catch (const UsageError& problem) {
    std::fprintf(stderr, "vgpu: %s\n", problem.what());
    return 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "vgpu: %s\n", problem.what());
    return 1;
  }
}
