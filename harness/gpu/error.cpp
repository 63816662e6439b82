#include "harness/gpu/error.h"

#include <cstdio>
#include <cstring>

namespace kfdcts::gpu {
namespace {

void Print(const std::string& what, int error) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), std::strerror(error));
}

ReleaseFailureHandler release_failure_handler = Print;

}  // namespace

void SetReleaseFailureHandler(ReleaseFailureHandler handler) { release_failure_handler = handler; }

void ReportReleaseFailure(const std::string& what, int error) {
  release_failure_handler(what, error);
}

}  // namespace kfdcts::gpu
