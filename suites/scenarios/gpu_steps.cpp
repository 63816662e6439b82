// Steps in which a GPU reads and writes.
#include <vector>

#include "suites/scenarios/player.h"
#include "suites/support/memory.h"

namespace kfdcts::suites {

namespace scenario = harness::scenario;

namespace {

/// Words that go into one packet.
constexpr std::size_t kWordsAtOnce = 256;

AtomicOp ToSupport(scenario::AtomicKind kind) {
  switch (kind) {
    case scenario::AtomicKind::kAdd32:
      return AtomicOp::kAdd32;
    case scenario::AtomicKind::kAdd64:
      return AtomicOp::kAdd64;
    case scenario::AtomicKind::kSwap32:
      return AtomicOp::kSwap32;
    case scenario::AtomicKind::kSwap64:
      return AtomicOp::kSwap64;
    case scenario::AtomicKind::kCompareSwap32:
      return AtomicOp::kCompareSwap32;
    case scenario::AtomicKind::kCompareSwap64:
      break;
  }
  return AtomicOp::kCompareSwap64;
}

Complaint NotDone(const WorkResult& result, const char* what) {
  if (result) return std::nullopt;
  return std::string("the GPU's ") + what + ": expected done, is " + result.Text();
}

WorkResult WritePattern(GpuWork& work, std::span<std::byte> pages, std::size_t first,
                        const scenario::Contents& contents) {
  WorkResult result;
  std::vector<std::uint32_t> words(kWordsAtOnce);
  for (std::size_t at = 0; at < pages.size(); at += kWordsAtOnce * sizeof words[0]) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = WordAt(contents, first * PageSize() + at + i * sizeof words[0]);
    }
    result = work.Write(pages.data() + at, words);
    if (!result) break;
  }
  return result;
}

WorkResult WriteFirstWords(GpuWork& work, std::span<std::byte> pages, std::uint32_t value) {
  WorkResult result;
  for (std::size_t at = 0; at < pages.size(); at += PageSize()) {
    result = work.Write(pages.data() + at, value);
    if (!result) break;
  }
  return result;
}

}  // namespace

Complaint Player::Run(const scenario::GpuWrite& step, Engines& engines) {
  GpuWork& work = Work(engines, step.gpu, step.engine);
  const auto pages = Bytes(step.at);
  switch (step.contents.kind) {
    case scenario::Contents::Kind::kValue:
      return NotDone(work.Fill(pages.data(), step.contents.number, pages.size()), "write");
    case scenario::Contents::Kind::kWord:
      return NotDone(WriteFirstWords(work, pages, step.contents.number), "write");
    case scenario::Contents::Kind::kPattern:
      break;
  }
  return NotDone(WritePattern(work, pages, step.at.first, step.contents), "write");
}

Complaint Player::Run(const scenario::GpuRead& step, Engines& engines) {
  const auto pages = Bytes(step.at);
  std::vector<std::byte> seen(pages.size());
  GpuWork& work = Work(engines, step.gpu, step.engine);
  if (auto complaint = NotDone(work.Read(pages.data(), seen), "read")) return complaint;
  auto complaint = CompareContents(seen, step.at.first, step.contents);
  if (complaint) *complaint = "what the GPU read: " + *complaint;
  return complaint;
}

Complaint Player::Run(const scenario::GpuAtomic& step, Engines& engines) {
  GpuWork& work = Work(engines, step.gpu, step.engine);
  const auto pages = Bytes(step.at);
  for (std::size_t at = 0; at < pages.size(); at += PageSize()) {
    const WorkResult result =
        work.Atomic(ToSupport(step.operation), pages.data() + at, step.operand, step.compare);
    if (!result) return NotDone(result, "atomic");
  }
  return std::nullopt;
}

Complaint Player::Run(const scenario::ExpectFault& step, Engines& engines) {
  if (step.write && step.read_only) test_.AllowDeviceFindings("read-only-write");
  GpuWork& work = Work(engines, step.gpu, step.engine);
  const auto page = Bytes(step.at);
  std::uint32_t value = 0;
  const WorkResult result =
      step.write ? work.Write(page.data(), value) : work.Read(page.data(), value);
  WorkResult expected;
  expected.end = WorkResult::End::kFault;
  expected.fault.node = test_.gpu(step.gpu).node_id;
  expected.fault.address = reinterpret_cast<std::uint64_t>(page.data());
  expected.fault.not_present = !step.read_only;
  expected.fault.read_only = step.read_only;
  if (result.end == expected.end && result.fault == expected.fault) return std::nullopt;
  return "the GPU's access\n  expected " + expected.Text() + "\n  is       " + result.Text();
}

}  // namespace kfdcts::suites
