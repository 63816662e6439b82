#include "harness/vgpu/transport/irq_set.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "harness/vgpu/test/transport/memfd.h"

namespace kfdcts::vgpu {
namespace {

constexpr std::uint32_t kTrigger = VFIO_IRQ_SET_ACTION_TRIGGER;
constexpr std::uint32_t kMask = VFIO_IRQ_SET_ACTION_MASK;
constexpr std::uint32_t kUnmask = VFIO_IRQ_SET_ACTION_UNMASK;
constexpr std::uint32_t kNone = VFIO_IRQ_SET_DATA_NONE;
constexpr std::uint32_t kBool = VFIO_IRQ_SET_DATA_BOOL;
constexpr std::uint32_t kEventFd = VFIO_IRQ_SET_DATA_EVENTFD;

struct Fields {
  std::uint32_t flags;
  std::uint32_t index = VFIO_PCI_MSI_IRQ_INDEX;
  std::uint32_t start = 0;
  std::uint32_t count = 1;
};

class IrqSetTest : public testing::Test {
 protected:
  int Set(const Fields& fields, std::vector<UniqueFd> fds = {},
          std::optional<bool> value = std::nullopt) {
    vfio_irq_set request = {};
    request.argsz = sizeof(request);
    request.flags = fields.flags;
    request.index = fields.index;
    request.start = fields.start;
    request.count = fields.count;
    const std::byte data[1] = {value.value_or(false) ? std::byte{1} : std::byte{0}};
    return irqs_.Set(request, std::span(data).first(value ? 1 : 0), std::move(fds));
  }
  int Assign(int fd) {
    std::vector<UniqueFd> fds;
    fds.emplace_back(dup(fd));
    return Set({kEventFd | kTrigger}, std::move(fds));
  }
  /// Signals since the last call.
  std::uint64_t Taken() {
    eventfd_t value = 0;
    return eventfd_read(event_.get(), &value) == 0 ? value : 0;
  }

