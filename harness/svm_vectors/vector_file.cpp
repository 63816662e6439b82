#include "harness/svm_vectors/vector_file.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using nlohmann::json;

/// What is wrong in a line, without its place.
class BadLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void Fail(const std::string& where, const std::string& what) {
  throw BadLine(where + ": " + what);
}

void CheckKeys(const json& object, const std::string& where,
               std::initializer_list<std::string_view> known) {
  if (!object.is_object()) Fail(where, "is no object");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) Fail(where + key, "unknown key");
  }
}

const json& Member(const json& object, const std::string& where, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) Fail(where + key, "is missing");
  return *found;
}

std::uint64_t Number(const json& value, const std::string& where,
                     std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) {
  if (!value.is_number_unsigned()) Fail(where, "is no number from 0 on");
  const auto number = value.get<std::uint64_t>();
  if (number > limit) Fail(where, "is greater than " + std::to_string(limit));
  return number;
}

bool Bit(const json& object, const std::string& where, const char* key, bool optional) {
  if (optional && !object.contains(key)) return false;
  return Number(Member(object, where, key), where + key, 1) != 0;
}

std::string Text(const json& object, const char* key) {
  const json& value = Member(object, "", key);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) Fail(key, "is no text");
  return value.get<std::string>();
}

const json& List(const json& object, const std::string& where, const char* key) {
  const json& value = Member(object, where, key);
  if (!value.is_array()) Fail(where + key, "is no list");
  return value;
}

std::vector<std::uint32_t> Ids(const json& object, const char* key) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> ids;
  for (const json& id : List(object, "", key)) {
    ids.push_back(static_cast<std::uint32_t>(Number(id, key, kLimit)));
  }
  return ids;
}

std::vector<VectorAttribute> Attributes(const json& object, const std::string& where,
                                        const char* key) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::uint32_t>::max();
  std::vector<VectorAttribute> attributes;
  for (const json& pair : List(object, where, key)) {
    if (!pair.is_array() || pair.size() != 2) Fail(where + key, "an element is no [type, value]");
    attributes.push_back({static_cast<std::uint32_t>(Number(pair[0], where + key, kLimit)),
                          static_cast<std::uint32_t>(Number(pair[1], where + key, kLimit))});
  }
  return attributes;
}

VectorOperation::Kind KindOf(const json& object, const std::string& where) {
  const json& name = Member(object, where, "op");
  if (name == "set") return VectorOperation::Kind::kSet;
  if (name == "get") return VectorOperation::Kind::kGet;
  if (name == "munmap") return VectorOperation::Kind::kMunmap;
  Fail(where + "op", "is none of set, get and munmap");
}

int Result(const json& object, const std::string& where) {
  constexpr int kLeast = -4095;  // MAX_ERRNO
  const json& value = Member(object, where, "ret");
  if (!value.is_number_integer()) Fail(where + "ret", "is no number");
  const auto number = value.get<std::int64_t>();
  if (number > 0 || number < kLeast) Fail(where + "ret", "is neither 0 nor a negative errno");
  return static_cast<int>(number);
}

/// [first, last, preferred, prefetch, actual location, flags, granularity, access, in place].
bool IsStranded(const json& range, const std::string& where) {
  constexpr std::size_t kFields = 9;
  constexpr std::size_t kActual = 4;
  if (!range.is_array() || range.size() != kFields) Fail(where, "an element is no list of nine");
  const auto field = [&](std::size_t at) { return Number(range[at], where); };
  return field(kActual) != 0 && field(kFields - 2) == 0 && field(kFields - 1) == 0;
}

