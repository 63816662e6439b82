#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/svm_vectors/sequence.h"
#include "harness/test_support/registry.h"

namespace kfdcts::harness {

/// Of a sequence, which takes a fraction of a second.
inline constexpr std::chrono::seconds kVectorTimeLimit{10};

/// Makes each sequence a test "SvmVectors.Sequence/ID/cpu" that replays it in a process of its own.
/// `file` is where reports say that the tests are from.
void RegisterVectors(std::vector<VectorSequence> sequences, const std::filesystem::path& file,
                     TestRegistry& registry);

/// The full name of a sequence's test.
std::string VectorTestName(const VectorSequence& sequence);

}  // namespace kfdcts::harness
