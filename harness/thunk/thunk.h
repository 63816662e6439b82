#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/capabilities/capability.h"
#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"

namespace kfdcts::harness {

/// One function of the thunk under test. Calling one that the thunk lacks throws CapabilityMissing.
template <typename Signature>
class ApiFunction;

template <typename Result, typename... Arguments>
class ApiFunction<Result(Arguments...)> {
 public:
  using Pointer = Result (*)(Arguments...);

  explicit ApiFunction(const char* name) : name_(name) {}

  Result operator()(Arguments... arguments) const {
    if (function_ == nullptr) {
      throw CapabilityMissing(NameOf(Requirement{Symbol{name_}}),
                              "the thunk under test does not export it");
    }
    return function_(arguments...);
  }

  explicit operator bool() const { return function_ != nullptr; }
  const char* name() const { return name_; }
  void Set(void* address) { function_ = reinterpret_cast<Pointer>(address); }

 private:
  const char* name_;
  Pointer function_ = nullptr;
};

/// Every symbol of the hsaKmt* API, named as in the headers: `thunk().hsaKmtQueryPointerInfo(…)`.
struct ThunkApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name
#define HSAKMT_SYMBOL(name) ApiFunction<decltype(::name)> name{#name};
#include "hsakmt/api_symbols.inc"
#include "hsakmt/api_symbols_ctx.inc"
#undef HSAKMT_SYMBOL
};

/// Which library is under test, for reports and expectations.
struct ThunkIdentity {
  std::string file;      ///< Real path, symbolic links resolved.
  std::string soname;    ///< DT_SONAME, as "libhsakmt.so.1".
  std::string build_id;  ///< Hexadecimal; empty where the file has none.
  std::string package;   ///< "libhsakmt1 5.2.3-2" where the package manager knows the file.

  /// One line of all that is known.
  std::string Describe() const;
};

/// Bad input: no such file, not a shared library for this machine, or not loadable.
class ThunkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The thunk that is tested where none is named: the bundled one beside this program, else the
/// system's. Throws ThunkError that lists where it was sought.
std::filesystem::path DefaultThunk();

/// Reads the file without running any of its code. Throws ThunkError.
ThunkIdentity IdentifyThunk(const std::filesystem::path& file);

/// A loaded thunk. Loaded for the process's life: no thunk promises to survive dlclose.
class Thunk {
 public:
  /// Throws ThunkError.
  explicit Thunk(const std::filesystem::path& file);

  const ThunkApi& api() const { return api_; }
  bool Exports(std::string_view symbol) const;

  /// An address of the library by name, null where it has none; for symbols beyond the API.
  void* Find(const char* symbol) const;

  /// The API's symbols that the library lacks.
  std::vector<std::string> MissingSymbols() const;

 private:
  void* handle_ = nullptr;
  ThunkApi api_;
};

}  // namespace kfdcts::harness
