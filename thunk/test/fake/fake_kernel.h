#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "thunk/src/kernel/system_calls.h"
#include "thunk/test/fake/call_book.h"
#include "thunk/test/fake/fake_drm_svm.h"
#include "thunk/test/fake/fake_machine.h"
#include "thunk/test/fake/fake_process.h"
#include "thunk/test/fake/mapping_book.h"

namespace kfdcts::thunk {

/// What the fake kernel does beyond what the machine is.
struct FakeBehaviour {
  /// EFAULT for user memory that is not mapped, as the kernel says; costs a system call.
  bool check_user_pages = true;
  /// Keeps books of mmap and munmap; off where they do not all pass through here.
  bool track_mappings = true;
};

/// What user space holds of the kernel.
struct FakeHoldings {
  std::size_t buffers = 0;       ///< handles of ALLOC_MEMORY_OF_GPU and IMPORT_DMABUF
  std::size_t gpu_mappings = 0;  ///< a buffer on a GPU
  std::size_t events = 0;
  std::size_t drm_svm_entries = 0;  ///< of open render files
  std::size_t queues = 0;
  std::size_t kfd_files = 0;
  std::size_t render_files = 0;
  std::size_t dmabuf_files = 0;
  std::size_t other_files = 0;  ///< pidfds, SMI streams
  std::size_t drm_devices = 0;
  std::uint64_t mapped_bytes = 0;  ///< of the process' address space
  std::uint64_t vram_bytes = 0;

  bool operator==(const FakeHoldings&) const = default;
};

/// amdkfd behind the thunk's seam, in memory: /dev/kfd, the render nodes and the topology of a
/// FakeMachine, with the answers of Linux 7.3's amdkfd. Descriptors are the process' own numbers,
/// mmap gives real addresses (anonymous memory in place of the device's). What it does not know is
/// -ENOTTY or -ENOENT. Thread-safe; across fork() the child has a copy, whose open files of KFD
/// answer -EBADF as the real ones do. Outlives the thunk that uses it.
class FakeKernel : public SystemCalls {
 public:
  explicit FakeKernel(FakeMachine machine = MakeFakeMachine(), FakeBehaviour behaviour = {});
  ~FakeKernel() override;
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;

  const FakeMachine& machine() const { return machine_; }

  /// The files that ReadFile and ListFolder know, to be read or changed before the thunk starts;
  /// /proc/PID/… that are not here are the real ones.
  FakeFiles files;

  /// The nth call from now, of all or of one kind, fails with `error`, a positive errno, and does
  /// nothing (Close does close). Counts start anew.
  void FailNth(std::uint64_t n, int error);
  void FailNthOf(CallKind kind, std::uint64_t n, int error);
  /// MAP_MEMORY_TO_GPU fails at this GPU with `error` until it is 0; those before it stay mapped.
  void FailMappingOn(std::uint32_t gpu_id, int error);
  /// Counts anew; forgets a failure that has not come.
  void RestartCounts();
  std::uint64_t Calls() const;
  std::uint64_t Calls(CallKind kind) const;
  std::optional<CallKind> LastFailed() const;

  FakeHoldings Holdings() const;
  /// What is not given back, in words; "" if nothing. Open files of KFD and render nodes may stay
  /// where the thunk keeps them for the process' life.
  std::string Leftovers(bool device_files_may_stay = false) const;

  /// A dma-buf as libdrm_amdgpu makes them: VRAM of a GPU (by its place), with metadata.
  int MakeGraphicsDmabuf(std::size_t gpu, std::uint64_t bytes,
                         const std::vector<std::uint8_t>& metadata = {});

  // SystemCalls
  int Open(const char* path, int flags) override;
  int Close(int fd) override;
  int Ioctl(int fd, unsigned long request, void* argument) override;
  int Mmap(void* address, std::size_t size, int protection, int flags, int fd, off_t offset,
           void** mapped) override;
  int Munmap(void* address, std::size_t size) override;
  int Madvise(void* address, std::size_t size, int advice) override;
  int Mbind(void* address, std::size_t size, int mode,
            std::span<const unsigned long> nodes) override;
  int PidfdOpen(pid_t process) override;
  int PidfdGetfd(int pidfd, int fd) override;
  int AllowTracers() override;
  int ReadFile(const std::string& path, std::string& content) override;
  int ListFolder(const std::string& path, std::vector<std::string>& names) override;
  int OpenDrmDevice(int render_fd, DrmDevice& device) override;
  void CloseDrmDevice(DrmDevice& device) override;

  /// Whether the descriptor is one of the fake kernel's.
  bool Owns(int fd) const;
  /// The minor number of an open render node, else -1.
  int RenderMinor(int fd) const;
  /// dup(2), close-on-exec.
  int Dup(int fd);

 private:
  enum class FileKind { kKfd, kRender, kDmabuf, kPidfd, kStream };
  struct File {
    FileKind kind;
    std::size_t gpu = 0;                   ///< kRender, kStream: by its place
    std::shared_ptr<FakeProcess> process;  ///< kKfd
    std::shared_ptr<FakeMemory> memory;    ///< kDmabuf
    unsigned fork_generation = 0;
    const FakeProcess* vm_owner = nullptr;  ///< kRender: whose VM it is since ACQUIRE_VM
    struct Allowed {
      std::weak_ptr<FakeMemory> memory;
      unsigned handles = 0;
    };
    std::unordered_map<std::uint64_t, Allowed> offsets;  ///< kRender: what it may map
    FakeDrmSvm drm_svm;                                  ///< kRender
  };
  /// As libdrm_amdgpu keeps them: one a GPU, however often it is opened.
  struct LibdrmDevice {
    int fd = -1;
    unsigned users = 0;
  };
  class Ioctls;  // the KFD ioctls, fake_ioctls.cpp
  friend class Ioctls;

  File* Find(int fd, FileKind kind);
  /// A descriptor of the process' own for the file, or -errno.
  int Install(std::shared_ptr<File> file);
  int Duplicate(int fd);
  int DeviceMmap(File& file, std::size_t size, int protection, int flags, std::uint64_t offset);
  /// A handle of the process gives its render file the right to map the memory.
  void AllowMmap(FakeProcess& process, std::size_t gpu, const std::shared_ptr<FakeMemory>& memory);
  void ForbidMmap(FakeProcess& process, std::size_t gpu, const FakeMemory& memory);
  int RenderIoctl(File& file, unsigned long request, void* argument);
  int DrmSvm(File& file, uapi::DrmGemSvm& arguments);

  // fake_fork.cpp: a fork() finds no lock held.
  void FollowForks();
  void ForgetForks();
  static unsigned ForkGeneration();

  const FakeMachine machine_;
  const FakeBehaviour behaviour_;
  mutable std::mutex mutex_;
  CallBook book_;
  VramUse vram_in_use_;  // memory, which files and processes hold, counts in it to the end
  std::unordered_map<int, std::shared_ptr<File>> open_files_;
  std::vector<int> stream_peers_;
  std::shared_ptr<FakeProcess> primary_;
  unsigned primary_generation_ = ForkGeneration();
  std::vector<std::weak_ptr<FakeProcess>> secondaries_;
  std::uint64_t next_mmap_offset_ = 0x100000000;
  MappingBook mappings_;
  std::vector<LibdrmDevice> libdrm_devices_;  ///< a GPU
  std::unordered_map<std::uint32_t, int> map_failures_;
};

}  // namespace kfdcts::thunk
