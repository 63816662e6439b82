#include "harness/run/previous_run.h"

#include <pugixml.hpp>

#include <string_view>

#include "harness/report/fixture_error.h"
#include "harness/run/session.h"

namespace kfdcts::harness {
namespace {

bool WasMissed(pugi::xml_node test) {
  if (test.child("failure") || test.child("error")) return true;
  return std::string_view(test.child("skipped").attribute("message").value()) == kInterruptedReason;
}

}  // namespace

std::set<std::string> FailedTests(const std::filesystem::path& place) {
  const auto file = std::filesystem::is_directory(place) ? place / "junit.xml" : place;
  pugi::xml_document report;
  const auto parsed = report.load_file(file.c_str());
  if (parsed.status == pugi::status_file_not_found || parsed.status == pugi::status_io_error) {
    throw FixtureError(file.string() + ": cannot be read");
  }
  if (!parsed) throw FixtureError(file.string() + ": " + parsed.description());
  const auto root = report.child("testsuites");
  if (!root) throw FixtureError(file.string() + ": no JUnit report");
  std::set<std::string> names;
  for (const auto suite : root.children("testsuite")) {
    for (const auto test : suite.children("testcase")) {
      if (!WasMissed(test)) continue;
      names.insert(std::string(test.attribute("classname").value()) + "." +
                   test.attribute("name").value());
    }
  }
  return names;
}

}  // namespace kfdcts::harness
