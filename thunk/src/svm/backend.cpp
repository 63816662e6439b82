#include "thunk/src/svm/backend.h"

#include "thunk/src/fault/fault.h"
#include "thunk/src/kernel/page.h"

namespace kfdcts::thunk {

bool IsSvmRange(const void* start, std::uint64_t size) {
  if (Broken(Fault::kSvmIntervalUnchecked)) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  return address != 0 && size != 0 && OffsetInPage(address | size) == 0;
}

bool IsSvmLocation(std::uint32_t type) {
  return type == HSA_SVM_ATTR_PREFERRED_LOC || type == HSA_SVM_ATTR_PREFETCH_LOC;
}

bool IsSvmAccess(std::uint32_t type) {
  return type == HSA_SVM_ATTR_ACCESS || type == HSA_SVM_ATTR_ACCESS_IN_PLACE ||
         type == HSA_SVM_ATTR_NO_ACCESS;
}

}  // namespace kfdcts::thunk
