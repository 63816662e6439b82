// Offsets between processes: what is inherited, what is passed on, and what a death leaves.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "harness/test_support/child.h"
#include "harness/vm/base/files.h"
#include "suites/fake_offset/fd_passing.h"
#include "suites/fake_offset/offset_test.h"

namespace kfdcts::suites {
namespace {

/// Tests whose child makes objects of its own.
class ChildMakesTest : public OffsetTest {
 protected:
  /// Runs `body`, which kills its process while it holds what it made, in a child.
  static void InDyingChild(const std::function<void()>& body) {
    const harness::ChildResult child = harness::RunInChild(body);
    EXPECT_EQ(child.signal, SIGKILL) << child.Describe();
  }

  void RequireForkable() {
    if (!source().WorksAfterFork()) {
      throw harness::CapabilityMissing("fork", "a forked child has no KFD to allocate from");
    }
  }
};

/// The program that maps what it was given by exec.
std::string Helper() {
  return (vm::ProgramFolder().parent_path() / "libexec/kfdcts/map_at").string();
}

}  // namespace

OFFSET_TEST(ChildsOwnFile,
            .property =
                "a child that opens the device itself gets EACCES at its parent's offset; "
                "the file that it inherited maps the object, with its contents",
            .rules = "OFF-6") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const gpu::FileMapping mapping(file.get(), offset, buffer.bytes());
  gpu::FillPattern(mapping.span(), 21);
  InChild([&] {
    const UniqueFd own = Open();
    EXPECT_EQ(TryMap(own.get(), offset, buffer.bytes()), EACCES);
    const gpu::FileMapping inherited(file.get(), offset, buffer.bytes());
    EXPECT_EQ(gpu::FirstMismatch(inherited.span(), 21), buffer.bytes());
  });
}

OFFSET_TEST(ChildClosesHandle,
            .property =
                "parent and child have one file by fork: a handle that the child closes is "
                "closed for the parent, too",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  const UniqueFd importer = Open();
  const Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const UniqueFd dma_buf = Exported(file.get(), buffer.handle());
  const Handle imported = Handle::Of(importer.get(), dma_buf);
  InChild([&] {
    EXPECT_EQ(CloseHandle(importer.get(), imported.get()), 0);
    EXPECT_EQ(TryMap(importer.get(), offset, buffer.bytes()), EACCES);
  });
  EXPECT_EQ(TryMap(importer.get(), offset, buffer.bytes()), EACCES);
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), 0);
}

OFFSET_TEST(DmaBufOverSocket,
            .property =
                "a process that gets the dma-buf over a socket imports the object into its "
                "own file at the same offset, and both see one memory",
            .rules = "OFF-6 OFF-7") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const SocketPair sockets;
  SendFd(sockets.one.get(), Exported(file.get(), buffer.handle()).get(), buffer.Offset());
  InChild([&] {
    const FdMessage message = ReceiveFd(sockets.other.get());
    const UniqueFd own = Open();
    EXPECT_EQ(TryMap(own.get(), message.number, buffer.bytes()), EACCES);
    const Handle imported = Handle::Of(own.get(), message.fd);
    std::uint64_t offset = 0;
    EXPECT_EQ(source().Ask(own.get(), imported.get(), &offset), 0);
    EXPECT_EQ(offset, message.number);
    const gpu::FileMapping mapping(own.get(), offset, buffer.bytes());
    gpu::FillPattern(mapping.span(), 22);
  });
  const gpu::FileMapping mapping(file.get(), buffer.Offset(), buffer.bytes());
  EXPECT_EQ(gpu::FirstMismatch(mapping.span(), 22), buffer.bytes());
}

OFFSET_TEST(NameInAnotherProcess,
            .property =
                "a process that opens an object by its name maps it at the same offset, "
                "until it closes its handle",
            .rules = "OFF-6 OFF-7") {
  const UniqueFd file = Open();
  const UniqueFd card = source().OpenCard();
  const Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  const Handle named = Handle::Of(card.get(), Exported(file.get(), buffer.handle()));
  std::uint32_t name = 0;
  ASSERT_EQ(NameHandle(card.get(), named.get(), &name), 0);
  InChild([&] {
    const UniqueFd own = source().OpenCard();
    EXPECT_EQ(TryMap(own.get(), offset, buffer.bytes()), EACCES);
    Handle opened = Handle::OfName(own.get(), name);
    std::uint64_t same = 0;
    EXPECT_EQ(AskDumb(own.get(), opened.get(), &same), 0);
    EXPECT_EQ(same, offset);
    EXPECT_EQ(TryMap(own.get(), offset, buffer.bytes()), 0);
    EXPECT_EQ(opened.Close(), 0);
    EXPECT_EQ(TryMap(own.get(), offset, buffer.bytes()), EACCES);
  });
}

