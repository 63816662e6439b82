#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

namespace kfdcts::completion {

/// Writes what a shell completes for `app`, a line each of four fields with tabs between: the
/// subcommand ("-": none), the word, its value and its first line of help. The value is "-" for an
/// option without one, "command" for a subcommand, "a|b" where only these are allowed, "[…]" where
/// it may be left out, a word in capitals otherwise; the word of a positional argument has no dash.
/// Options without a group, which help does not show, are left out; those of `app` are repeated
/// under a subcommand that falls through to them.
void WriteWords(const CLI::App& app, std::ostream& out);

/// Adds --completion-words, which help does not show: WriteWords() to standard output, and the
/// parse ends with CLI::Success. Call it when `app` has all its options.
void AddWords(CLI::App& app);

}  // namespace kfdcts::completion
