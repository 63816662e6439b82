#pragma once

#include <CLI/App.hpp>
#include <filesystem>

#include "harness/cli/options.h"
#include "harness/run/selection.h"

namespace kfdcts::harness {

/// The flags that say which tests run and how often.
void AddChoiceFlags(CLI::App& app, ChoiceOptions& choice);

/// Throws UsageError for what is no label, and for flags that exclude one another.
void CheckChoice(const ChoiceOptions& choice);

/// Sets the flags of gtest that the choice stands for.
void ApplyToGtest(const ChoiceOptions& choice, std::uint32_t seed);

/// The selection that the flags mean, gtest's filter included. Reads the earlier run's report where
/// they ask for its failures, `results` being where that lies unless they say so. Throws
/// FixtureError.
Selection SelectionOf(const ChoiceOptions& choice, const std::filesystem::path& results);

}  // namespace kfdcts::harness
