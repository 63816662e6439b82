#include "harness/kfdreport/case_builder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "harness/kfdreport/bad_value.h"

namespace kfdcts::report {
namespace {

constexpr std::size_t kMessageCap = 4U << 10U;
constexpr std::size_t kFollowing = 200;
constexpr std::size_t kNameCap = 16U << 10U;
constexpr std::string_view kPropertyHead = "[[PROPERTY|";
constexpr std::string_view kPropertyTail = "]]";

/// Seconds, as "1.5", "1,234.5" (surefire) or nothing at all.
double ParseSeconds(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');
  if (digits.empty()) return 0;
  double seconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(seconds) ||
      seconds < 0) {
    throw BadValue("time=\"" + std::string(CutUtf8(text, 40)) + "\" is no number of seconds");
  }
  return seconds;
}

std::string CheckedName(std::string_view name) {
  if (name.size() > kNameCap) throw BadValue("a test case's name of more than 16 KiB");
  return std::string(name);
}

/// "path:12", which frameworks put above the message.
bool IsPlace(std::string_view line) {
  const auto colon = line.rfind(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < line.size() &&
         line.find(' ') == std::string_view::npos &&
         line.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

/// The lines of `text` as one, a space before each, as many as a message may take in.
std::string Following(std::string_view text) {
  std::string joined;
  while (!text.empty() && joined.size() < kFollowing) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || IsPlace(line)) break;
    joined.append(" ").append(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
  }
  return std::string(CutUtf8(joined, 2 * kFollowing));
}

/// The first line that says something; what it announces by a colon at its end, too.
std::string FirstLine(std::string_view text) {
  std::string_view place;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    if (place.empty() && IsPlace(line)) {
      place = line;
      continue;
    }
    return std::string(CutUtf8(line, kMessageCap)) + (line.back() == ':' ? Following(text) : "");
  }
  return std::string(CutUtf8(place, kMessageCap));
}

/// Of types that test programs use for it, in any case.
Verdict VerdictOf(std::string_view type) {
  std::string lower(type);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  if (lower == "crash" || lower == "guest-lost") return Verdict::kCrash;
  if (lower == "time-limit" || lower == "timeout") return Verdict::kTimeout;
  return Verdict::kFail;
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

void CaseBuilder::Attribute(std::string_view name, std::string_view value) {
  if (name == "name") {
    made_.name = CheckedName(value);
  } else if (name == "classname") {
    made_.suite = CheckedName(value);
  } else if (name == "time") {
    made_.seconds = ParseSeconds(value);
  } else if (name == "status") {
    status_ = value;
  } else if (name == "result") {
    result_ = value;
  } else if (!IsOneOf(name, {"timestamp", "assertions"})) {
    AddProperty(name, value);
  }
}

void CaseBuilder::AddProperty(std::string_view name, std::string_view value) {
  CappedText capped(budget_.Cap());
  capped.Add(value);
  std::string kept = capped.Take();
  budget_.Use(name.size() + kept.size());
  if (name == "rule") {
    made_.rules.push_back(std::move(kept));
  } else if (name == "bug") {
    made_.bugs.push_back(std::move(kept));
  } else {
    made_.properties.emplace_back(CutUtf8(name, kMessageCap), std::move(kept));
  }
}

void CaseBuilder::AddFailure(std::string_view type) {
  const Verdict verdict = VerdictOf(type);
  // A crash says more than a timeout, that more than a failed check.
  const bool worse = !failure_ || *failure_ == Verdict::kFail || verdict == Verdict::kCrash;
  if (worse) failure_ = verdict;
}

void CaseBuilder::BeginChild(Child child, std::string_view type, std::string_view message) {
  child_ = child;
  child_message_ = CutUtf8(message, TextBudget::kText);
  child_has_text_ = false;
  if (child == Child::kFailure || child == Child::kError) AddFailure(type);
  if (child == Child::kSkipped) {
    skipped_ = true;
    skip_type_ = type;
    skip_message_ = FirstLine(message);
  }
  if (child == Child::kFlaky) flaky_ = true;
}

void CaseBuilder::Text(std::string_view piece) {
  if (!child_) return;
  switch (*child_) {
    case Child::kOutput:
      return output_.Add(piece);
    case Child::kKernelLog:
      return kernel_log_.Add(piece);
    case Child::kSkipped:
      return reason_.Add(piece);
    default:
      if (!child_has_text_ && !details_.Empty()) details_.Add("\n");
      child_has_text_ = true;
      details_.Add(piece);
  }
}

void CaseBuilder::EndChild() {
  const bool judges = child_ && *child_ != Child::kOutput && *child_ != Child::kKernelLog &&
                      *child_ != Child::kSkipped;
  if (judges) {
    if (failure_message_.empty()) failure_message_ = FirstLine(child_message_);
    if (!child_has_text_) Text(child_message_);
  }
  child_.reset();
}

Verdict CaseBuilder::Judge() const {
  if (!made_.PropertyOf("flake").empty() || (flaky_ && !failure_)) return Verdict::kFlake;
  if (failure_) return *failure_;
  if (skipped_) {
    const bool expected = IsOneOf(skip_type_, {"expected-failure", "pytest.xfail"});
    if (!expected) return Verdict::kSkip;
    return made_.PropertyOf("expected_flake").empty() ? Verdict::kExpectedFail : Verdict::kFlake;
  }
  if (IsOneOf(result_, {"skipped", "suppressed"}) ||
      IsOneOf(status_, {"notrun", "disabled", "skipped"})) {
    return Verdict::kSkip;
  }
  if (IsOneOf(status_, {"fail", "failed", "error"})) return Verdict::kFail;
  if (!made_.PropertyOf("unexpected_pass").empty()) return Verdict::kUnexpectedPass;
  if (!made_.PropertyOf("warn").empty()) return Verdict::kWarn;
  return Verdict::kPass;
}

void CaseBuilder::TakeHeadProperties(std::string& output) {
  std::size_t begin = 0;
  while (true) {
    const auto end = output.find('\n', begin);
    const auto property = ParsePropertyLine(
        std::string_view(output).substr(begin, end == std::string::npos ? end : end - begin));
    if (!property) break;
    AddProperty(property->first, property->second);
    if (end == std::string::npos) {
      begin = output.size();
      break;
    }
    begin = end + 1;
  }
  output.erase(0, begin);
}

Case CaseBuilder::Take(std::string_view suite) {
  if (made_.suite.empty()) made_.suite = CheckedName(suite);
  made_.output = output_.Take();
  TakeHeadProperties(made_.output);
  made_.details = details_.Take();
  made_.kernel_log = kernel_log_.Take();
  made_.verdict = Judge();
  // An attribute may hold the first line only, and that announce the rest.
  const bool cut = failure_message_.empty() || failure_message_.back() == ':';
  made_.message = cut && !made_.details.empty() ? FirstLine(made_.details) : failure_message_;
  if (skipped_ && !failure_) {
    const std::string reason = reason_.Take();
    made_.message = skip_message_.empty() ? FirstLine(reason) : skip_message_;
  } else if (made_.verdict == Verdict::kSkip) {
    made_.message = status_ == "notrun" || status_ == "disabled" ? status_ : result_;
  } else if (made_.verdict == Verdict::kWarn) {
    made_.message = made_.PropertyOf("warn");
  } else if (made_.verdict == Verdict::kFlake && made_.message.empty()) {
    made_.message = made_.PropertyOf("flake");
  }
  budget_.Use(made_.output.size() + made_.details.size() + made_.kernel_log.size() +
              made_.message.size());
  return std::move(made_);
}

std::string PropertyLine(std::string_view name, std::string_view value) {
  std::string line(kPropertyHead);
  line.append(name).push_back('=');
  for (const char letter : value) {
    if (letter == '\\') {
      line += "\\\\";
    } else if (letter == '\n') {
      line += "\\n";
    } else if (letter == '\r') {
      line += "\\r";
    } else {
      line += letter;
    }
  }
  return line.append(kPropertyTail);
}

std::optional<Property> ParsePropertyLine(std::string_view line) {
  if (!line.starts_with(kPropertyHead) || !line.ends_with(kPropertyTail)) return std::nullopt;
  line.remove_prefix(kPropertyHead.size());
  line.remove_suffix(kPropertyTail.size());
  const auto sign = line.find('=');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  Property property{line.substr(0, sign), ""};
  const std::string_view value = line.substr(sign + 1);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool escape = value[i] == '\\' && i + 1 < value.size();
    if (!escape) {
      property.second += value[i];
      continue;
    }
    const char next = value[++i];
    if (next == 'n') {
      property.second += '\n';
    } else if (next == 'r') {
      property.second += '\r';
    } else {
      property.second += next;
    }
  }
  return property;
}

}  // namespace kfdcts::report
