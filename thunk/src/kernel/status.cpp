#include "thunk/src/kernel/status.h"

#include <cerrno>

namespace kfdcts::thunk {

HSAKMT_STATUS StatusOf(int error) {
  switch (-error) {
    case 0:
      return HSAKMT_STATUS_SUCCESS;
    case ENOMEM:
      return HSAKMT_STATUS_NO_MEMORY;
    case EINVAL:
      return HSAKMT_STATUS_INVALID_PARAMETER;
    case ENOTTY:
    case EOPNOTSUPP:
      return HSAKMT_STATUS_NOT_SUPPORTED;
    default:
      return HSAKMT_STATUS_ERROR;
  }
}

}  // namespace kfdcts::thunk
