#include "harness/svm_vectors/kfd_vector_kernel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "harness/capabilities/capability.h"
#include "harness/gpu/svm.h"

namespace kfdcts::harness {
namespace {

void* Pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the file's place
}

std::vector<gpu::SvmAttribute> ToKernel(const std::vector<VectorAttribute>& attributes) {
  std::vector<gpu::SvmAttribute> list;
  for (const auto& attribute : attributes) list.push_back({attribute.type, attribute.value});
  return list;
}

}  // namespace

KfdVectorKernel::KfdVectorKernel(bool xnack) {
  if (session_.kfd().XnackMode() < 0) {
    throw CapabilityMissing("svm", "the kernel has no XNACK mode (no KFD SVM)");
  }
  const int error = session_.kfd().SetXnackMode(xnack ? 1 : 0);
  if (error != 0) {
    throw CapabilityMissing(xnack ? "xnack-on" : "xnack-off",
                            "the mode is refused: " + std::system_category().message(error));
  }
}

int KfdVectorKernel::Map(std::uint64_t address, std::uint64_t bytes) {
  void* map = mmap(Pointer(address), bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  return map == MAP_FAILED ? -errno : 0;
}

int KfdVectorKernel::Munmap(std::uint64_t address, std::uint64_t bytes) {
  return munmap(Pointer(address), bytes) == 0 ? 0 : -errno;
}

int KfdVectorKernel::Set(std::uint64_t address, std::uint64_t bytes,
                         const std::vector<VectorAttribute>& attributes) {
  auto list = ToKernel(attributes);
  return -gpu::SvmCall(session_.kfd(), KFD_IOCTL_SVM_OP_SET_ATTR, Pointer(address), bytes, list);
}

int KfdVectorKernel::Get(std::uint64_t address, std::uint64_t bytes,
                         std::vector<VectorAttribute>& attributes) {
  auto list = ToKernel(attributes);
  const int result =
      -gpu::SvmCall(session_.kfd(), KFD_IOCTL_SVM_OP_GET_ATTR, Pointer(address), bytes, list);
  for (std::size_t i = 0; i < list.size(); ++i) attributes[i] = {list[i].type, list[i].value};
  return result;
}

void ReplayHere(const VectorSequence& sequence) {
  const VectorMachine machine = ThisMachine(gpu::ReadTopology());
  if (const auto obstacle = WhyNot(sequence, machine)) {
    throw CapabilityMissing(obstacle->name, obstacle->reason);
  }
  KfdVectorKernel kernel(sequence.xnack);
  for (const auto& difference : Replay(sequence, Relocation(sequence, machine), kernel)) {
    ADD_FAILURE() << difference.text;
  }
}

}  // namespace kfdcts::harness
