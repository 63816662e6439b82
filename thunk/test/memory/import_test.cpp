// Buffers from outside: graphics drivers' and other processes'.
#include <cstring>

#include "thunk/test/memory/memory_fixture.h"

namespace kfdcts::thunk {
namespace {

/// Tells the inode of each descriptor as its dma-buf's, which the fake kernel's stand-ins share.
class NumberedFiles : public FakeKernel {
 public:
  int ReadFile(const std::string& path, std::string& content) override {
    const int error = FakeKernel::ReadFile(path, content);
    if (error == 0 && path.starts_with("/proc/self/fdinfo/")) {
      content = "pos:\t0\nflags:\t02\nino:\t" + std::to_string(inode_) + "\n";
    }
    return error;
  }
  /// As the buffer that is asked about next.
  void NextIs(int inode) { inode_ = inode; }

 private:
  int inode_ = 77;
};

class SharingTest : public testing::Test {
 protected:
  ~SharingTest() override {
    connection_.reset();
    EXPECT_EQ(kernel_.Leftovers(), "");
  }

  Memory& memory() { return connection_->memory(); }
  void* Allocate(std::size_t size, HsaMemFlags flags) {
    void* address = nullptr;
    EXPECT_EQ(memory().Allocate(1, size, 0, flags, &address), HSAKMT_STATUS_SUCCESS);
    return address;
  }
  HSAKMT_STATUS Import() { return memory().RegisterShared(&handle_, &imported_, &size_, {}); }

