#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "thunk/bench/library.h"

namespace kfdcts::bench {

constexpr HSAuint32 kGpuNode = 1;
constexpr std::size_t kObjectBytes = 4096;

/// VRAM of a page, not host accessible.
HsaMemFlags VramFlags();
/// Throws std::runtime_error with the call's name unless the status is SUCCESS.
void Check(HSAKMT_STATUS status, const char* call);

/// Objects of one kind in a library's books, and addresses to ask for in random order. Gives the
/// objects back when it goes.
class Population {
 public:
  enum class Kind { kAllocated, kUserPointer };

  Population(const Library& library, Kind kind, std::size_t count);
  ~Population();
  Population(const Population&) = delete;
  Population& operator=(const Population&) = delete;

  Kind kind() const { return kind_; }
  std::size_t size() const { return objects_.size(); }
  /// Some byte of each object, shuffled.
  const std::vector<void*>& hits() const { return hits_; }
  /// As many addresses beside objects, shuffled.
  const std::vector<void*>& misses() const { return misses_; }

 private:
  void Allocate(std::size_t count);
  void Register(std::size_t count);
  void ChooseAddresses();

  const Library& library_;
  const Kind kind_;
  std::vector<char*> objects_;
  std::vector<void*> hits_;
  std::vector<void*> misses_;
  char* user_memory_ = nullptr;
  std::size_t user_bytes_ = 0;
};

}  // namespace kfdcts::bench