VectorOperation Operation(const json& object, std::size_t index) {
  const std::string where = "ops[" + std::to_string(index) + "].";
  CheckKeys(object, where, {"op", "start", "npages", "attrs", "ret", "out", "ranges", "oops61"});
  VectorOperation operation;
  operation.kind = KindOf(object, where);
  operation.start = Number(Member(object, where, "start"), where + "start");
  operation.npages = Number(Member(object, where, "npages"), where + "npages");
  operation.result = Result(object, where);
  operation.oopses_61 = Bit(object, where, "oops61", true);
  for (const json& range : List(object, where, "ranges")) {
    operation.strands = IsStranded(range, where + "ranges") || operation.strands;
  }
  if (operation.kind == VectorOperation::Kind::kMunmap) return operation;
  operation.attributes = Attributes(object, where, "attrs");
  if (operation.kind != VectorOperation::Kind::kGet) return operation;
  operation.answer = Attributes(object, where, "out");
  if (operation.answer.size() != operation.attributes.size()) {
    Fail(where + "out", "has another length than attrs");
  }
  return operation;
}

std::vector<VectorPages> Vmas(const json& object) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 52U;  // pages of 64 bits of address
  std::vector<VectorPages> vmas;
  for (const json& pair : List(object, "", "vmas")) {
    if (!pair.is_array() || pair.size() != 2) Fail("vmas", "an element is no [start, pages]");
    vmas.push_back({Number(pair[0], "vmas", kLimit), Number(pair[1], "vmas", kLimit)});
    if (vmas.back().npages == 0) Fail("vmas", "an element has no page");
  }
  return vmas;
}

void CheckGpus(const VectorSequence& sequence) {
  const std::set<std::uint32_t> ids(sequence.gpus.begin(), sequence.gpus.end());
  if (ids.size() != sequence.gpus.size()) Fail("gpus", "names a GPU twice");
  for (const auto id : sequence.supported) {
    if (!ids.contains(id)) Fail("supported", std::to_string(id) + " is none of gpus");
  }
  if (sequence.hives.size() != sequence.gpus.size()) Fail("hive", "has another length than gpus");
}

VectorSequence Parse(const std::string& line, int number) {
  const json object = json::parse(line);
  CheckKeys(object, "",
            {"id", "rule", "gpus", "supported", "xnack", "hive", "max_range_pages", "vmas", "quirk",
             "boundaries_from", "ops"});
  VectorSequence sequence;
  sequence.line = number;
  sequence.id = Text(object, "id");
  sequence.rule = Text(object, "rule");
  sequence.gpus = Ids(object, "gpus");
  sequence.supported = Ids(object, "supported");
  sequence.hives = Ids(object, "hive");
  sequence.xnack = Bit(object, "", "xnack", false);
  sequence.quirk = Bit(object, "", "quirk", true);
  Number(Member(object, "", "max_range_pages"), "max_range_pages");
  sequence.vmas = Vmas(object);
  CheckGpus(sequence);
  for (const json& one : List(object, "", "ops")) {
    sequence.operations.push_back(Operation(one, sequence.operations.size()));
  }
  if (sequence.operations.empty()) Fail("ops", "is empty");
  return sequence;
}

}  // namespace

bool VectorSequence::Oopses61() const {
  return std::any_of(operations.begin(), operations.end(),
                     [](const auto& operation) { return operation.oopses_61; });
}

bool VectorSequence::MayOops61() const {
  const bool strands = std::any_of(operations.begin(), operations.end(),
                                   [](const auto& operation) { return operation.strands; });
  return Oopses61() || (!xnack && strands);
}

std::vector<VectorSequence> LoadVectors(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw FixtureError(file.string() + ": cannot be read");
  std::vector<VectorSequence> sequences;
  std::map<std::string, int> lines;  // where each id was
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto fail = [&](const std::string& what) {
      throw FixtureError(file.string() + ":" + std::to_string(number) + ": " + what);
    };
    try {
      sequences.push_back(Parse(line, number));
    } catch (const json::exception& error) {
      fail(error.what());
    } catch (const BadLine& error) {
      fail(error.what());
    }
    const auto [known, is_new] = lines.emplace(sequences.back().id, number);
    if (!is_new) fail("id: " + known->first + " is line " + std::to_string(known->second) + "'s");
  }
  if (in.bad()) throw FixtureError(file.string() + ": cannot be read");
  if (sequences.empty()) throw FixtureError(file.string() + ": holds no sequence");
  return sequences;
}

std::filesystem::path GoldenVectors() {
  return vm::ShareFolder() / "fixtures" / "golden" / "svm.jsonl";
}

}  // namespace kfdcts::harness
