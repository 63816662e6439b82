// Registered memory of the process: as user-pointer objects, and by the kernel's SVM.
#include <thread>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

HsaMemFlags Coarse() {
  HsaMemFlags flags{};
  flags.ui32.CoarseGrain = 1;
  return flags;
}

class UserPointerTest : public MemoryTest {
 protected:
  using MemoryTest::MemoryTest;
  std::byte* At(std::size_t offset) { return pages_ + offset; }
  HSAKMT_STATUS Register(void* address, std::size_t size, NodeList nodes = std::nullopt) {
    return memory().Register(address, size, nodes, Coarse());
  }

  alignas(kPage) std::byte pages_[8 * kPage] = {};
};

TEST_F(UserPointerTest, KeepsTheExactRange) {
  ASSERT_EQ(Register(At(77), 300), HSAKMT_STATUS_SUCCESS);
  const HsaPointerInfo info = Query(At(77 + 299));
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ(static_cast<void*>(info.CPUAddress), At(77));
  EXPECT_EQ(HSAuint64{info.SizeInBytes}, 300U);
  EXPECT_EQ(HSAuint64{info.GPUAddress} % kPage, 77U);
  EXPECT_EQ(Query(reinterpret_cast<void*>(HSAuint64{info.GPUAddress})).Type,
            HSA_POINTER_REGISTERED_USER);
  EXPECT_FALSE(Known(At(76)));
  EXPECT_FALSE(Known(At(377)));
  EXPECT_EQ(memory().Deregister(At(77)), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(At(77)));
  EXPECT_EQ(memory().Deregister(At(77)), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

TEST_F(UserPointerTest, RegistrationsAreCounted) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Register(At(0), kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().ObjectCount(), 1U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Known(At(0)));
    EXPECT_EQ(memory().Deregister(At(0)), HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_FALSE(Known(At(0)));
}

TEST_F(UserPointerTest, SizesOfOneAddress) {
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(Register(At(0), i * kPage), HSAKMT_STATUS_SUCCESS);
  }
  EXPECT_EQ(HSAuint64{Query(At(0)).SizeInBytes}, kPage);
  EXPECT_EQ(HSAuint64{Query(At(2 * kPage)).SizeInBytes}, 3 * kPage);
  EXPECT_EQ(memory().SetUserData(At(0), this), HSAKMT_STATUS_ERROR);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(memory().Deregister(At(0)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Deregister(At(0)), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

TEST_F(UserPointerTest, MappingsAreCounted) {
  ASSERT_EQ(Register(At(0), kPage), HSAKMT_STATUS_SUCCESS);
  HSAuint64 gpu_address = 0;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(memory().Map(At(0), kPage, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(gpu_address, HSAuint64{Query(At(0)).GPUAddress});
  }
  EXPECT_EQ(MappedNodes(Query(At(0))), (std::vector<HSAuint32>{1, 2}));
  EXPECT_EQ(memory().Unmap(At(0)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(HSAuint32{Query(At(0)).NMappedNodes}, 2U);
  EXPECT_EQ(memory().Unmap(At(0)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(HSAuint32{Query(At(0)).NMappedNodes}, 0U);
}

TEST_F(UserPointerTest, MappedOneIsUnmappedByItsDeregistration) {
  ASSERT_EQ(Register(At(0), kPage), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(MapTo(At(0), kPage, {1}), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Deregister(At(0)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(kernel_.Holdings().buffers, 0U);
  EXPECT_EQ(kernel_.Holdings().gpu_mappings, 0U);
}

TEST_F(UserPointerTest, NodesCannotChange) {
  const std::vector<HSAuint32> first{1};
  const std::vector<HSAuint32> second{2};
  const std::vector<HSAuint32> cpu{0};
  ASSERT_EQ(Register(At(0), kPage, first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Register(At(0), kPage, second), HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(Register(At(0), kPage, first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Register(At(0), kPage, cpu), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(MapTo(At(0), kPage, {2}), HSAKMT_STATUS_ERROR);
  const HsaPointerInfo info = Query(At(0));
  ASSERT_EQ(HSAuint32{info.NRegisteredNodes}, 1U);
  EXPECT_EQ(info.RegisteredNodes[0], 1U);
}

TEST_F(UserPointerTest, BadArguments) {
  void* const vram = Allocate(1, 2 * kPage, VisibleVram());
  EXPECT_EQ(Register(vram, 2 * kPage), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(Register(static_cast<std::byte*>(vram) + kPage, kPage), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(Register(At(0), 0), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Register(At(0), ~std::uint64_t{0}), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Register(nullptr, kPage), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(MapTo(At(0), kPage, {1}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(memory().Unmap(At(0)), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(memory().ObjectCount(), 1U);
}

TEST_F(UserPointerTest, ThreadsRegisterOnePointer) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(Register(At(0), kPage), HSAKMT_STATUS_SUCCESS);
        EXPECT_TRUE(Known(At(0)));
        EXPECT_EQ(memory().Deregister(At(0)), HSAKMT_STATUS_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory().Deregister(At(0)), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

class SvmRegistrationTest : public UserPointerTest {
 protected:
  SvmRegistrationTest() : UserPointerTest(MakeFakeMachine(), true) {}
};

TEST_F(SvmRegistrationTest, MakesNoObject) {
  ASSERT_EQ(Register(At(10), 5000), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(At(10)));
  EXPECT_EQ(kernel_.Holdings().buffers, 0U);
  HSAuint64 gpu_address = 0;
  ASSERT_EQ(memory().Map(At(10), 5000, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(gpu_address, reinterpret_cast<HSAuint64>(At(10)));
  EXPECT_EQ(memory().Unmap(At(10)), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Deregister(At(10)), HSAKMT_STATUS_SUCCESS);
}

TEST_F(SvmRegistrationTest, SetsAccessOnThePages) {
  HSAuint64 gpu_address = 0;
  ASSERT_EQ(memory().Map(At(kPage + 1), kPage, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  kfd_ioctl_svm_attribute asked[] = {{KFD_IOCTL_SVM_ATTR_ACCESS, connection_->gpu(1).gpu_id}};
  ASSERT_EQ(connection_->kfd().Svm(KFD_IOCTL_SVM_OP_GET_ATTR,
                                   reinterpret_cast<std::uint64_t>(At(kPage)), 2 * kPage, asked),
            0);
  EXPECT_EQ(asked[0].type, KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
}

TEST_F(SvmRegistrationTest, FallsBackToAUserPointer) {
  kernel_.FailNthOf(KfdCall(AMDKFD_IOC_SVM), 1, ENOMEM);
  ASSERT_EQ(Register(At(0), kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Query(At(0)).Type, HSA_POINTER_REGISTERED_USER);
}

TEST(SecondaryContext, HasNoUserPointers) {
  FakeKernel kernel;
  {
    Connection connection(kernel, true, false);
    ASSERT_EQ(connection.opened(), HSAKMT_STATUS_SUCCESS);
    alignas(kPage) static std::byte page[kPage];
    EXPECT_EQ(connection.memory().Register(page, kPage, std::nullopt, {}),
              HSAKMT_STATUS_NOT_SUPPORTED);
    void* address = nullptr;
    ASSERT_EQ(connection.memory().Allocate(0, kPage, 0, Paged(), &address), HSAKMT_STATUS_SUCCESS);
    *static_cast<int*>(address) = 1;
  }
  EXPECT_EQ(kernel.Leftovers(), "");
}

}  // namespace
}  // namespace kfdcts::thunk
