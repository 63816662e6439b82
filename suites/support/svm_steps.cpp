#include "suites/support/svm_steps.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "suites/support/svm_memory.h"

namespace kfdcts::suites {
namespace {

constexpr std::chrono::seconds kMostTime{2};

std::size_t ThreadCount() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

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

SvmSteps::SvmSteps(harness::SvmMap map)
    : map_(std::move(map)), threads_(ThreadCount()), listener_(new Listener(*this)) {
  testing::UnitTest::GetInstance()->listeners().Append(listener_);
}

SvmSteps::~SvmSteps() { delete testing::UnitTest::GetInstance()->listeners().Release(listener_); }

bool SvmSteps::IsAlone() const {
  return std::this_thread::get_id() == thread_ && ThreadCount() <= threads_;
}

std::string SvmSteps::MapOfAll() const {
  std::string text;
  for (const auto& memory : SvmMemory::Living()) text += map_.Of(memory);
  return text.empty() ? "  no memory\n" : text;
}

void SvmSteps::After(const std::string& step) {
  const unsigned steps = ++steps_;
  if (failed_ || spent_ > kMostTime || !IsAlone()) return;
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
            (last_.empty() ? "" : before_) + "SVM at the first failure:\n" +
            (IsAlone() ? MapOfAll() : "  not asked: the test has threads that may be in its way\n");
}

}  // namespace kfdcts::suites
