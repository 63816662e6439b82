#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/scenario/scenario.h"

namespace kfdcts::suites {

/// What a step found wrong: expected and actual. Nothing where all is well.
using Complaint = std::optional<std::string>;

/// The word that `contents` has at a byte offset of its mapping; of kWord the first of a page.
std::uint32_t WordAt(const harness::scenario::Contents& contents, std::size_t offset);

/// Writes it to whole pages, the first of which is page `first` of its mapping.
void WriteContents(std::span<std::byte> pages, std::size_t first,
                   const harness::scenario::Contents& contents);

/// The first word that is another.
Complaint CompareContents(std::span<const std::byte> pages, std::size_t first,
                          const harness::scenario::Contents& contents);

}  // namespace kfdcts::suites
