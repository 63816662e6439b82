#pragma once

#include <string>
#include <vector>

#include "harness/director/director.h"

namespace kfdcts::harness {

/// Looks at what the sanitizers of virtual GPUs find while a test runs. A GPU without a director,
/// that is every real one, is passed over. Between its functions it holds no channel open, so that
/// the test can be the one opener.
///
/// Stock kernels (6.1, 7.3) flush no TLB in KFD's unmapping ioctl on GPUs before GC 9.4.0
/// (kfd_flush_tlb_after_unmap), but with the next mapping. That is no finding by itself; a program
/// that uses the memory in between is found as cleared-translation, and rightly so. Ranges of SVM
/// are flushed when they are unmapped.
class DeviceWatch {
 public:
  /// Something that a GPU's sanitizer found.
  struct Found {
    std::string kind;  ///< DirectorFinding's.
    std::string text;  ///< "gpu0: stale-translation x3 at …"
  };

  /// Forgets what was found before, and ends the orders of a test that was killed. Throws
  /// DirectorError.
  explicit DeviceWatch(const std::vector<GpuNode>& gpus);

  /// What was found before the watch began, that is after the last test's end: of its process's
  /// end, or of the driver's later work.
  const std::vector<Found>& before() const { return before_; }

  /// What has been found since. Ends every order that is still in force. Throws DirectorError, also
  /// where the test has left a channel open.
  std::vector<Found> End();

 private:
  std::vector<GpuNode> gpus_;  // those with a director
  std::vector<Found> before_;
};

}  // namespace kfdcts::harness
