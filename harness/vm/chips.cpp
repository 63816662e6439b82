#include "harness/vm/chips.h"

#include <algorithm>

namespace kfdcts::vm {
namespace {

constexpr ChipSpec kChips[] = {
    {.name = "vega10",
     .vbios = "vega10.rom",
     .ip_blocks_without_display = "0x1f",
     .ip_blocks_with_display = "0x37"},
};

}  // namespace

std::span<const ChipSpec> KnownChips() { return kChips; }

const ChipSpec* FindChip(std::string_view name) {
  const auto* found = std::ranges::find(kChips, name, &ChipSpec::name);
  return found != std::end(kChips) ? found : nullptr;
}

}  // namespace kfdcts::vm
