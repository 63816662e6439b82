// Shared virtual memory: attributes, and pages that move between system memory and VRAM.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "harness/check/fixture.h"
#include "harness/gpu/memory.h"
#include "harness/gpu/pagemap.h"
#include "harness/gpu/smi_events.h"
#include "harness/gpu/svm.h"

namespace kfdcts::check {
namespace {

using gpu::CountPages;
using gpu::HostMemory;
using gpu::PageCounts;
using gpu::SvmAttribute;

constexpr std::uint64_t kBytes = 2 * gpu::kHugePageBytes;
constexpr std::size_t kPages = kBytes / gpu::kPageBytes;
constexpr std::size_t kGranulePages = 512;  // the default granularity of 9
constexpr std::uint32_t kUndefined = 0xffffffff;

constexpr PageCounts InSystem(std::size_t pages) {
  return {.present = pages, .swapped = 0, .absent = 0};
}
constexpr PageCounts InVram(std::size_t pages) {
  return {.present = 0, .swapped = pages, .absent = 0};
}

class Svm : public GpuCheck {
 public:
  std::string Missing() override {
    if (auto missing = GpuCheck::Missing(); !missing.empty()) return missing;
    return NeedsSvm(session());
  }
  /// Anonymous memory with a pattern, which this GPU may use.
  HostMemory Registered(std::uint32_t seed, std::uint64_t bytes = kBytes) {
    HostMemory memory(HostMemory::Kind::kAnonymous, bytes);
    gpu::FillPattern(memory.span(), seed);
    gpu::Require(
        gpu::SvmSet(session().kfd(), memory.span(), {{KFD_IOCTL_SVM_ATTR_ACCESS, gpu().id()}}),
        "SVM ACCESS");
    return memory;
  }
};
ON_EACH_GPU(Svm);

GPU_CHECK(Svm, DefaultsOfMemoryNeverRegistered) {
  const HostMemory memory(HostMemory::Kind::kAnonymous, kBytes);
  std::vector<SvmAttribute> attributes{
      {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0}, {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0},
      {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0},     {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0},
      {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0},   {KFD_IOCTL_SVM_ATTR_ACCESS, check.gpu().id()}};
  ASSERT_EQ(gpu::SvmGet(check.session().kfd(), memory.span(), attributes), 0);
  EXPECT_EQ(attributes[0].value, kUndefined);
  EXPECT_EQ(attributes[1].value, kUndefined);
  constexpr std::uint32_t kFlags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
  EXPECT_EQ(attributes[2].value, kFlags);
  EXPECT_EQ(attributes[3].value, ~kFlags);
  EXPECT_EQ(attributes[4].value, 9U);
  const bool xnack = check.session().kfd().XnackMode() == 1;
  EXPECT_EQ(attributes[5].type, xnack ? KFD_IOCTL_SVM_ATTR_ACCESS : KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

GPU_CHECK(Svm, GetGivesWhatWasSet) {
  const HostMemory memory(HostMemory::Kind::kAnonymous, kBytes);
  const std::uint32_t id = check.gpu().id();
  ASSERT_EQ(gpu::SvmSet(check.session().kfd(), memory.span(),
                        {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, id},
                         {KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, id},
                         {KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY},
                         {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, KFD_IOCTL_SVM_FLAG_COHERENT},
                         {KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}}),
            0);
  std::vector<SvmAttribute> attributes{{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0},
                                       {KFD_IOCTL_SVM_ATTR_ACCESS, id},
                                       {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0},
                                       {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}};
  ASSERT_EQ(gpu::SvmGet(check.session().kfd(), memory.span(), attributes), 0);
  EXPECT_EQ(attributes[0].value, id);
  EXPECT_EQ(attributes[1].type, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
  EXPECT_EQ(attributes[2].value,
            std::uint32_t{KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY});
  EXPECT_EQ(attributes[3].value, 5U);
}

GPU_CHECK(Svm, PrefetchMovesEveryPageToVram) {
  SKIP_UNLESS(NeedsNoSwap());
  const HostMemory memory = check.Registered(1);
  EXPECT_EQ(CountPages(memory.span()), InSystem(kPages));
  ASSERT_EQ(gpu::SvmPrefetch(check.session().kfd(), memory.span(), check.gpu().id()), 0);
  EXPECT_EQ(CountPages(memory.span()), InVram(kPages));
  std::vector<SvmAttribute> attributes{{KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0}};
  ASSERT_EQ(gpu::SvmGet(check.session().kfd(), memory.span(), attributes), 0);
  EXPECT_EQ(attributes[0].value, check.gpu().id());
}

GPU_CHECK(Svm, CpuReadsBringEveryPageBackWithItsData) {
  SKIP_UNLESS(NeedsNoSwap());
  const HostMemory memory = check.Registered(2);
  ASSERT_EQ(gpu::SvmPrefetch(check.session().kfd(), memory.span(), check.gpu().id()), 0);
  ASSERT_EQ(CountPages(memory.span()), InVram(kPages));
  EXPECT_EQ(gpu::FirstMismatch(memory.span(), 2), kBytes);
  EXPECT_EQ(CountPages(memory.span()), InSystem(kPages));
}

GPU_CHECK(Svm, CpuTouchOfOneByteBringsItsGranuleBack) {
  SKIP_UNLESS(NeedsNoSwap());
  const HostMemory memory = check.Registered(3);
  ASSERT_EQ(gpu::SvmPrefetch(check.session().kfd(), memory.span(), check.gpu().id()), 0);
  gpu::StoreRelease(memory.as<std::uint32_t>() + 1000, 5U);
  EXPECT_EQ(CountPages(memory.span().first(gpu::kHugePageBytes)), InSystem(kGranulePages));
  EXPECT_EQ(CountPages(memory.span().subspan(gpu::kHugePageBytes)), InVram(kPages - kGranulePages));
}

GPU_CHECK(Svm, PrefetchToSystemBringsEveryPageBackWithItsData) {
  SKIP_UNLESS(NeedsNoSwap());
  const HostMemory memory = check.Registered(4);
  ASSERT_EQ(gpu::SvmPrefetch(check.session().kfd(), memory.span(), check.gpu().id()), 0);
  ASSERT_EQ(CountPages(memory.span()), InVram(kPages));
  ASSERT_EQ(gpu::SvmPrefetch(check.session().kfd(), memory.span(), KFD_IOCTL_SVM_LOCATION_SYSMEM),
            0);
  EXPECT_EQ(CountPages(memory.span()), InSystem(kPages));
  EXPECT_EQ(gpu::FirstMismatch(memory.span(), 4), kBytes);
}

GPU_CHECK(Svm, MigrationsAreReportedAsEvents) {
  gpu::SmiEvents events(check.gpu(), KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_START) |
                                         KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_MIGRATE_END));
  const HostMemory memory = check.Registered(5, gpu::kHugePageBytes);
  ASSERT_EQ(gpu::SvmPrefetch(check.session().kfd(), memory.span(), check.gpu().id()), 0);
  for (const std::uint32_t type : {KFD_SMI_EVENT_MIGRATE_START, KFD_SMI_EVENT_MIGRATE_END}) {
    const auto event = events.Next();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->type, type);
    EXPECT_EQ(event->process, static_cast<std::uint32_t>(getpid()));
    EXPECT_EQ(event->address, memory.address());
    EXPECT_EQ(event->bytes, gpu::kHugePageBytes);
    EXPECT_EQ(event->from, 0U);
    EXPECT_EQ(event->to, check.gpu().id());
    EXPECT_EQ(event->trigger, KFD_MIGRATE_TRIGGER_PREFETCH);
  }
}

GPU_CHECK(Svm, WrongArguments) {
  const auto& kfd = check.session().kfd();
  const HostMemory memory(HostMemory::Kind::kAnonymous, kBytes);
  std::vector<SvmAttribute> good{{KFD_IOCTL_SVM_ATTR_ACCESS, check.gpu().id()}};
  const auto set = [&](const std::byte* address, std::uint64_t bytes,
                       std::vector<SvmAttribute> attributes) {
    return gpu::SvmCall(kfd, KFD_IOCTL_SVM_OP_SET_ATTR, address, bytes, attributes);
  };
  EXPECT_EQ(set(memory.data() + 8, gpu::kPageBytes, good), EINVAL) << "address not of a page";
  EXPECT_EQ(set(memory.data(), 100, good), EINVAL) << "size not of pages";
  EXPECT_EQ(set(memory.data(), 0, good), EINVAL) << "size of zero";
  EXPECT_EQ(set(memory.data(), kBytes, {{KFD_IOCTL_SVM_ATTR_ACCESS, 0xbad1}}), EINVAL)
      << "unknown GPU";
  EXPECT_EQ(set(memory.data(), kBytes, {{0x77, 0}}), EINVAL) << "unknown attribute";
  EXPECT_EQ(gpu::SvmCall(kfd, 7, memory.data(), kBytes, good), EINVAL) << "unknown operation";
  const HostMemory reserved(HostMemory::Kind::kAnonymous, 3 * gpu::kPageBytes);
  munmap(reserved.data() + gpu::kPageBytes, gpu::kPageBytes);
  EXPECT_EQ(set(reserved.data(), 3 * gpu::kPageBytes, good), EFAULT) << "a hole";
}

GPU_CHECK(Svm, MoreAttributesThanTheCallHoldsIsEINVAL) {
  const HostMemory memory(HostMemory::Kind::kAnonymous, kBytes);
  kfd_ioctl_svm_args args{};
  args.start_addr = memory.address();
  args.size = kBytes;
  args.op = KFD_IOCTL_SVM_OP_GET_ATTR;
  args.nattr = 1;
  EXPECT_EQ(check.session().kfd().Call(AMDKFD_IOC_SVM, args), EINVAL);
}

class SvmPair : public PairCheck {};
ON_EACH_PAIR(SvmPair);

GPU_CHECK(SvmPair, PagesGoFromGpuToGpuWithTheirData) {
  SKIP_UNLESS(NeedsSvm(check.session()));
  SKIP_UNLESS(NeedsNoSwap());
  const auto& kfd = check.session().kfd();
  const HostMemory memory(HostMemory::Kind::kAnonymous, kBytes);
  gpu::FillPattern(memory.span(), 6);
  ASSERT_EQ(gpu::SvmSet(kfd, memory.span(),
                        {{KFD_IOCTL_SVM_ATTR_ACCESS, check.first().id()},
                         {KFD_IOCTL_SVM_ATTR_ACCESS, check.second().id()}}),
            0);
  for (const std::uint32_t location :
       {check.first().id(), check.second().id(), check.first().id()}) {
    ASSERT_EQ(gpu::SvmPrefetch(kfd, memory.span(), location), 0);
    EXPECT_EQ(CountPages(memory.span()), InVram(kPages));
  }
  EXPECT_EQ(gpu::FirstMismatch(memory.span(), 6), kBytes);
  EXPECT_EQ(CountPages(memory.span()), InSystem(kPages));
}

}  // namespace
}  // namespace kfdcts::check
