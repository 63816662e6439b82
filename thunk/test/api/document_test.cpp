// docs/thunk.md lists the calls that the library does not do: those and no others.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "hsakmt/hsakmt.h"

namespace kfdcts::thunk {
namespace {

const std::map<std::string, HSAKMT_STATUS> kAnswers = {
    {"NOT_IMPLEMENTED", HSAKMT_STATUS_NOT_IMPLEMENTED},
    {"NOT_SUPPORTED", HSAKMT_STATUS_NOT_SUPPORTED}};

std::vector<std::string> ApiSymbols() {
  return {
#define HSAKMT_SYMBOL(name) #name,
#include "hsakmt/api_symbols.inc"
#include "hsakmt/api_symbols_ctx.inc"
#undef HSAKMT_SYMBOL
  };
}

/// The table's rows: call to answer.
std::map<std::string, HSAKMT_STATUS> Listed() {
  std::map<std::string, HSAKMT_STATUS> listed;
  std::ifstream document(HSAKMT_DOCUMENT);
  const std::regex row(R"(\| `(hsaKmt\w+)` \| (\w+) \|)");
  for (std::string line; std::getline(document, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) listed[match[1]] = kAnswers.at(match[2]);
  }
  return listed;
}

/// Calls with every argument zero, by the one calling convention that all have on this machine.
HSAKMT_STATUS CallWithZeros(void* library, const std::string& symbol) {
  using Zeros =
      HSAKMT_STATUS (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                        std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
  const auto call = reinterpret_cast<Zeros>(dlsym(library, symbol.c_str()));
  EXPECT_NE(call, nullptr) << symbol;
  return call == nullptr ? HSAKMT_STATUS_ERROR : call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

TEST(ThunkDocumentTest, ListsWhatIsNotDone) {
  void* library = dlopen(HSAKMT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto listed = Listed();
  EXPECT_FALSE(listed.empty());
  for (const std::string& symbol : ApiSymbols()) {
    if (symbol.starts_with("hsaKmtOpenKFD")) continue;  // would open a GPU where there is one
    const HSAKMT_STATUS answer = CallWithZeros(library, symbol);
    const auto found = listed.find(symbol);
    if (found != listed.end()) {
      EXPECT_EQ(answer, found->second) << symbol;
    } else {
      EXPECT_THAT(answer, testing::Not(testing::AnyOf(HSAKMT_STATUS_NOT_IMPLEMENTED,
                                                      HSAKMT_STATUS_NOT_SUPPORTED)))
          << symbol;
    }
  }
}

TEST(ThunkDocumentTest, ListsCallsOfTheApiOnly) {
  const auto symbols = ApiSymbols();
  for (const auto& [symbol, answer] : Listed()) EXPECT_THAT(symbols, testing::Contains(symbol));
}

}  // namespace
}  // namespace kfdcts::thunk
