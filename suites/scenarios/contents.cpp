#include "suites/scenarios/contents.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "harness/gpu/memory.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {

using harness::scenario::Contents;

namespace {

std::size_t Stride(const Contents& contents) {
  return contents.kind == Contents::Kind::kWord ? PageSize() : sizeof(std::uint32_t);
}

}  // namespace

std::uint32_t WordAt(const Contents& contents, std::size_t offset) {
  if (contents.kind != Contents::Kind::kPattern) return contents.number;
  return gpu::PatternWord(offset, contents.number);
}

void WriteContents(std::span<std::byte> pages, std::size_t first, const Contents& contents) {
  for (std::size_t at = 0; at < pages.size(); at += Stride(contents)) {
    const std::uint32_t word = WordAt(contents, first * PageSize() + at);
    std::memcpy(pages.data() + at, &word, sizeof word);
  }
}

Complaint CompareContents(std::span<const std::byte> pages, std::size_t first,
                          const Contents& contents) {
  for (std::size_t at = 0; at < pages.size(); at += Stride(contents)) {
    const std::uint32_t expected = WordAt(contents, first * PageSize() + at);
    std::uint32_t actual = 0;
    std::memcpy(&actual, pages.data() + at, sizeof actual);
    if (actual == expected) continue;
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "word %zu of page %zu: expected 0x%08x, is 0x%08x",
                  at % PageSize() / sizeof(std::uint32_t), first + at / PageSize(), expected,
                  actual);
    return text.data();
  }
  return std::nullopt;
}

}  // namespace kfdcts::suites
