#include "harness/check/check_log.h"

#include <chrono>
#include <istream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kfdcts::check {
namespace {

CheckLog* current = nullptr;

std::uint64_t NowUs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void Apply(const nlohmann::json& entry, std::vector<CheckWindow>& windows) {
  const std::string test = entry.at("test");
  if (entry.contains("start_us")) {
    windows.push_back({.test = test, .start_us = entry.at("start_us"), .expected = {}});
    return;
  }
  if (windows.empty() || windows.back().test != test)
    throw std::runtime_error("the end of a check that did not begin");
  windows.back().end_us = entry.at("end_us");
  windows.back().expected = entry.at("expected").get<std::vector<std::string>>();
}

}  // namespace

CheckLog* CheckLog::Current() { return current; }
void CheckLog::SetCurrent(CheckLog* log) { current = log; }

CheckLog::CheckLog(const std::filesystem::path& file) : out_(file, std::ios::trunc) {
  if (!out_) throw std::runtime_error(file.string() + ": cannot be written");
}

void CheckLog::Begin(const std::string& test) {
  out_ << nlohmann::json{{"test", test}, {"start_us", NowUs()}}.dump() << std::endl;
}

void CheckLog::End(const std::string& test, const std::vector<std::string>& expected) {
  out_ << nlohmann::json{{"test", test}, {"end_us", NowUs()}, {"expected", expected}}.dump()
       << std::endl;
}

std::vector<CheckWindow> ReadCheckLog(std::istream& in) {
  std::vector<CheckWindow> windows;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    try {
      Apply(nlohmann::json::parse(line), windows);
    } catch (const std::exception& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return windows;
}

}  // namespace kfdcts::check
