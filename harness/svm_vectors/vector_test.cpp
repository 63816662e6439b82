#include "harness/svm_vectors/vector_test.h"

#include <chrono>
#include <utility>

#include "harness/svm_vectors/kfd_vector_kernel.h"
#include "harness/test_support/kfd_test.h"

namespace kfdcts::harness {
namespace {

constexpr const char* kSuite = "SvmVectors";
constexpr const char* kName = "Sequence";

using Sequences = std::shared_ptr<const std::vector<VectorSequence>>;

class VectorTest : public KfdTest {
 public:
  explicit VectorTest(Sequences sequences) : sequences_(std::move(sequences)) {}

 private:
  void Body() override { ReplayHere((*sequences_)[case_index()]); }

  Sequences sequences_;
};

}  // namespace

void RegisterVectors(std::vector<VectorSequence> sequences, const std::filesystem::path& file,
                     TestRegistry& registry) {
  TestDefinition definition;
  definition.suite = kSuite;
  definition.name = kName;
  definition.file = file.string();
  definition.spec = {.property = "A sequence of SVM calls is answered as its file says.",
                     .scope = Scope::kCpu,
                     .kfd = KfdState::kClosed,
                     .process = Process::kFresh,
                     .time_limit = kVectorTimeLimit};
  for (const auto& sequence : sequences) definition.cases.push_back(sequence.id);
  const auto shared = std::make_shared<const std::vector<VectorSequence>>(std::move(sequences));
  definition.make = [shared] { return new VectorTest(shared); };
  registry.Add(std::move(definition));
}

std::string VectorTestName(const VectorSequence& sequence) {
  return std::string(kSuite) + "." + kName + "/" + sequence.id + "/cpu";
}

}  // namespace kfdcts::harness
