// The library that users get knows no fault; the one for tests of the tests knows all.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace kfdcts::thunk {
namespace {

const std::vector<std::string> kStrings = {
    "KFDCTS_THUNK_FAULT",
#define KFDCTS_FAULT(name, rules, what) #name,
#include "thunk/src/fault/faults.inc"
#undef KFDCTS_FAULT
};

/// What of a shared library is loaded: its debug information is no part of it.
std::string LoadedBytes(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  Elf64_Ehdr header{};
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::string loaded;
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, bytes.data() + header.e_phoff + sizeof(segment) * static_cast<size_t>(i),
                sizeof(segment));
    if (segment.p_type == PT_LOAD) loaded += bytes.substr(segment.p_offset, segment.p_filesz);
  }
  return loaded;
}

TEST(FaultLibrary, ShippedOneHoldsNoTraceOfAFault) {
  const std::string bytes = LoadedBytes(SHIPPED);
  ASSERT_NE(bytes.find("hsaKmtQueryPointerInfo"), std::string::npos);
  for (const auto& string : kStrings) EXPECT_EQ(bytes.find(string), std::string::npos) << string;
}

TEST(FaultLibrary, BreakableOneKnowsEveryFault) {
  const std::string bytes = LoadedBytes(BREAKABLE);
  ASSERT_NE(bytes.find("hsaKmtQueryPointerInfo"), std::string::npos);
  for (const auto& string : kStrings) EXPECT_NE(bytes.find(string), std::string::npos) << string;
}

}  // namespace
}  // namespace kfdcts::thunk
