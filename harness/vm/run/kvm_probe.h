#pragma once

#include <filesystem>

#include "harness/vm/fetch/qemu.h"

namespace kfdcts::vm {

/// Whether hardware virtualisation really runs this kernel here: there are machines with a /dev/kvm
/// on which firmware runs and every kernel hangs. Boots the kernel without a root file system and
/// waits at most 5 s for the panic that this must end in. The answer is kept in `cache` until the
/// host is booted again. Throws Cancelled.
bool KvmWorks(const Qemu& qemu, const std::filesystem::path& kernel,
              const std::filesystem::path& cache, int cancel_fd);

}  // namespace kfdcts::vm
