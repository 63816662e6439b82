#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/svm_vectors/relocation.h"
#include "harness/svm_vectors/sequence.h"

namespace kfdcts::harness {

/// The calls that a sequence makes, in bytes and with real GPU ids.
class VectorKernel {
 public:
  virtual ~VectorKernel() = default;
  /// Pages at this very place that nothing has touched. 0 or a negative errno.
  virtual int Map(std::uint64_t address, std::uint64_t bytes) = 0;
  virtual int Munmap(std::uint64_t address, std::uint64_t bytes) = 0;
  virtual int Set(std::uint64_t address, std::uint64_t bytes,
                  const std::vector<VectorAttribute>& attributes) = 0;
  /// `attributes` become what the kernel left in them, whatever it returns.
  virtual int Get(std::uint64_t address, std::uint64_t bytes,
                  std::vector<VectorAttribute>& attributes) = 0;
};

/// Where the kernel answers otherwise than the file: one for a return code, one for an answer.
struct VectorDifference {
  std::size_t operation = 0;  ///< Of the sequence, from 0 on.
  std::string text;  ///< Lines: the call in the file's own numbers, what came, what had to.
};

/// Makes the calls of a sequence one after another, to the end whatever comes, and tells every
/// difference. Throws std::system_error where a VMA cannot be mapped.
std::vector<VectorDifference> Replay(const VectorSequence& sequence, const Relocation& relocation,
                                     VectorKernel& kernel);

/// "get pages 256+8 [ACCESS 4097, GRANULARITY 0]": as in the file.
std::string Describe(const VectorOperation& operation);

}  // namespace kfdcts::harness
