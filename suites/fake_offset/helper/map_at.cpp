// map_at FD OFFSET BYTES: what a program finds that inherited a descriptor by exec. Ends with the
// errno of mmap, or 0 where the object can be mapped and its first word written and read back.
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

int main(int argc, char** argv) {
  constexpr int kUsage = 255;
  constexpr std::uint32_t kWord = 0x6f666673;
  if (argc != 4) return kUsage;
  const int fd = std::atoi(argv[1]);
  const auto offset = static_cast<off_t>(std::strtoull(argv[2], nullptr, 0));
  const std::size_t bytes = std::strtoull(argv[3], nullptr, 0);
  void* const map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  if (map == MAP_FAILED) return errno;
  auto* const word = static_cast<volatile std::uint32_t*>(map);
  *word = kWord;
  return *word == kWord ? 0 : kUsage;
}
