// What the kernel answers, asked without a thunk by a process of its own: errno and what the ioctl
// wrote over the attributes.
#include <cerrno>

#include "harness/gpu/buffer.h"
#include "harness/gpu/svm.h"
#include "suites/support/svm_test.h"
#include "suites/svm_range/with_kernel.h"

namespace kfdcts::suites {
namespace {

using gpu::SvmAttribute;
using Attributes = std::vector<SvmAttribute>;

constexpr std::uint32_t kUndefined = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
constexpr std::uint32_t kNoGpu = 0x12345678;

std::uint32_t GranularityOf(const gpu::Kfd& kfd, std::span<std::byte> pages) {
  Attributes asked{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}};
  EXPECT_EQ(gpu::SvmGet(kfd, pages, asked), 0);
  return asked[0].value;
}

struct SetCase {
  std::string_view name;
  SvmAttribute last;  ///< After a valid one.
};

constexpr SetCase kRefusedBySet[] = {
    {"unknown_type", {8, 0}},
    {"largest_type", {0xFFFFFFFF, 0}},
    {"access_of_no_gpu", {KFD_IOCTL_SVM_ATTR_ACCESS, kNoGpu}},
    {"in_place_of_no_gpu", {KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, kNoGpu}},
    {"no_access_of_no_gpu", {KFD_IOCTL_SVM_ATTR_NO_ACCESS, kNoGpu}},
    {"access_of_sysmem", {KFD_IOCTL_SVM_ATTR_ACCESS, 0}},
    {"access_of_undefined", {KFD_IOCTL_SVM_ATTR_ACCESS, kUndefined}},
    {"preferred_no_gpu", {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, kNoGpu}},
    {"prefetch_no_gpu", {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, kNoGpu}},
    {"prefetch_undefined", {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, kUndefined}},
};

struct GetCase {
  std::string_view name;
  SvmAttribute last;
  bool first_is_answered;  ///< By then the entries before it were overwritten.
};

constexpr GetCase kRefusedByGet[] = {
    {"in_place", {KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, kNoGpu}, false},
    {"no_access", {KFD_IOCTL_SVM_ATTR_NO_ACCESS, kNoGpu}, false},
    {"unknown_type", {8, 0}, false},
    {"access_of_no_gpu", {KFD_IOCTL_SVM_ATTR_ACCESS, kNoGpu}, true},
    {"access_of_sysmem", {KFD_IOCTL_SVM_ATTR_ACCESS, 0}, true},
};

struct IntervalCase {
  std::string_view name;
  std::ptrdiff_t start;  ///< Bytes from the memory's second page; no address at all for kNull.
  std::uint64_t size;
};
constexpr std::ptrdiff_t kNull = PTRDIFF_MIN;

constexpr IntervalCase kBadIntervals[] = {
    {"null_start", kNull, 65536},         {"no_size", 0, 0},
    {"start_inside_page", 8, 65536},      {"size_inside_page", 0, 8},
    {"size_of_pages_and_more", 0, 65544},
};

}  // namespace

KFD_TEST_CASES_F(SVMRange, KernelSetRefuses, SvmTest, kRefusedBySet,
                 .property =
                     "the kernel refuses a set with one wrong attribute with EINVAL, and "
                     "neither changes a range nor makes one",
                 .rules = "SVM-2 SVM-13", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  WithKernel([this](gpu::Session& session) {
    const SvmMemory memory(4);
    const Attributes attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}, param().last};
    ASSERT_EQ(gpu::SvmSet(session.kfd(), memory.Pages(0, 2), {{KFD_IOCTL_SVM_ATTR_GRANULARITY, 7}}),
              0);
    EXPECT_EQ(gpu::SvmSet(session.kfd(), memory.All(), attributes), EINVAL);
    EXPECT_EQ(GranularityOf(session.kfd(), memory.Pages(0, 2)), 7U);
    EXPECT_EQ(GranularityOf(session.kfd(), memory.Pages(2, 2)), 9U);
  });
}

KFD_TEST_CASES_F(SVMRange, KernelGetRefuses, SvmTest, kRefusedByGet,
                 .property =
                     "the kernel refuses to be asked with ACCESS_IN_PLACE or NO_ACCESS, an "
                     "unknown type or GPU with EINVAL; only for an unknown GPU were "
                     "earlier entries overwritten",
                 .rules = "SVM-2", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  WithKernel([this](gpu::Session& session) {
    const SvmMemory memory(1);
    Attributes asked{
        {KFD_IOCTL_SVM_ATTR_GRANULARITY, 33}, param().last, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 34}};
    EXPECT_EQ(gpu::SvmGet(session.kfd(), memory.All(), asked), EINVAL);
    EXPECT_EQ(asked[0].value, param().first_is_answered ? 9U : 33U);
    EXPECT_EQ(asked[2].value, 34U);
  });
}

