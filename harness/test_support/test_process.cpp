#include "harness/test_support/test_process.h"

#include <memory>
#include <utility>

namespace kfdcts::harness {
namespace {

struct State {
  TestProcess::Settings settings;
  std::unique_ptr<Thunk> thunk;
};

State& Process() {
  static State state;
  return state;
}

}  // namespace

void TestProcess::Set(Settings settings) { Process().settings = std::move(settings); }

const Thunk& TestProcess::LoadedThunk() {
  State& state = Process();
  if (!state.thunk) state.thunk = std::make_unique<Thunk>(state.settings.thunk);
  return *state.thunk;
}

bool TestProcess::HasThunk() { return !Process().settings.thunk.empty(); }

std::uint32_t TestProcess::Seed() { return Process().settings.seed; }

}  // namespace kfdcts::harness