  NumberedFiles kernel_;
  std::unique_ptr<Connection> connection_ = std::make_unique<Connection>(kernel_);
  HsaSharedMemoryHandle handle_ = {};
  void* imported_ = nullptr;
  HSAuint64 size_ = 0;
};

TEST_F(SharingTest, SharedMemoryIsOneMemory) {
  auto* const start = static_cast<int*>(Allocate(2 * kPage, VisibleVram()));
  ASSERT_EQ(memory().Share(start, 2 * kPage, &handle_), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(Import(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(size_, 2 * kPage);
  EXPECT_NE(imported_, start);
  HsaPointerInfo info{};
  ASSERT_EQ(memory().Query(imported_, &info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_SHARED);
  EXPECT_EQ(HSAuint32{info.Node}, 1U);
  EXPECT_EQ(static_cast<void*>(info.CPUAddress), nullptr);
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(memory().Map(imported_, size_, std::nullopt, &gpu_address), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Deregister(imported_), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(memory().Query(imported_, &info), HSAKMT_STATUS_ERROR);
}

TEST_F(SharingTest, SharedAgainTheHandleIsTheSame) {
  void* const start = Allocate(kPage, PrivateVram());
  HsaSharedMemoryHandle again = {};
  ASSERT_EQ(memory().Share(start, kPage, &handle_), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(memory().Share(start, kPage, &again), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(std::memcmp(handle_, again, sizeof(again)), 0);
  EXPECT_EQ(kernel_.Holdings().dmabuf_files, 1U);
}

TEST_F(SharingTest, BadArguments) {
  void* const start = Allocate(2 * kPage, VisibleVram());
  constexpr auto kInvalid = HSAKMT_STATUS_INVALID_PARAMETER;
  EXPECT_EQ(memory().Share(this, kPage, &handle_), kInvalid);
  EXPECT_EQ(memory().Share(start, 0, &handle_), kInvalid);
  EXPECT_EQ(memory().Share(start, kPage, &handle_), kInvalid);
  EXPECT_EQ(memory().Share(start, 3 * kPage, &handle_), kInvalid);
  EXPECT_EQ(kernel_.Holdings().dmabuf_files, 0U);
}

TEST_F(SharingTest, HandleOfFreedMemory) {
  void* const start = Allocate(kPage, VisibleVram());
  ASSERT_EQ(memory().Share(start, kPage, &handle_), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(memory().Free(start, kPage), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Import(), HSAKMT_STATUS_INVALID_HANDLE);
  // The descriptor's number belongs to another buffer now.
  void* const other = Allocate(kPage, VisibleVram());
  HsaSharedMemoryHandle other_handle = {};
  kernel_.NextIs(78);
  ASSERT_EQ(memory().Share(other, kPage, &other_handle), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Import(), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(memory().ObjectCount(), 1U);
}

class DamagedHandle : public SharingTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(DamagedHandle, IsRefused) {
  void* const start = Allocate(kPage, VisibleVram());
  ASSERT_EQ(memory().Share(start, kPage, &handle_), HSAKMT_STATUS_SUCCESS);
  handle_[GetParam()] ^= 0x01010101;
  EXPECT_EQ(Import(), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(memory().ObjectCount(), 1U);
  EXPECT_EQ(kernel_.Holdings().buffers, 1U);
}

INSTANTIATE_TEST_SUITE_P(EachWord, DamagedHandle, testing::Range(std::size_t{0}, std::size_t{8}));

TEST_F(SharingTest, FailedImportsLeaveNoAddresses) {
  void* const start = Allocate(kPage, VisibleVram());
  ASSERT_EQ(memory().Share(start, kPage, &handle_), HSAKMT_STATUS_SUCCESS);
  const std::uint64_t mapped = kernel_.Holdings().mapped_bytes;
  for (int i = 0; i < 100; ++i) {
    kernel_.FailNthOf(KfdCall(AMDKFD_IOC_IMPORT_DMABUF), 1, ENOMEM);
    EXPECT_EQ(Import(), HSAKMT_STATUS_NO_MEMORY);
  }
  EXPECT_EQ(kernel_.Holdings().mapped_bytes, mapped);
}

class GraphicsTest : public MemoryTest {
 protected:
  ~GraphicsTest() override { kernel_.Close(dmabuf_); }

  HSAKMT_STATUS Register(const std::vector<std::uint8_t>& metadata, NodeList nodes,
                         HSA_REGISTER_MEM_FLAGS flags = {}) {
    if (dmabuf_ < 0) dmabuf_ = kernel_.MakeGraphicsDmabuf(1, 3 * kPage, metadata);
    return memory().RegisterGraphics(static_cast<HSAuint64>(dmabuf_), &info_, nodes, flags);
  }

  int dmabuf_ = -1;
  HsaGraphicsResourceInfo info_{};
  const std::vector<HSAuint32> second_{2};
};

TEST_F(GraphicsTest, MetadataOfAnySize) {
  const std::vector<std::uint8_t> metadata(300, 0x5a);
  ASSERT_EQ(Register(metadata, second_), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(HSAuint32{info_.MetadataSizeInBytes}, 300U);
  EXPECT_EQ(std::memcmp(info_.Metadata, metadata.data(), 300), 0);
  EXPECT_EQ(HSAuint32{info_.NodeId}, 2U);
  EXPECT_EQ(HSAuint64{info_.SizeInBytes}, 3 * kPage);
  EXPECT_EQ(Query(info_.MemoryAddress).Type, HSA_POINTER_REGISTERED_GRAPHICS);
  EXPECT_EQ(memory().Deregister(info_.MemoryAddress), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(Known(info_.MemoryAddress));
}

TEST_F(GraphicsTest, WithoutMetadataItIsGraphicsAsWell) {
  ASSERT_EQ(Register({}, second_), HSAKMT_STATUS_SUCCESS);
  const HsaPointerInfo info = Query(info_.MemoryAddress);
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_GRAPHICS);
  ASSERT_EQ(HSAuint32{info.NRegisteredNodes}, 1U);
  EXPECT_EQ(info.RegisteredNodes[0], 2U);
  HSAuint64 gpu_address = 0;
  EXPECT_EQ(memory().Map(info_.MemoryAddress, 3 * kPage, std::nullopt, &gpu_address),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(MappedNodes(Query(info_.MemoryAddress)), second_);
}

TEST_F(GraphicsTest, ForNobodyItHasNoAddress) {
  ASSERT_EQ(Register({}, std::nullopt), HSAKMT_STATUS_SUCCESS);
  EXPECT_GE(reinterpret_cast<std::uintptr_t>(info_.MemoryAddress), std::uintptr_t{1} << 56);
  EXPECT_EQ(MapTo(info_.MemoryAddress, kPage, {2}), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(GraphicsTest, NotADmabuf) {
  EXPECT_EQ(memory().RegisterGraphics(9999, &info_, second_, {}), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(memory().ObjectCount(), 0U);
}

TEST_F(GraphicsTest, ExportTellsTheOffset) {
  auto* const start = static_cast<std::byte*>(Allocate(1, 4 * kPage, PrivateVram()));
  int fd = -1;
  HSAuint64 offset = 0;
  ASSERT_EQ(memory().ExportDmabuf(start + kPage, 3 * kPage, &fd, &offset), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(offset, kPage);
  kernel_.Close(fd);
  EXPECT_EQ(memory().ExportDmabuf(start + kPage, 4 * kPage, &fd, &offset),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(memory().ExportDmabuf(&fd, 1, &fd, &offset), HSAKMT_STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace kfdcts::thunk
