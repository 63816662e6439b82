// The CPU's side of memory.
#include <linux/mempolicy.h>
#include <sys/mman.h>

#include <cerrno>
#include <climits>

#include "thunk/src/memory/books.h"

namespace kfdcts::thunk {

int Memory::Books::MapForCpu(std::uint64_t address, std::uint64_t size, int protection, int fd,
                             std::uint64_t offset) {
  void* const start = reinterpret_cast<void*>(address);
  void* mapped = nullptr;
  const int error = calls().Mmap(start, size, protection, MAP_SHARED | MAP_FIXED, fd,
                                 static_cast<off_t>(offset), &mapped);
  return error < 0 ? error : calls().Madvise(start, size, MADV_DONTFORK);
}

int Memory::Books::MapPlainMemory(std::uint64_t address, std::uint64_t size, int protection,
                                  int sharing) {
  void* mapped = nullptr;
  return calls().Mmap(reinterpret_cast<void*>(address), size, protection,
                      sharing | MAP_ANONYMOUS | MAP_FIXED, -1, 0, &mapped);
}

int Memory::Books::BindToNumaNode(std::uint64_t address, std::uint64_t size, HSAuint32 node,
                                  HsaMemFlags flags) {
  const bool must = flags.ui32.NoSubstitute;
  if (flags.ui32.NoNUMABind || numa_nodes <= 1 || node >= numa_nodes)
    return must && numa_nodes > 1 ? -EFAULT : 0;
  constexpr std::size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  std::vector<unsigned long> nodes(node / kBits + 1);
  nodes.back() = 1UL << (node % kBits);
  const int mode = (must ? MPOL_BIND : MPOL_PREFERRED) | MPOL_F_STATIC_NODES;
  const int error = calls().Mbind(reinterpret_cast<void*>(address), size, mode, nodes);
  // Containers forbid it; who does not insist takes memory from elsewhere.
  return error < 0 && must && error != -EPERM ? error : 0;
}

}  // namespace kfdcts::thunk
