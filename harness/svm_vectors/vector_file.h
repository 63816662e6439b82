#pragma once

#include <filesystem>
#include <vector>

#include "harness/report/fixture_error.h"
#include "harness/svm_vectors/sequence.h"

namespace kfdcts::harness {

/// Reads a file of sequences, one JSON object a line; empty lines do not count. Throws FixtureError
/// with file, line and key for what is no sequence: an unknown, missing or double key, a value of
/// another type or out of range, an id that the file has twice, a file without a sequence.
std::vector<VectorSequence> LoadVectors(const std::filesystem::path& file);

/// fixtures/golden/svm.jsonl of this build or installation.
std::filesystem::path GoldenVectors();

}  // namespace kfdcts::harness
