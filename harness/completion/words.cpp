#include "harness/completion/words.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace kfdcts::completion {
namespace {

std::string FirstLine(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

/// "TEXT:{auto,tcg,kvm}", as CLI::IsMember writes it, becomes "auto|tcg|kvm".
std::string ChoicesOf(const std::string& type) {
  const auto open = type.find(":{");
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string choices = type.substr(open + 2, close - open - 2);
  std::replace(choices.begin(), choices.end(), ',', '|');
  return choices;
}

std::string ValueOf(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "-";
  std::string value = option.get_option_text();
  if (value.empty()) value = ChoicesOf(option.get_type_name());
  if (value.empty()) value = option.get_type_name();
  if (value.empty()) value = "TEXT";
  return option.get_items_expected_min() == 0 ? "[" + value + "]" : value;
}

std::vector<std::string> NamesOf(const CLI::Option& option) {
  if (!option.nonpositional()) return {option.get_name()};
  std::vector<std::string> names;
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

void WriteOptions(const CLI::App& app, const std::string& command, std::set<std::string>& written,
                  std::ostream& out) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const auto& name : NamesOf(*option)) {
      if (!written.insert(name).second) continue;
      out << command << '\t' << name << '\t' << ValueOf(*option) << '\t'
          << FirstLine(option->get_description()) << '\n';
    }
  }
}

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) {
    return !command->get_name().empty() && !command->get_group().empty();
  });
}

}  // namespace

void WriteWords(const CLI::App& app, std::ostream& out) {
  std::set<std::string> written;
  WriteOptions(app, "-", written, out);
  for (const CLI::App* command : CommandsOf(app)) {
    out << "-\t" << command->get_name() << "\tcommand\t" << FirstLine(command->get_description())
        << '\n';
    written.clear();
    WriteOptions(*command, command->get_name(), written, out);
    if (command->get_fallthrough()) WriteOptions(app, command->get_name(), written, out);
  }
}

void AddWords(CLI::App& app) {
  app.add_flag_callback("--completion-words",
                        [&app] {
                          WriteWords(app, std::cout);
                          throw CLI::Success();
                        })
      ->group("");
}

}  // namespace kfdcts::completion
