#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "harness/gpu/session.h"

namespace kfdcts::check {

/// Each returns why a check cannot run here; empty where it can. Probed, never guessed from names
/// or versions.
std::string NeedsGpu(std::size_t ordinal);
std::string NeedsSvm(gpu::Session& session);
/// XNACK can be switched on for this process; it is on then.
std::string NeedsXnack(gpu::Session& session);
std::string NeedsPublicVram(const gpu::Gpu& gpu);
/// A device-private page can be told from a swapped one.
std::string NeedsNoSwap();
/// The kernel knows this KFD ioctl.
std::string NeedsIoctl(const gpu::Kfd& kfd, unsigned long request, const char* name);
/// GFX9: the packet formats and numbers are of that generation.
std::string NeedsGfx9(const gpu::Gpu& gpu);

/// Skips the check, with the reason, where `expression` gives one.
#define SKIP_UNLESS(expression) \
  if (const std::string missing = (expression); !missing.empty()) GTEST_SKIP() << missing

}  // namespace kfdcts::check
