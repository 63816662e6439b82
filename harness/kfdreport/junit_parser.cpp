#include "harness/kfdreport/junit_parser.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "harness/kfdreport/bad_value.h"

namespace kfdcts::report {
namespace {

constexpr std::size_t kDepth = 64;
constexpr std::size_t kRunPropertyCap = 4U << 10U;
constexpr const char* kTimestamp = "timestamp";
constexpr std::size_t kRunProperties = 1000;

std::string_view AttributeOf(const JUnitParser::Attributes& attributes, std::string_view name) {
  for (const auto& [key, value] : attributes) {
    if (key == name) return value;
  }
  return {};
}

bool Has(const JUnitParser::Attributes& attributes, std::string_view name) {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const auto& attribute) { return attribute.first == name; });
}

std::optional<CaseBuilder::Child> ChildOf(std::string_view element) {
  using Child = CaseBuilder::Child;
  if (element == "failure" || element == "rerunFailure") return Child::kFailure;
  if (element == "error" || element == "rerunError") return Child::kError;
  if (element == "skipped") return Child::kSkipped;
  if (element == "flakyFailure" || element == "flakyError") return Child::kFlaky;
  if (element == "system-out") return Child::kOutput;
  if (element == "system-err") return Child::kKernelLog;
  return std::nullopt;
}

}  // namespace

JUnitParser::Element JUnitParser::Classify(std::string_view element) const {
  const Element parent = open_.empty() ? Element::kOther : open_.back();
  const bool in_suite = parent == Element::kSuites || parent == Element::kSuite;
  if (open_.empty()) {
    if (element == "testsuites") return Element::kSuites;
    if (element == "testsuite") return Element::kSuite;
    throw BadValue("<" + std::string(CutUtf8(element, 40)) +
                   ">, where a JUnit file has <testsuites> or <testsuite>");
  }
  if (in_suite && element == "testsuite") return Element::kSuite;
  if (in_suite && element == "testcase") return Element::kCase;
  if ((in_suite || parent == Element::kCase) && element == "properties") {
    return Element::kProperties;
  }
  if (parent == Element::kProperties && element == "property") return Element::kProperty;
  if (parent == Element::kCase && ChildOf(element)) return Element::kCaseChild;
  return Element::kOther;
}

void JUnitParser::Begin(std::string_view element, const Attributes& attributes) {
  if (open_.size() >= kDepth) throw BadValue("elements are more than 64 deep");
  const Element kind = Classify(element);
  open_.push_back(kind);
  switch (kind) {
    case Element::kSuites:
    case Element::kSuite:
      return BeginSuite(attributes);
    case Element::kCase:
      return BeginCase(attributes);
    case Element::kCaseChild:
      return BeginCaseChild(element, attributes);
    case Element::kProperty:
      return BeginProperty(attributes);
    case Element::kProperties:
    case Element::kOther:
      return;
  }
}

void JUnitParser::BeginSuite(const Attributes& attributes) {
  Suite suite;
  suite.name = CutUtf8(AttributeOf(attributes, "name"), kRunPropertyCap);
  if (!suites_.empty()) suite.properties = suites_.back().properties;
  const std::string_view host = AttributeOf(attributes, "hostname");
  if (!host.empty()) suite.properties["hostname"] = CutUtf8(host, kRunPropertyCap);
  const std::string_view time = AttributeOf(attributes, "timestamp");
  if (!time.empty()) suite.properties[kTimestamp] = CutUtf8(time, kRunPropertyCap);
  suites_.push_back(std::move(suite));
}

void JUnitParser::BeginCase(const Attributes& attributes) {
  if (!Has(attributes, "name")) throw BadValue("a <testcase> without a name");
  case_ = std::make_unique<CaseBuilder>(budget_);
  for (const auto& [name, value] : attributes) case_->Attribute(name, value);
}

void JUnitParser::BeginCaseChild(std::string_view element, const Attributes& attributes) {
  case_->BeginChild(*ChildOf(element), AttributeOf(attributes, "type"),
                    AttributeOf(attributes, "message"));
}

void JUnitParser::BeginProperty(const Attributes& attributes) {
  const std::string_view name = AttributeOf(attributes, "name");
  if (name.empty()) throw BadValue("a <property> without a name");
  const std::string_view value = AttributeOf(attributes, "value");
  if (case_) {
    case_->AddProperty(name, value);
    return;
  }
  auto& properties = suites_.back().properties;
  if (properties.size() >= kRunProperties) throw BadValue("more than 1000 properties of a run");
  properties[std::string(CutUtf8(name, kRunPropertyCap))] = CutUtf8(value, kRunPropertyCap);
}

void JUnitParser::Text(std::string_view piece) {
  if (case_) case_->Text(piece);
}

void JUnitParser::End() {
  const Element kind = open_.back();
  open_.pop_back();
  if (kind == Element::kCaseChild) case_->EndChild();
  if (kind == Element::kCase) {
    suites_.back().cases.push_back(case_->Take(suites_.back().name));
    case_.reset();
  }
  if (kind == Element::kSuite || kind == Element::kSuites) EndSuite();
}

void JUnitParser::EndSuite() {
  Suite suite = std::move(suites_.back());
  suites_.pop_back();
  if (suite.cases.empty()) return;
  Run candidate{file_, std::move(suite.properties), {}};
  const auto [known, is_new] = run_of_.try_emplace(ConfigurationOf(candidate), runs_.size());
  if (is_new) {
    candidate.cases = std::move(suite.cases);
    runs_.push_back(std::move(candidate));
    return;
  }
  Run& run = runs_[known->second];
  UniteProperties(run.properties, candidate.properties);
  std::move(suite.cases.begin(), suite.cases.end(), std::back_inserter(run.cases));
}

std::vector<Run> JUnitParser::Take() {
  if (runs_.empty()) runs_.push_back({file_, {}, {}});
  return std::move(runs_);
}

void UniteProperties(std::map<std::string, std::string>& known,
                     const std::map<std::string, std::string>& more) {
  for (const auto& [name, value] : more) {
    const auto [entry, is_new] = known.try_emplace(name, value);
    if (is_new || entry->second == value) continue;
    if (name == kTimestamp) {
      entry->second = std::min(entry->second, value);
      continue;
    }
    // As a whole entry of the list, not as a part of one.
    const std::string listed = "; " + entry->second + "; ";
    const bool is_listed = listed.find("; " + value + "; ") != std::string::npos;
    if (!is_listed && entry->second.size() < kRunPropertyCap) entry->second += "; " + value;
  }
}

}  // namespace kfdcts::report
