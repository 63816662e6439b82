#include "harness/kfdreport/junit_reader.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <fstream>
#include <memory>
#include <system_error>

#include "harness/kfdreport/bad_value.h"
#include "harness/kfdreport/junit_parser.h"
#include "harness/kfdreport/output.h"

namespace kfdcts::report {
namespace {

constexpr std::size_t kBlock = 64U << 10U;
constexpr std::uint64_t kTagCap = 4U << 20U;

/// One file on its way through expat.
class Reading {
 public:
  Reading(std::string file, TextBudget& budget)
      : file_(file), parser_(std::move(file), budget), expat_(XML_ParserCreate(nullptr)) {
    if (!expat_) throw std::bad_alloc();
    XML_SetUserData(expat_.get(), this);
    XML_SetElementHandler(expat_.get(), &Begin, &End);
    XML_SetCharacterDataHandler(expat_.get(), &Text);
    XML_SetEntityDeclHandler(expat_.get(), &Entity);
  }

  std::vector<Run> All(std::istream& in) {
    std::array<char, kBlock> block;
    while (true) {
      in.read(block.data(), block.size());
      if (in.bad()) throw ReadError(file_ + ": " + std::generic_category().message(errno));
      const auto length = static_cast<std::size_t>(in.gcount());
      Feed(std::string_view(block.data(), length), length < kBlock);
      if (length < kBlock) return parser_.Take();
    }
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  void Feed(std::string_view block, bool last) {
    fed_ += block.size();
    const auto status = XML_Parse(expat_.get(), block.data(), static_cast<int>(block.size()), last);
    if (error_) std::rethrow_exception(error_);
    if (status == XML_STATUS_ERROR) {
      throw ReadError(Place() + XML_ErrorString(XML_GetErrorCode(expat_.get())) + Offset());
    }
    // What expat holds is a tag or comment that has not ended.
    const auto done = XML_GetCurrentByteIndex(expat_.get());
    // Before its first token it says -1.
    const auto held = fed_ - static_cast<std::uint64_t>(std::max<XML_Index>(done, 0));
    if (!last && held > kTagCap) {
      throw ReadError(Place() + "a tag or comment of more than 4 MiB" + Offset());
    }
  }

  std::string Place() const {
    return file_ + ":" + std::to_string(XML_GetCurrentLineNumber(expat_.get())) + ":" +
           std::to_string(XML_GetCurrentColumnNumber(expat_.get()) + 1) + ": ";
  }
  std::string Offset() const {
    return " (byte " + std::to_string(XML_GetCurrentByteIndex(expat_.get())) + ")";
  }

  /// expat is C: nothing may be thrown through it.
  template <typename Step>
  void Guard(Step step) {
    if (error_) return;
    try {
      step();
    } catch (const BadValue& bad) {
      Stop(std::make_exception_ptr(ReadError(Place() + bad.what() + Offset())));
    } catch (...) {
      Stop(std::current_exception());
    }
  }

  void Stop(std::exception_ptr error) {
    error_ = std::move(error);
    XML_StopParser(expat_.get(), XML_FALSE);
  }

  static void Begin(void* self, const char* element, const char** list) {
    auto* reading = static_cast<Reading*>(self);
    reading->Guard([&] {
      JUnitParser::Attributes attributes;
      for (; *list != nullptr; list += 2) attributes.emplace_back(list[0], list[1]);
      reading->parser_.Begin(element, attributes);
    });
  }
  static void End(void* self, const char* /*element*/) {
    auto* reading = static_cast<Reading*>(self);
    reading->Guard([&] { reading->parser_.End(); });
  }
  static void Text(void* self, const char* text, int length) {
    auto* reading = static_cast<Reading*>(self);
    reading->Guard(
        [&] { reading->parser_.Text(std::string_view(text, static_cast<std::size_t>(length))); });
  }
  static void Entity(void* self, const char* name, int, const char*, int, const char*, const char*,
                     const char*, const char*) {
    auto* reading = static_cast<Reading*>(self);
    reading->Guard([&] {
      throw BadValue("declares the entity " + std::string(CutUtf8(name, 40)) +
                     ", which no JUnit file needs");
    });
  }

  std::string file_;
  JUnitParser parser_;
  std::unique_ptr<XML_ParserStruct, Free> expat_;
  std::exception_ptr error_;
  std::uint64_t fed_ = 0;
};

}  // namespace

std::vector<Run> ReadJUnit(std::istream& in, const std::string& name, TextBudget& budget) {
  return Reading(name, budget).All(in);
}

std::vector<Run> ReadJUnitFile(const std::string& file, TextBudget& budget) {
  std::ifstream in(file, std::ios::binary);
  const int error = errno;
  const std::string name = DisplayName(file);
  if (!in) throw ReadError(name + ": " + std::generic_category().message(error));
  return ReadJUnit(in, name, budget);
}

}  // namespace kfdcts::report