KFD_TEST_CASES_F(SVMRange, KernelRefusesIntervals, SvmTest, kBadIntervals,
                 .property =
                     "the kernel refuses an interval that is null, empty or not of whole "
                     "pages with EINVAL, set and asked",
                 .rules = "SVM-1", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  WithKernel([this](gpu::Session& session) {
    const SvmMemory memory(64);
    std::byte* const start = param().start == kNull ? nullptr : memory.All().data() + param().start;
    Attributes attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    for (const std::uint32_t operation : {KFD_IOCTL_SVM_OP_SET_ATTR, KFD_IOCTL_SVM_OP_GET_ATTR}) {
      EXPECT_EQ(gpu::SvmCall(session.kfd(), operation, start, param().size, attributes), EINVAL);
    }
    EXPECT_EQ(attributes[0].value, 5U);
    EXPECT_EQ(GranularityOf(session.kfd(), memory.All()), 9U);
  });
}

// Golden rule 26. Asked only: a set of it that went through would make ranges up to the last page.
KFD_TEST_F(SVMRange, IntervalPastTheEnd, SvmTest,
           .property =
               "an interval that reaches past the last address is refused, though its first "
               "page is mapped",
           .rules = "SVM-3", .guards = "BUG-64", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm}) {
  WithKernel([](gpu::Session& session) {
    const SvmMemory memory(1);
    const auto start = reinterpret_cast<std::uintptr_t>(memory.Word(0));
    Attributes attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    EXPECT_NE(gpu::SvmCall(session.kfd(), KFD_IOCTL_SVM_OP_GET_ATTR, memory.Word(0),
                           0 - start + PageSize(), attributes),
              0);
  });
}

KFD_TEST_F(SVMRange, KernelRefusesOperation, SvmTest,
           .property = "an operation that does not exist is EINVAL", .rules = "SVM-2",
           .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  WithKernel([](gpu::Session& session) {
    const SvmMemory memory(1);
    Attributes attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    EXPECT_EQ(gpu::SvmCall(session.kfd(), 2, memory.Word(0), PageSize(), attributes), EINVAL);
    EXPECT_EQ(GranularityOf(session.kfd(), memory.All()), 9U);
  });
}

KFD_TEST_F(SVMRange, SetChecksAttributesFirst, SvmTest,
           .property =
               "of a wrong attribute and an unmapped interval, set names the attribute "
               "(EINVAL) and get the interval (EFAULT)",
           .rules = "SVM-2 SVM-3", .scope = Scope::kFirstGpu, .needs = {Capability::kSvm}) {
  WithKernel([](gpu::Session& session) {
    SvmMemory memory(3);
    const auto pages = memory.All();
    memory.Unmap(1, 1);
    Attributes wrong{{8, 0}};
    EXPECT_EQ(gpu::SvmSet(session.kfd(), pages, wrong), EINVAL);
    EXPECT_EQ(gpu::SvmGet(session.kfd(), pages, wrong), EFAULT);
    Attributes right{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    EXPECT_EQ(gpu::SvmSet(session.kfd(), pages, right), EFAULT);
    EXPECT_EQ(gpu::SvmGet(session.kfd(), pages, right), EFAULT);
    EXPECT_EQ(right[0].value, 5U);
  });
}

KFD_TEST_F(SVMRange, KernelRefusesBufferObject, SvmTest,
           .property =
               "an interval that overlaps a buffer object's mapping for the GPU is "
               "EADDRINUSE, set and asked, and one beside it is not",
           .rules = "SVM-3", .needs = {Capability::kSvm}) {
  WithKernel([this](gpu::Session& session) {
    auto& own = session.gpu(static_cast<std::size_t>(gpu().ordinal));
    gpu::Buffer buffer(own, gpu::BufferKind::kUserptr, 4 * PageSize());
    Attributes attributes{{KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}};
    EXPECT_EQ(gpu::SvmSet(session.kfd(), buffer.span(), attributes), EADDRINUSE);
    EXPECT_EQ(gpu::SvmGet(session.kfd(), buffer.span(), attributes), EADDRINUSE);
    const auto last = buffer.span().subspan(3 * PageSize());
    EXPECT_EQ(gpu::SvmSet(session.kfd(), last, attributes), EADDRINUSE);
    ASSERT_EQ(buffer.Unmap(own), 0);
    EXPECT_EQ(gpu::SvmSet(session.kfd(), buffer.span(), attributes), 0);
  });
}

}  // namespace kfdcts::suites
