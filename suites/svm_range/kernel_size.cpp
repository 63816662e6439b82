// The size that the ioctl's number tells, against the number of attributes.
#include <cerrno>
#include <vector>

#include "harness/gpu/svm.h"
#include "suites/support/svm_test.h"
#include "suites/svm_range/with_kernel.h"

namespace kfdcts::suites {
namespace {

struct SizeCase {
  std::string_view name;
  std::uint32_t told;  ///< kfd_ioctl_svm_args::nattr.
  std::size_t room;    ///< Attributes that the size in the ioctl's number holds.
  int error;
};

constexpr SizeCase kSizes[] = {
    {"exact", 2, 2, 0},
    {"room_for_more", 2, 5, 0},
    {"none", 0, 0, 0},
    {"no_room", 1, 0, EINVAL},
    {"one_too_many", 3, 2, EINVAL},
    {"wraps_32_bits", 0x20000001, 2, EINVAL},
    {"largest", 0xFFFFFFFF, 2, EINVAL},
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, SizeHoldsTheAttributes, SvmTest, kSizes,
                 .property =
                     "the size in the ioctl's number must hold the attributes told, else "
                     "EINVAL and nothing is done",
                 .rules = "SVM-12", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  WithKernel([this](gpu::Session& session) {
    const SvmMemory memory(1);
    const std::size_t bytes =
        sizeof(kfd_ioctl_svm_args) + param().room * sizeof(kfd_ioctl_svm_attribute);
    std::vector<std::uint64_t> buffer(bytes / sizeof(std::uint64_t) + 1);
    auto* const args = reinterpret_cast<kfd_ioctl_svm_args*>(buffer.data());
    args->start_addr = reinterpret_cast<std::uintptr_t>(memory.Word(0));
    args->size = PageSize();
    args->op = KFD_IOCTL_SVM_OP_SET_ATTR;
    args->nattr = param().told;
    for (std::size_t i = 0; i < param().room; ++i) {
      args->attrs[i] = {KFD_IOCTL_SVM_ATTR_GRANULARITY, static_cast<std::uint32_t>(20 + i)};
    }
    const unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, AMDKFD_IOCTL_BASE, 0x20, bytes);
    EXPECT_EQ(gpu::Ioctl(session.kfd().fd(), request, args), param().error);
    std::vector<gpu::SvmAttribute> asked{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}};
    ASSERT_EQ(gpu::SvmGet(session.kfd(), memory.All(), asked), 0);
    const bool set = param().error == 0 && param().told > 0;
    EXPECT_EQ(asked[0].value, set ? 20 + param().told - 1 : 9);
  });
}

}  // namespace kfdcts::suites