OFFSET_TEST(ForkedMapping,
            .property =
                "a child's copy of a mapping, made by fork, shows the object and keeps it "
                "only as long as the child lives",
            .rules = "OFF-7 OFF-8") {
  const UniqueFd file = Open();
  Buffer buffer = Make(file);
  const std::uint64_t offset = buffer.Offset();
  auto mapping = std::make_unique<gpu::FileMapping>(file.get(), offset, buffer.bytes());
  ASSERT_EQ(buffer.Close(), 0);
  InChild([&] {
    gpu::FillPattern(mapping->span(), 23);
    mapping.reset();
  });
  EXPECT_FALSE(IsFree(file, offset));
  EXPECT_EQ(gpu::FirstMismatch(mapping->span(), 23), buffer.bytes());
  mapping.reset();
  EXPECT_EQ(TryMap(file.get(), offset, buffer.bytes()), EINVAL);
  EXPECT_TRUE(IsFree(file, offset));
}

OFFSET_TEST_F(DeathFreesOffset, ChildMakesTest,
              .property =
                  "a process that is killed with a handle, a dma-buf and a mapping of an "
                  "object leaves nothing: its offset is free",
              .rules = "OFF-8 OFF-14") {
  RequireForkable();
  const SocketPair sockets;
  InDyingChild([&] {
    const UniqueFd own = Open();
    const Buffer buffer = Make(own);
    const UniqueFd dma_buf = Exported(own.get(), buffer.handle());
    const gpu::FileMapping mapping(own.get(), buffer.Offset(), buffer.bytes());
    gpu::FillPattern(mapping.span(), 24);
    SendFd(sockets.one.get(), -1, buffer.Offset());
    raise(SIGKILL);
  });
  const std::uint64_t offset = ReceiveFd(sockets.other.get()).number;
  const UniqueFd file = Open();
  EXPECT_EQ(TryMap(file.get(), offset, 3 * PageSize()), EINVAL);
  EXPECT_TRUE(IsFree(file, offset));
}

OFFSET_TEST_F(MakerDies, ChildMakesTest,
              .property =
                  "an object outlives the process that made it where another has its "
                  "dma-buf: same offset, same contents",
              .rules = "OFF-7 OFF-8") {
  RequireForkable();
  const SocketPair sockets;
  InDyingChild([&] {
    const UniqueFd own = Open();
    const Buffer buffer = Make(own);
    const gpu::FileMapping mapping(own.get(), buffer.Offset(), buffer.bytes());
    gpu::FillPattern(mapping.span(), 25);
    SendFd(sockets.one.get(), Exported(own.get(), buffer.handle()).get(), buffer.Offset());
    raise(SIGKILL);
  });
  FdMessage message = ReceiveFd(sockets.other.get());
  const UniqueFd file = Open();
  EXPECT_EQ(TryMap(file.get(), message.number, 3 * PageSize()), EACCES);
  {
    const Handle imported = Handle::Of(file.get(), message.fd);
    const gpu::FileMapping mapping(file.get(), message.number, 3 * PageSize());
    EXPECT_EQ(gpu::FirstMismatch(mapping.span(), 25), 3 * PageSize());
  }
  message.fd.Close();
  EXPECT_TRUE(IsFree(file, message.number));
}

OFFSET_TEST(ExecKeepsFile,
            .property =
                "a program that inherits the file by exec maps the object; without the file "
                "it has nothing (EBADF)",
            .rules = "OFF-6") {
  const UniqueFd file = Open();
  const Buffer buffer = Make(file);
  const std::string offset = std::to_string(buffer.Offset());
  const std::string bytes = std::to_string(buffer.bytes());
  const auto exec_with = [&](int fd) {
    return harness::RunInChild([&] {
      const std::string program = Helper();
      execl(program.c_str(), program.c_str(), std::to_string(fd).c_str(), offset.c_str(),
            bytes.c_str(), nullptr);
      ADD_FAILURE() << program << ": " << strerror(errno);
    });
  };
  EXPECT_EQ(exec_with(file.get()).exit_code, EBADF);  // it is close-on-exec
  const UniqueFd inherited(dup(file.get()));
  EXPECT_EQ(exec_with(inherited.get()).exit_code, 0);
  const UniqueFd other = Open();
  const UniqueFd stranger(dup(other.get()));
  EXPECT_EQ(exec_with(stranger.get()).exit_code, EACCES);
}

}  // namespace kfdcts::suites
