#include <algorithm>
#include <string>
#include <vector>

#include "harness/kfdreport/html_page.h"

namespace kfdcts::report::html {
namespace {

struct Label {
  const char* property;
  const char* text;
};

/// In the order in which they are told; the rest follows under its own name.
constexpr Label kLabels[] = {
    {"machine", "Machine"},
    {"target", "Target"},
    {"kernel_release", "Kernel"},
    {"kernel", "Kernel image"},
    {"kfd_interface", "KFD interface"},
    {"thunk", "Thunk"},
    {"thunk_file", "Thunk's file"},
    {"xnack_off_boot", "Boot without XNACK"},
    {"seed", "Seed"},
    {"timestamp", "When"},
};

Tally TallyOfAll(const Page& page) {
  Tally all;
  for (const auto& run : page.runs) {
    for (const auto& one : run.cases) all.Add(one);
  }
  return all;
}

void WriteStatus(std::ostream& out, const Tally& tally) {
  const std::size_t bad = tally.Bad();
  std::string text = "No test failed unexpectedly.";
  if (tally.All() == 0) text = "No test ran.";
  if (bad > 0) {
    text = Number(bad) + " of " + Number(tally.All()) + (tally.All() == 1 ? " test" : " tests") +
           " failed.";
  }
  Leaf(out, "p", {{"class", bad > 0 ? "status bad" : "status"}}, text);
}

void WriteCounts(std::ostream& out, const Tally& tally) {
  const Element list(out, "ul", {{"class", "counts"}});
  for (auto verdict = kVerdicts.rbegin(); verdict != kVerdicts.rend(); ++verdict) {
    const std::size_t count = tally.Of(*verdict);
    const bool always = *verdict == Verdict::kPass || *verdict == Verdict::kFail;
    if (count == 0 && !always) continue;
    const Element item(out, "li", {{"class", "v-" + std::string(report::NameOf(*verdict))}});
    Leaf(out, "b", {}, Number(count));
    Text(out, " " + std::string(PhraseOf(*verdict)));
  }
}

/// The counts as parts of one bar.
void WriteBar(std::ostream& out, const Tally& tally) {
  const auto all = static_cast<double>(tally.All());
  if (tally.All() == 0) return;
  const Element svg(out, "svg",
                    {{"class", "bar"},
                     {"xmlns", "http://www.w3.org/2000/svg"},
                     {"width", "100%"},
                     {"height", "10"},
                     {"aria-hidden", "true"}});
  std::size_t before = 0;
  for (auto verdict = kVerdicts.rbegin(); verdict != kVerdicts.rend(); ++verdict) {
    const std::size_t count = tally.Of(*verdict);
    if (count == 0) continue;
    Void(out, "rect",
         {{"class", "f-" + std::string(report::NameOf(*verdict))},
          {"x", Percent(static_cast<double>(before), all)},
          {"width", Percent(static_cast<double>(count), all)},
          {"height", "10"}});
    before += count;
  }
}

void WriteProperty(std::ostream& out, const std::string& label, std::string_view value) {
  if (value.empty()) return;
  const Element pair(out, "div");
  Leaf(out, "dt", {}, label);
  Leaf(out, "dd", {}, value);
}

void WriteProperties(const Page& page, const Run& run) {
  const Element list(page.out, "dl", {{"class", "run"}});
  for (const auto& label : kLabels) {
    WriteProperty(page.out, label.text, run.PropertyOf(label.property));
  }
  for (const auto& [name, value] : run.properties) {
    const bool told = std::any_of(std::begin(kLabels), std::end(kLabels),
                                  [&](const Label& label) { return name == label.property; });
    if (told) continue;
    const bool gpu = name.starts_with("gpu") && name.size() > 3 &&
                     name.find_first_not_of("0123456789", 3) == std::string::npos;
    WriteProperty(page.out, gpu ? "GPU " + name.substr(3) : name, value);
  }
  WriteProperty(page.out, "Tests' time", DurationText(TallyOf(run).seconds));
  WriteProperty(page.out, "Read from", run.file);
}

void WriteRunRow(const Page& page, const Run& run) {
  const Tally tally = TallyOf(run);
  const Element row(page.out, "tr");
  Leaf(page.out, "th", {{"scope", "row"}}, page.TitleOf(run));
  const auto cell = [&](const std::string& text) { Leaf(page.out, "td", {{"class", "n"}}, text); };
  cell(Number(tally.All()));
  cell(Number(tally.Of(Verdict::kPass)));
  cell(Number(tally.Bad()));
  cell(Number(tally.Of(Verdict::kFlake)));
  cell(Number(tally.Of(Verdict::kExpectedFail)));
  cell(Number(tally.Of(Verdict::kSkip)));
  cell(DurationText(tally.seconds));
}

void WriteRunTable(const Page& page) {
  const Element scroll(page.out, "div",
                       {{"class", "scroll"},
                        {"tabindex", "0"},
                        {"role", "region"},
                        {"aria-label", "Table of runs"}});
  const Element table(page.out, "table");
  Leaf(page.out, "caption", {}, "Runs: machine, kernel and thunk");
  {
    const Element head(page.out, "thead");
    const Element row(page.out, "tr");
    Leaf(page.out, "th", {{"scope", "col"}}, "Run");
    for (const char* name :
         {"Tests", "Passed", "Failed", "Flaky", "As expected", "Skipped", "Time"}) {
      Leaf(page.out, "th", {{"scope", "col"}, {"class", "n"}}, name);
    }
  }
  const Element body(page.out, "tbody");
  for (const auto& run : page.runs) WriteRunRow(page, run);
}

}  // namespace

void WriteSummary(Page& page) {
  const Element section(page.out, "section", {{"aria-labelledby", "summary"}});
  WriteHeading(page.out, "summary", "Summary");
  const Tally all = TallyOfAll(page);
  WriteStatus(page.out, all);
  WriteCounts(page.out, all);
  WriteBar(page.out, all);
  if (!page.several()) {
    for (const auto& run : page.runs) WriteProperties(page, run);
    return;
  }
  WriteRunTable(page);
  for (const auto& run : page.runs) {
    const Element details(page.out, "details", {{"class", "box"}});
    Leaf(page.out, "summary", {}, page.TitleOf(run));
    WriteProperties(page, run);
  }
}

}  // namespace kfdcts::report::html