  IrqSet irqs_;
  UniqueFd event_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

TEST_F(IrqSetTest, MsiHasOneVectorTheOthersNone) {
  EXPECT_EQ(IrqSet::Vectors(VFIO_PCI_MSI_IRQ_INDEX), 1U);
  EXPECT_EQ(IrqSet::Vectors(VFIO_PCI_INTX_IRQ_INDEX), 0U);
  EXPECT_EQ(IrqSet::Vectors(VFIO_PCI_MSIX_IRQ_INDEX), 0U);
  EXPECT_TRUE(IrqSet::Flags(VFIO_PCI_MSI_IRQ_INDEX) & VFIO_IRQ_INFO_EVENTFD);
}

TEST_F(IrqSetTest, TriggerSignalsTheDescriptor) {
  ASSERT_EQ(Assign(event_.get()), 0);
  irqs_.Trigger();
  irqs_.Trigger();
  EXPECT_EQ(Taken(), 2U);
  EXPECT_EQ(irqs_.delivered(), 2U);
}

TEST_F(IrqSetTest, WithoutDescriptorItIsLost) {
  irqs_.Trigger();
  ASSERT_EQ(Assign(event_.get()), 0);
  EXPECT_EQ(Taken(), 0U);
  EXPECT_EQ(irqs_.lost(), 1U);
}

TEST_F(IrqSetTest, NoDescriptorsTakeTheOldOneAway) {
  ASSERT_EQ(Assign(event_.get()), 0);
  const std::size_t fds = OpenFds();
  ASSERT_EQ(Set({kEventFd | kTrigger}), 0);
  EXPECT_EQ(OpenFds(), fds - 1);
  irqs_.Trigger();
  EXPECT_EQ(Taken(), 0U);
}

TEST_F(IrqSetTest, CountZeroDisablesTheIndex) {
  ASSERT_EQ(Assign(event_.get()), 0);
  ASSERT_EQ(Set({kNone | kTrigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 0}), 0);
  irqs_.Trigger();
  EXPECT_EQ(Taken(), 1U) << "another index was meant";
  ASSERT_EQ(Set({kNone | kTrigger, VFIO_PCI_MSI_IRQ_INDEX, 0, 0}), 0);
  irqs_.Trigger();
  EXPECT_EQ(Taken(), 0U);
}

TEST_F(IrqSetTest, MaskedOneComesWhenUnmasked) {
  ASSERT_EQ(Assign(event_.get()), 0);
  ASSERT_EQ(Set({kNone | kMask}), 0);
  irqs_.Trigger();
  irqs_.Trigger();
  EXPECT_EQ(Taken(), 0U);
  ASSERT_EQ(Set({kNone | kUnmask}), 0);
  EXPECT_EQ(Taken(), 1U);
  irqs_.Trigger();
  EXPECT_EQ(Taken(), 1U);
}

TEST_F(IrqSetTest, BooleansSelect) {
  ASSERT_EQ(Assign(event_.get()), 0);
  EXPECT_EQ(Set({kBool | kTrigger}, {}, false), 0);
  EXPECT_EQ(Taken(), 0U);
  EXPECT_EQ(Set({kBool | kTrigger}, {}, true), 0);
  EXPECT_EQ(Taken(), 1U);
  EXPECT_EQ(Set({kBool | kTrigger}), EINVAL) << "no boolean came";
}

TEST_F(IrqSetTest, FullCounterDoesNotBlock) {
  const UniqueFd blocking(eventfd(0, EFD_CLOEXEC));
  ASSERT_EQ(eventfd_write(blocking.get(), ~std::uint64_t{0} - 1), 0);
  ASSERT_EQ(Assign(blocking.get()), 0);
  irqs_.Trigger();
  EXPECT_EQ(irqs_.delivered(), 1U);
}

TEST_F(IrqSetTest, OnlyEventFdsAreTaken) {
  int pipe_fds[2];
  ASSERT_EQ(pipe2(pipe_fds, O_CLOEXEC), 0);
  const UniqueFd reader(pipe_fds[0]), writer(pipe_fds[1]);
  EXPECT_EQ(Assign(writer.get()), EINVAL);
  EXPECT_EQ(Assign(MakeMemfd(4096).get()), EINVAL);
}

TEST_F(IrqSetTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Set({kNone | kBool | kTrigger}), EINVAL) << "two kinds of data";
  EXPECT_EQ(Set({kNone | kMask | kUnmask}), EINVAL) << "two actions";
  EXPECT_EQ(Set({kTrigger}), EINVAL) << "no kind of data";
  EXPECT_EQ(Set({kNone}), EINVAL) << "no action";
  EXPECT_EQ(Set({kNone | kTrigger | 0x80}), EINVAL) << "unknown flag";
  EXPECT_EQ(Set({kNone | kTrigger, IrqSet::kIndexCount}), EINVAL) << "unknown index";
  EXPECT_EQ(Set({kNone | kTrigger, VFIO_PCI_INTX_IRQ_INDEX}), EINVAL) << "no vectors there";
  EXPECT_EQ(Set({kNone | kTrigger, VFIO_PCI_MSI_IRQ_INDEX, 1, 1}), EINVAL) << "second vector";
  EXPECT_EQ(Set({kNone | kTrigger, VFIO_PCI_MSI_IRQ_INDEX, 0, 0xffffffff}), EINVAL);
  EXPECT_EQ(Set({kNone | kMask, VFIO_PCI_MSI_IRQ_INDEX, 0, 0}), EINVAL) << "count 0 but no disable";
  EXPECT_EQ(Set({kEventFd | kMask}), EINVAL) << "no events for masking";
}

TEST_F(IrqSetTest, RefusedDescriptorsAreClosed) {
  const std::size_t before = OpenFds();
  std::vector<UniqueFd> fds;
  fds.emplace_back(dup(event_.get()));
  fds.emplace_back(dup(event_.get()));
  EXPECT_EQ(Set({kEventFd | kTrigger}, std::move(fds)), EINVAL);
  EXPECT_EQ(OpenFds(), before);
}

}  // namespace
}  // namespace kfdcts::vgpu
