#include "suites/support/svm_steps.h"

#include <utility>

#include "suites/support/svm_memory.h"

namespace kfdcts::suites {
namespace {

constexpr std::chrono::seconds kMostTime{2};

}  // namespace

class SvmSteps::Listener : public testing::EmptyTestEventListener {
 public:
  explicit Listener(SvmSteps& steps) : steps_(steps) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) steps_.OnFailure();
  }

 private:
  SvmSteps& steps_;
};

SvmSteps::SvmSteps(harness::SvmMap map) : map_(std::move(map)), listener_(new Listener(*this)) {
  testing::UnitTest::GetInstance()->listeners().Append(listener_);
}

SvmSteps::~SvmSteps() { delete testing::UnitTest::GetInstance()->listeners().Release(listener_); }

std::string SvmSteps::MapOfAll() const {
  std::string text;
  for (const auto& memory : SvmMemory::Living()) text += map_.Of(memory);
  return text.empty() ? "  no memory\n" : text;
}

void SvmSteps::After(const std::string& step) {
  const unsigned steps = ++steps_;
  if (std::this_thread::get_id() != thread_ || spent_ > kMostTime || failed_) return;
  const auto start = std::chrono::steady_clock::now();
  before_ = MapOfAll();
  last_ = step;
  mapped_steps_ = steps;
  spent_ += std::chrono::steady_clock::now() - start;
}

// gtest holds its lock: nothing here may assert.
void SvmSteps::OnFailure() {
  if (std::this_thread::get_id() != thread_ || std::exchange(failed_, true)) return;
  const unsigned behind = steps_ - mapped_steps_;
  report_ = "SVM after " + (last_.empty() ? "nothing yet" : last_) +
            (behind == 0 ? "" : " (" + std::to_string(behind) + " steps before the last)") + ":\n" +
            (last_.empty() ? "" : before_) + "SVM at the first failure:\n" + MapOfAll();
}

}  // namespace kfdcts::suites
