#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kfdcts::harness {

/// A (type, value) pair of the SVM ioctl, with the numbers of the uAPI.
struct VectorAttribute {
  std::uint32_t type = 0;
  std::uint32_t value = 0;
  bool operator==(const VectorAttribute&) const = default;
};

/// One call of a sequence. Addresses and sizes are in pages.
struct VectorOperation {
  enum class Kind { kSet, kGet, kMunmap };
  Kind kind = Kind::kSet;
  std::uint64_t start = 0;
  std::uint64_t npages = 0;
  std::vector<VectorAttribute> attributes;  ///< What goes in.
  int result = 0;                           ///< 0 or a negative errno.
  std::vector<VectorAttribute> answer;      ///< kGet: what comes back, after an error as well.
  bool oopses_61 = false;                   ///< An unfixed 6.1 dies of it.
  bool strands = false;  ///< After it, a range is in a GPU's memory that no GPU may access.
};

/// A run of adjacent pages.
struct VectorPages {
  std::uint64_t start = 0;
  std::uint64_t npages = 0;
};

/// One line of a vector file: calls of one process on a machine of its own, with what the kernel's
/// range code answers (fixtures/golden/README.md).
struct VectorSequence {
  std::string id;
  std::string rule;                      ///< What it shows, in words.
  std::vector<std::uint32_t> gpus;       ///< Ids that stand for GPUs.
  std::vector<std::uint32_t> supported;  ///< Those of them that can do SVM.
  std::vector<std::uint32_t> hives;      ///< Of each GPU; 0: none.
  bool xnack = false;
  bool quirk = false;  ///< Wraps the address space; no kernel is asked for it.
  std::vector<VectorPages> vmas;
  std::vector<VectorOperation> operations;
  int line = 0;  ///< Of the file.

  /// By the file's mark: an unfixed 6.1 dies of a call.
  bool Oopses61() const;
  /// That, or KFD's worker that restores ranges, which the file's range code did without, may come
  /// to one that no GPU may access, and die likewise.
  bool MayOops61() const;
};

}  // namespace kfdcts::harness
