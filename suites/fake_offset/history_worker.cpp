#include "suites/fake_offset/history_worker.h"

#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include "harness/gpu/gem.h"
#include "suites/fake_offset/fd_passing.h"

namespace kfdcts::suites {
namespace {

using Kind = Step::Kind;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kNoHandle = 0x7ffffff0;

/// What the first word of a buffer is.
std::uint32_t MarkOf(int buffer) { return 0x9e3779b1U * static_cast<std::uint32_t>(buffer + 1); }

struct Mapping {
  void* start;
  std::size_t bytes;
};

/// One process of a history.
class Worker {
 public:
  Worker(OffsetSource& source, UniqueFd connection)
      : source_(source), connection_(std::move(connection)) {}

  void ServeOne() {
    Request request;
    UniqueFd given =
        ReceiveBytes(connection_.get(), std::as_writable_bytes(std::span(&request, 1)));
    Response response;
    UniqueFd back;
    try {
      response.answer.error = Do(request, std::move(given), response, back);
    } catch (const std::system_error& error) {
      response.answer.error = error.code().value();
    }
    SendBytes(connection_.get(), std::as_bytes(std::span(&response, 1)), back.get());
  }

 private:
  int Do(const Request& request, UniqueFd given, Response& response, UniqueFd& back) {
    const Step& step = request.step;
    const std::uint32_t handle = request.handle != 0 ? request.handle : kNoHandle;
    switch (step.kind) {
      case Kind::kOpen:
        files_[step.file] = source_.Open();
        return 0;
      case Kind::kCloseFile:
        return files_.erase(step.file) == 1 ? 0 : EBADF;
      case Kind::kCreate:
        return Create(request, response.answer);
      case Kind::kAsk:
        return source_.Ask(FileOf(step), handle, &response.answer.offset);
      case Kind::kMap:
      case Kind::kMapFirst:
        return Map(request, response.answer);
      case Kind::kMapInside:
        return TryMap(FileOf(step), request.offset + kPage, request.bytes - kPage);
      case Kind::kMapPast:
        return TryMap(FileOf(step), request.offset, request.bytes + kPage);
      case Kind::kUnmap:
        return Unmap(step.thing);
      case Kind::kExport:
        return Export(FileOf(step), handle, &dma_bufs_[step.thing]);
      case Kind::kPass:
        return Pass(request, std::move(given), back);
      case Kind::kImport:
        return Import(FileOf(step), dma_bufs_.at(step.thing).get(), &response.answer.handle);
      case Kind::kCloseDmaBuf:
        return dma_bufs_.erase(step.thing) == 1 ? 0 : EBADF;
      case Kind::kCloseHandle:
        return CloseHandle(FileOf(step), handle);
      case Kind::kFork:
        return Fork(std::move(given), response);
      case Kind::kDie:
        break;  // done to it, not by it
    }
    return ENOSYS;
  }

  int FileOf(const Step& step) const { return files_.at(step.file).get(); }

  /// With the buffer's mark in it.
  int Create(const Request& request, Answer& answer) {
    const int file = FileOf(request.step);
    answer.handle = source_.Create(file, request.bytes);
    if (const int error = source_.Ask(file, answer.handle, &answer.offset); error != 0)
      return error;
    const gpu::FileMapping mapping(file, answer.offset, kPage);
    *reinterpret_cast<volatile std::uint32_t*>(mapping.span().data()) = MarkOf(request.step.buffer);
    return 0;
  }

  int Map(const Request& request, Answer& answer) {
    const std::size_t bytes = request.step.kind == Kind::kMapFirst ? kPage : request.bytes;
    void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                             FileOf(request.step), static_cast<off_t>(request.offset));
    if (start == MAP_FAILED) return errno;
    answer.right = *static_cast<volatile std::uint32_t*>(start) == MarkOf(request.step.buffer);
    mappings_[request.step.thing] = {start, bytes};
    return 0;
  }

  int Unmap(int thing) {
    const Mapping mapping = mappings_.at(thing);
    mappings_.erase(thing);
    return munmap(mapping.start, mapping.bytes) == 0 ? 0 : errno;
  }

  int Pass(const Request& request, UniqueFd given, UniqueFd& back) {
    if (request.receives) {
      dma_bufs_[request.step.thing] = std::move(given);
      return 0;
    }
    back = UniqueFd(dup(dma_bufs_.at(request.step.thing).get()));
    return back.valid() ? 0 : errno;
  }

  /// The child goes on in the caller's loop, by its own connection.
  int Fork(UniqueFd connection, Response& response) {
    response.child = fork();
    if (response.child < 0) return errno;
    if (response.child == 0) {
      connection_ = std::move(connection);
      response.child = getpid();  // its first words, by which the director knows it is there
    }
    return 0;
  }

  OffsetSource& source_;
  UniqueFd connection_;
  std::map<int, UniqueFd> files_;
  std::map<int, UniqueFd> dma_bufs_;
  std::map<int, Mapping> mappings_;
};

}  // namespace

void Work(OffsetSource& source, UniqueFd connection) {
  Worker worker(source, std::move(connection));
  try {
    for (;;) worker.ServeOne();
  } catch (const std::exception&) {
    _exit(0);  // the director is gone, or has no more use for it
  }
}

}  // namespace kfdcts::suites
