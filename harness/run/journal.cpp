#include "harness/run/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "harness/run/record_json.h"
#include "harness/vm/base/files.h"

namespace kfdcts::harness {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

vm::UniqueFd Open(const std::filesystem::path& file, int flags) {
  vm::UniqueFd fd(open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0644));
  if (!fd) throw std::system_error(errno, std::generic_category(), file.string());
  return fd;
}

json ToJson(const Journal::Head& head) {
  return {{"version", kVersion},
          {"arguments", head.arguments},
          {"working_directory", head.working_directory},
          {"environment", head.environment},
          {"seed", head.seed},
          {"tests", head.tests},
          {"synced", head.synced}};
}

Journal::Head HeadFromJson(const json& object) {
  if (object.at("version") != kVersion) throw JournalError("it is of another version");
  return {object.at("arguments"),   object.at("working_directory"),
          object.at("environment"), object.at("seed"),
          object.at("tests"),       object.at("synced")};
}

std::string ReadAll(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw JournalError(file.string() + ": no journal of a run: it cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string ToLine(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace

Journal::Journal(const std::filesystem::path& folder, Head head, std::string boot_id)
    : file_(folder / kJournalFile), head_(std::move(head)), boot_id_(std::move(boot_id)) {
  std::filesystem::create_directories(folder);
  fd_ = Open(file_, O_CREAT | O_TRUNC);
  Write(ToLine({{"head", ToJson(head_)}, {"boot_id", boot_id_}}));
}

Journal::Journal(const std::filesystem::path& folder, std::string boot_id)
    : file_(folder / kJournalFile), boot_id_(std::move(boot_id)) {
  const std::string text = ReadAll(file_);
  Read(text);
  fd_ = Open(file_, 0);
  const auto whole = static_cast<off_t>(text.rfind('\n') + 1);
  if (ftruncate(fd_.get(), whole) != 0) {
    throw std::system_error(errno, std::generic_category(), file_.string());
  }
  Write(ToLine({{"resumed", boot_id_}}));
}

Journal::Head Journal::ReadHead(const std::filesystem::path& folder) {
  Journal journal;
  journal.file_ = folder / kJournalFile;
  journal.Read(ReadAll(journal.file_));
  return journal.head_;
}

void Journal::Read(const std::string& text) {
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      if ((number == 1) != json::parse(line).contains("head")) throw JournalError("no head");
      Take(line);
    } catch (const std::exception& error) {
      throw JournalError(file_.string() + ", line " + std::to_string(number) +
                         ": the journal is damaged: " + error.what());
    }
  }
  if (number == 0) throw JournalError(file_.string() + ": the journal is empty");
}

void Journal::Take(const std::string& line) {
  const json object = json::parse(line);
  const auto key = [&](const char* name) -> Key {
    return {object.at(name), object.at("iteration").get<int>()};
  };
  if (object.contains("head")) {
    head_ = HeadFromJson(object.at("head"));
    earlier_boot_id_ = object.at("boot_id");
  } else if (object.contains("plan")) {
    plans_[object.at("iteration").get<int>()] = object.at("plan").get<std::vector<std::string>>();
  } else if (object.contains("begin")) {
    running_ = key("begin");
  } else if (object.contains("end")) {
    TestRecord record = RecordFromJson(object.at("end"));
    running_.reset();
    const Key ended{record.FullName(), record.iteration};
    finished_[ended] = std::move(record);
  } else if (object.contains("forget")) {
    running_.reset();
  } else if (object.contains("resumed")) {
    earlier_boot_id_ = object.at("resumed");
  } else {
    throw JournalError("an entry of an unknown kind");
  }
}

void Journal::Write(const std::string& line) {
  vm::WriteAll(fd_.get(), line, file_.string());
  if (head_.synced && fdatasync(fd_.get()) != 0 && errno != EINVAL) {
    throw std::system_error(errno, std::generic_category(), file_.string());
  }
}

void Journal::Plan(int iteration, const std::vector<std::string>& tests) {
  const auto before = plans_.find(iteration);
  if (before == plans_.end()) {
    Write(ToLine({{"plan", tests}, {"iteration", iteration}}));
  } else if (before->second != tests) {
    throw JournalError(file_.string() + ": its run chose other tests than this program does (" +
                       std::to_string(before->second.size()) + " and " +
                       std::to_string(tests.size()) + "), or in another order");
  }
}

void Journal::Begin(const std::string& test, int iteration) {
  Write(ToLine({{"begin", test}, {"iteration", iteration}}));
}

void Journal::End(const TestRecord& record) { Write(ToLine({{"end", harness::ToJson(record)}})); }

void Journal::Forget(const std::string& test, int iteration) {
  Write(ToLine({{"forget", test}, {"iteration", iteration}}));
}

std::optional<TestRecord> Journal::Finished(const std::string& test, int iteration) const {
  const auto found = finished_.find({test, iteration});
  if (found == finished_.end()) return std::nullopt;
  return found->second;
}

std::optional<TestRecord> Journal::TookDown(const std::string& test, int iteration) const {
  if (running_ != Key{test, iteration}) return std::nullopt;
  TestRecord record;
  record.failure_kind = FailureKind::kCrash;
  const std::string text =
      earlier_boot_id_ == boot_id_
          ? "the run was killed while this test ran, in this boot of the machine (" + boot_id_ + ")"
          : "this test took the machine down: it ran in boot " + earlier_boot_id_ +
                ", and this is " + boot_id_;
  record.failures.push_back({"", 0, text, true});
  return record;
}

std::string TestListId(const std::vector<std::string>& tests) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const auto& test : tests) {
    for (const char byte : test + "\n") {
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
  }
  std::ostringstream text;
  text << tests.size() << " tests, " << std::hex << hash;
  return text.str();
}

std::string BootId() {
  if (const char* given = std::getenv("KFDCTS_BOOT_ID")) return given;
  std::string id;
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::getline(in, id);
  return id;
}

}  // namespace kfdcts::harness
