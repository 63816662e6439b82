#include "harness/svm_vectors/replay.h"

#include <array>
#include <sstream>
#include <system_error>

namespace kfdcts::harness {
namespace {

using Kind = VectorOperation::Kind;

std::string NameOfType(std::uint32_t type) {
  constexpr std::array kNames = {"PREFERRED_LOC", "PREFETCH_LOC", "ACCESS",    "ACCESS_IN_PLACE",
                                 "NO_ACCESS",     "SET_FLAGS",    "CLR_FLAGS", "GRANULARITY"};
  return type < kNames.size() ? kNames[type] : "type " + std::to_string(type);
}

std::string Text(const std::vector<VectorAttribute>& attributes) {
  std::string text;
  for (const auto& attribute : attributes) {
    text += (text.empty() ? "" : ", ") + NameOfType(attribute.type) + ' ' +
            std::to_string(attribute.value);
  }
  return '[' + text + ']';
}

std::string Result(int code) {
  return code == 0 ? "0"
                   : std::to_string(code) + " (" + std::system_category().message(-code) + ")";
}

class Player {
 public:
  Player(const VectorSequence& sequence, const Relocation& relocation, VectorKernel& kernel)
      : sequence_(sequence), relocation_(relocation), kernel_(kernel) {}

  std::vector<VectorDifference> Play() {
    for (const auto& vma : sequence_.vmas) {
      const int error = kernel_.Map(relocation_.Address(vma.start), Bytes(vma.npages));
      if (error != 0) {
        throw std::system_error(
            -error, std::generic_category(),
            sequence_.id + ": mapping a VMA of " + std::to_string(vma.npages) + " pages");
      }
    }
    for (index_ = 0; index_ < sequence_.operations.size(); ++index_) {
      Do(sequence_.operations[index_]);
    }
    return std::move(differences_);
  }

 private:
  static std::uint64_t Bytes(std::uint64_t npages) { return npages * Relocation::PageBytes(); }

  void Do(const VectorOperation& operation) {
    const std::uint64_t address = relocation_.Address(operation.start);
    const std::uint64_t bytes = Bytes(operation.npages);
    auto attributes = relocation_.Attributes(operation.attributes);
    switch (operation.kind) {
      case Kind::kSet:
        Compare(operation, kernel_.Set(address, bytes, attributes));
        return;
      case Kind::kGet:
        Compare(operation, kernel_.Get(address, bytes, attributes));
        CompareAnswer(operation, attributes);
        return;
      case Kind::kMunmap:
        Compare(operation, kernel_.Munmap(address, bytes));
        return;
    }
  }

  void Compare(const VectorOperation& operation, int result) {
    if (result == operation.result) return;
    Add(operation, "returned " + Result(result) + "\n  expected " + Result(operation.result));
  }

  void CompareAnswer(const VectorOperation& operation, const std::vector<VectorAttribute>& answer) {
    const auto expected = relocation_.Attributes(operation.answer);
    if (answer == expected) return;
    Add(operation, "answered " + Text(answer) + "\n  expected " + Text(expected) +
                       "\n  in the file " + Text(operation.answer));
  }

  void Add(const VectorOperation& operation, const std::string& what) {
    differences_.push_back({index_, sequence_.id + " (line " + std::to_string(sequence_.line) +
                                        "), operation " + std::to_string(index_) + ", " +
                                        Describe(operation) + "\n  " + what});
  }

  const VectorSequence& sequence_;
  const Relocation& relocation_;
  VectorKernel& kernel_;
  std::size_t index_ = 0;
  std::vector<VectorDifference> differences_;
};

}  // namespace

std::string Describe(const VectorOperation& operation) {
  const char* name = operation.kind == Kind::kSet   ? "set"
                     : operation.kind == Kind::kGet ? "get"
                                                    : "munmap";
  std::ostringstream text;
  text << name << " pages " << operation.start << '+' << operation.npages;
  if (operation.kind != Kind::kMunmap) text << ' ' << Text(operation.attributes);
  return text.str();
}

std::vector<VectorDifference> Replay(const VectorSequence& sequence, const Relocation& relocation,
                                     VectorKernel& kernel) {
  return Player(sequence, relocation, kernel).Play();
}

}  // namespace kfdcts::harness
