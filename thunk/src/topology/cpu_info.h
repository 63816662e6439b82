#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thunk/src/kernel/system_calls.h"

namespace kfdcts::thunk {

/// What /proc/cpuinfo says of the processors.
class CpuInfo {
 public:
  /// Empty where the file cannot be read.
  static CpuInfo Read(SystemCalls& calls);

  /// "model name" of the first processor with this APIC id; empty where there is none.
  std::string ModelOf(std::uint64_t apic_id) const;

  /// The APIC id of a logical processor; its own number where the file tells none (not an x86).
  std::uint64_t ApicIdOf(std::uint64_t processor) const;

 private:
  struct Processor {
    std::uint64_t number = 0;
    std::uint64_t apic_id = 0;
    std::string model;
  };

  const Processor* Find(std::uint64_t number) const;

  std::vector<Processor> processors_;  ///< By number.
};

}  // namespace kfdcts::thunk
