#include "harness/kfdreport/html.h"

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "harness/kfdreport/html_assets.h"
#include "harness/kfdreport/html_page.h"

namespace kfdcts::report {
namespace html {
namespace {

unsigned DigitValue(char digit) {
  return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/// Hexadecimal digits, which cmake gives, as the base64 that a policy wants.
std::string Base64OfHex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char digit : hex) {
    bits = (bits << 4U) | DigitValue(digit);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += kDigits[(bits >> count) & 0x3FU];
  }
  if (count > 0) text += kDigits[(bits << (6 - count)) & 0x3FU];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

/// Nothing is fetched, and only the page's own style and script count.
std::string Policy() {
  return "default-src 'none'; style-src 'sha256-" + Base64OfHex(kHtmlStyleSha256) +
         "'; script-src 'sha256-" + Base64OfHex(kHtmlScriptSha256) +
         "'; base-uri 'none'; form-action 'none'";
}

void WriteHead(std::ostream& out, const HtmlOptions& options) {
  const Element head(out, "head");
  Void(out, "meta", {{"charset", "utf-8"}});
  Void(out, "meta", {{"http-equiv", "Content-Security-Policy"}, {"content", Policy()}});
  Void(out, "meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  Void(out, "meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  Void(out, "meta", {{"name", "generator"}, {"content", "kfdreport"}});
  Leaf(out, "title", {}, options.title);
  out << "\n<style>" << kHtmlStyle << "</style>";
}

void WriteFilter(std::ostream& out) {
  // Without the script it would do nothing: the script shows it.
  const Element form(
      out, "div",
      {{"class", "filter"}, {"id", "filter"}, {"role", "search"}, {"hidden", "hidden"}});
  {
    const Element label(out, "label", {{"for", "words"}});
    Text(out, "Filter");
  }
  Void(out, "input",
       {{"id", "words"},
        {"type", "search"},
        {"placeholder", "words of names, rules, messages"},
        {"autocomplete", "off"},
        {"spellcheck", "false"}});
  {
    const Element label(out, "label", {{"for", "verdict"}});
    Text(out, "Verdict");
  }
  {
    const Element select(out, "select", {{"id", "verdict"}});
    Leaf(out, "option", {{"value", ""}}, "any");
    for (const Verdict verdict : kVerdicts) {
      Leaf(out, "option", {{"value", report::NameOf(verdict)}}, report::NameOf(verdict));
    }
  }
  Leaf(out, "output", {{"id", "matches"}, {"for", "words verdict"}, {"aria-live", "polite"}}, "");
}

constexpr std::array kSections = {WriteSummary, WriteFailures,  WriteRules, WriteSuites,
                                  WriteSkips,   WriteDurations, WriteTests};

struct SectionLink {
  const char* id;  ///< Of the section's heading.
  const char* text;
};

constexpr std::array kLinks = {
    SectionLink{"summary", "Summary"},      SectionLink{"failures", "Unexpected"},
    SectionLink{"expected", "As expected"}, SectionLink{"rules", "Rules"},
    SectionLink{"suites", "Suites"},        SectionLink{"skips", "Skipped"},
    SectionLink{"durations", "Durations"},  SectionLink{"tests", "Tests"},
};

/// Links only to what there is: a section that wrote nothing has no heading.
void WriteNavigation(std::ostream& out, const std::string& sections) {
  const Element nav(out, "nav", {{"aria-label", "Sections"}});
  const Element list(out, "ul");
  for (const auto& link : kLinks) {
    const std::string id = link.id;
    if (sections.find("<h2 id=\"" + id + "\"") == std::string::npos) continue;
    const Element item(out, "li");
    Leaf(out, "a", {{"href", "#" + id}}, link.text);
  }
}

}  // namespace
}  // namespace html

void WriteHtml(std::ostream& out, const std::vector<Run>& runs, const HtmlOptions& options) {
  using html::Element;
  std::ostringstream text;
  html::Page page(text, runs, options);
  for (const auto write : html::kSections) write(page);
  const std::string sections = text.str();
  out << "<!DOCTYPE html>\n";
  {
    const Element root(out, "html", {{"lang", "en"}});
    html::WriteHead(out, options);
    const Element body(out, "body");
    html::Leaf(out, "a", {{"class", "skip"}, {"href", "#main"}}, "To the report");
    {
      const Element header(out, "header");
      html::Leaf(out, "h1", {}, options.title);
      html::WriteNavigation(out, sections);
    }
    {
      // Focusable for the link that leads here.
      const Element main(out, "main", {{"id", "main"}, {"tabindex", "-1"}});
      html::WriteFilter(out);
      out << sections;
    }
    {
      const Element footer(out, "footer");
      html::Text(out, "Written by kfdreport from " + html::Count(runs.size(), "run", "runs") +
                          ". The page is complete: it needs no other file.");
    }
    out << "\n<script>" << html::kHtmlScript << "</script>";
  }
  out << "\n";
}

}  // namespace kfdcts::report
