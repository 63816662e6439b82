#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kfdcts::harness::svm_model {

inline constexpr std::uint32_t kSystem = 0;              ///< A location: system memory.
inline constexpr std::uint32_t kUndefined = 0xffffffff;  ///< A location that nobody set.

inline constexpr std::uint32_t kFlagGpuReadOnly = 0x8;
inline constexpr std::uint32_t kFlagAlwaysMapped = 0x40;

/// The uAPI's numbers (KFD_IOCTL_SVM_ATTR_*).
enum AttributeType : std::uint32_t {
  kPreferredLocation = 0,
  kPrefetchLocation = 1,
  kAccess = 2,
  kAccessInPlace = 3,
  kNoAccess = 4,
  kSetFlags = 5,
  kClearFlags = 6,
  kGranularity = 7,
};

struct Attribute {
  std::uint32_t type = 0;
  std::uint32_t value = 0;

  friend bool operator==(const Attribute&, const Attribute&) = default;
};

struct Gpu {
  std::uint32_t id = 0;
  bool supported = true;
  std::uint64_t hive = 0;  ///< 0: none.
};

struct Machine {
  std::vector<Gpu> gpus;  ///< Position n is bit n of the bitmaps.
  bool xnack = false;
  std::uint64_t most_pages = 262144;  ///< Of a new range; 0: no limit. Multiples of it cut (SVM-5).
};

/// One svm_range. Pages are numbers of pages in the address space.
struct Range {
  std::uint64_t first = 0, last = 0;  ///< Both included.
  std::uint32_t preferred = kUndefined;
  std::uint32_t prefetch = kUndefined;
  std::uint32_t actual = kSystem;  ///< Where it was sent last; the CPU may have fetched pages back.
  std::uint32_t flags = 3;
  std::uint8_t granularity = 9;
  std::uint64_t access = 0, in_place = 0;
  /// GPUs that may have it mapped. The kernel forgets them when all of a range moves; this does
  /// not.
  std::uint64_t mapped = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

/// What kinds of answer there are: 0 or a negative errno, as of the kernel.
inline constexpr int kInvalid = -22;
inline constexpr int kBadAddress = -14;

/// The rules of SVM (SVM-1…14, PRE-3…7, 13) as one small program: what the kernel answers to set
/// and get, which ranges it keeps and where it sends them. By attributes alone and for one thread;
/// with the memory that a process has mapped, and without failures.
///
/// Ranges are those of Linux 6.1: later kernels also split a range that no GPU maps where a set
/// changes nothing (SVM-6), which no answer shows.
class Model {
 public:
  explicit Model(Machine machine) : machine_(std::move(machine)) {}

  const Machine& machine() const { return machine_; }
  /// By first page.
  const std::map<std::uint64_t, Range>& ranges() const { return ranges_; }

  /// Pages that the process maps, beside what it has.
  void Map(std::uint64_t first, std::uint64_t count);
  /// munmap(2) (SVM-14).
  int Unmap(std::uint64_t first, std::uint64_t count);

  int Set(std::uint64_t first, std::uint64_t count, std::span<const Attribute> attributes);
  /// The answers replace `attributes`, also where it fails half-way (SVM-2).
  int Get(std::uint64_t first, std::uint64_t count, std::vector<Attribute>& attributes) const;

  /// A GPU's access to a page with retry (XNK-3, XNK-5): a range where there is none, and the
  /// range's place. False where it is a fault without end: no mapping, no access.
  bool GpuTouch(std::size_t gpu, std::uint64_t page);

  /// BUG-51: the call may hang the kernel for ever, since it leaves a range on one GPU that has to
  /// be mapped on another without a common hive, or in a state from which a mere touch leads there.
  /// Wider than the bug: a GPU that ever mapped a range is taken to do so still.
  bool SetWouldHang(std::uint64_t first, std::uint64_t count,
                    std::span<const Attribute> attributes) const;

  const Range* Find(std::uint64_t page) const;
  bool IsMapped(std::uint64_t first, std::uint64_t count) const;
  std::optional<std::size_t> PositionOf(std::uint32_t gpu_id) const;
  bool ShareHive(std::size_t a, std::size_t b) const;

  /// "[256-319] preferred … access 1 in place 0", a line each.
  std::string Text() const;

 private:
  std::uint64_t Supported() const;
  Range Default() const;
  int CheckAttributes(std::span<const Attribute> attributes) const;
  int CheckAddress(std::uint64_t first, std::uint64_t count) const;
  bool IsSame(const Range& range, std::span<const Attribute> attributes) const;
  void Apply(Range& range, std::span<const Attribute> attributes) const;
  /// The ranges that a set changes, cut out at its edges; holes filled (SVM-5, SVM-6).
  std::vector<std::uint64_t> Select(std::uint64_t first, std::uint64_t last,
                                    std::span<const Attribute> attributes);
  void FillHole(std::uint64_t first, std::uint64_t last, std::vector<std::uint64_t>& added);
  void SplitAt(std::uint64_t page);
  std::uint32_t BestPrefetch(const Range& range) const;
  /// The GPUs on which a changed range is mapped at once, at most (XNK-9 and what the newest kernel
  /// and 6.1 do beyond it).
  std::uint64_t MappedOn(const Range& range) const;
  /// Every two of these GPUs share a hive.
  bool AreOneHive(std::uint64_t set) const;
  std::optional<std::uint32_t> BestOnFault(const Range& range, std::size_t gpu) const;
  Range NewByFault(std::uint64_t page) const;

  Machine machine_;
  std::map<std::uint64_t, Range> ranges_;
  std::map<std::uint64_t, std::uint64_t> mapped_;  // first page → page past the end, disjoint
};

}  // namespace kfdcts::harness::svm_model
