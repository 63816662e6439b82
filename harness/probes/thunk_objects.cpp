#include "harness/probes/thunk_objects.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kSymbol = "kfdctsThunkObjectCount";

}  // namespace

bool ThunkObjects::Available(const Thunk& thunk) { return thunk.Find(kSymbol) != nullptr; }

std::optional<std::uint64_t> ThunkObjects::Count(const Thunk& thunk) {
  void* address = thunk.Find(kSymbol);
  if (address == nullptr) return std::nullopt;
  return reinterpret_cast<std::uint64_t (*)()>(address)();
}

}  // namespace kfdcts::harness
