#include "harness/test_support/test_process.h"

#include <memory>
#include <utility>

namespace kfdcts::harness {
namespace {

struct State {
  TestProcess::Settings settings;
  std::unique_ptr<Thunk> thunk;
  KfdSession kfd;
  bool kfd_is_open = false;
  bool kfd_was_opened = false;
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

const KfdSession& TestProcess::OpenedKfd() {
  State& state = Process();
  if (!state.kfd_is_open) {
    state.kfd.Open(LoadedThunk().api());
    state.kfd_is_open = true;
    state.kfd_was_opened = true;
  }
  return state.kfd;
}

void TestProcess::CloseKfd() {
  State& state = Process();
  if (!state.kfd_was_opened) OpenedKfd();
  if (!state.kfd_is_open) return;
  state.kfd_is_open = false;
  state.kfd.Close(LoadedThunk().api());
}

std::uint32_t TestProcess::Seed() { return Process().settings.seed; }

}  // namespace kfdcts::harness
