// A program with every kind of option that the completion knows.
#include <CLI/CLI.hpp>
#include <string>

#include "harness/completion/words.h"

int main(int argc, char** argv) {
  CLI::App app{"An example."};
  std::string text;
  int number = 0;
  bool flag = false;
  app.add_flag("--alone,-a", flag, "A flag");
  app.add_option("--colour", text, "One of three")->option_text("red|green|blue");
  app.add_option("--accel", text, "One of two")->check(CLI::IsMember({"kvm", "tcg"}));
  app.add_option("--count", number, "A number\nand more about it");
  app.add_option("--file", text, "A file");
  app.add_option("--hidden", text, "Not shown")->group("");
  auto* inherits = app.add_subcommand("inherits", "With the options above, too");
  inherits->fallthrough();
  inherits->add_flag("--colour", flag, "Here a flag");
  inherits->add_option("input", text, "What to read")->option_text("FILE");
  auto* own = app.add_subcommand("own", "With its own only");
  own->add_option("--port", number, "Whose value may be left out")->expected(0, 1);
  kfdcts::completion::AddWords(app);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
