#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "suites/fake_offset/history.h"

namespace kfdcts::suites {

/// What a step gave.
struct Answer {
  int error = 0;             ///< errno.
  std::uint64_t offset = 0;  ///< Of kCreate and kAsk.
  std::uint32_t handle = 0;  ///< Of kCreate and kImport.
  bool right = true;         ///< A mapping showed the buffer's own mark.
};

/// The offset manager and the allow lists as the rules have them: who holds what, what therefore
/// has an offset, and who may map it. One device.
class OffsetModel {
 public:
  /// `mapped_alone`: the errno of mapping an object that only a mapping keeps. EACCES, or EINVAL
  /// where the driver's mappings hold its own object and not GEM's.
  explicit OffsetModel(int mapped_alone) : mapped_alone_(mapped_alone) {}

  struct Buffer {
    std::uint64_t offset = 0;
    int pages = 0;
  };

  /// Whether all that the step is about is there.
  bool CanDo(const Step& step) const;

  /// The errno that the step must give (0: none). Only where CanDo().
  int Expected(const Step& step) const;

  /// Takes note of what a step gave. Says what is against a rule, and which; no more steps then.
  std::optional<std::string> Take(const Step& step, const Answer& answer);

  /// The oldest handle of a buffer in a file; 0: none.
  std::uint32_t HandleOf(int file, int buffer) const;
  /// Known even when the buffer is gone.
  const Buffer& BufferOf(int buffer) const { return buffers_.at(buffer); }

  // What there is, for whoever thinks of the next step.
  std::vector<int> Processes() const { return {processes_.begin(), processes_.end()}; }
  std::vector<int> FilesOf(int process) const;
  std::vector<int> DmaBufsOf(int process) const;
  std::vector<int> MappingsOf(int process) const;
  std::vector<int> LiveBuffers() const;
  /// The last one that was made, dead or alive; -1: none.
  int LastBuffer() const { return buffers_.empty() ? -1 : buffers_.rbegin()->first; }

 private:
  struct Handle {
    std::uint32_t value = 0;
    bool prime = false;  ///< An import of the buffer's dma-buf finds it.
  };
  struct File {
    std::set<int> processes;                     ///< That have a descriptor.
    std::map<int, std::vector<Handle>> handles;  ///< By buffer.
  };
  struct Held {  ///< A dma-buf or a mapping.
    std::set<int> processes;
    int buffer = 0;
    int file = -1;  ///< By which a mapping was made; it keeps that open.
  };

  using Complaint = std::optional<std::string>;

  bool Holds(int process, int file) const;
  bool Alive(int buffer) const;
  bool OnlyMapped(int buffer) const;
  bool Overlaps(int buffer) const;
  int MapError(const Step& step) const;
  Complaint TakeNew(const Step& step, const Answer& answer);
  Complaint TakeImport(const Step& step, const Answer& answer);
  void Inherit(const Step& step);
  void Bury(int process);
  /// Drops files that nobody has open or mapped, with their handles.
  void Sweep();

  int mapped_alone_;
  std::set<int> processes_{0};
  std::map<int, File> files_;
  std::map<int, Buffer> buffers_;  ///< All that ever were.
  std::map<int, Held> dma_bufs_;
  std::map<int, Held> mappings_;
};

}  // namespace kfdcts::suites
