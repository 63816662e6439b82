#include "harness/cli/capability_list.h"

#include <iomanip>
#include <span>
#include <string>

#include "harness/capabilities/probe.h"
#include "harness/test_support/kfd_session.h"

namespace kfdcts::harness {
namespace {

constexpr int kNameWidth = 20;

void PrintLine(std::ostream& out, const std::string& name, const std::string& state) {
  out << std::left << std::setw(kNameWidth) << name << state << '\n';
}

std::string State(Capability capability, const ProbeContext& context) {
  const auto missing = WhyMissing(capability, context);
  return missing ? "missing: " + *missing : "present";
}

void PrintSymbols(std::ostream& out, const Thunk& thunk) {
  const auto missing = thunk.MissingSymbols();
  std::string list;
  for (const auto& symbol : missing) list += (list.empty() ? "" : ", ") + symbol;
  PrintLine(out, "symbols", list.empty() ? "the thunk has them all" : "missing: " + list);
}

}  // namespace

void ListCapabilities(std::ostream& out) {
  out << "Asked in the guest, by the tests that need them:\n";
  for (const Capability capability : AllCapabilities()) {
    PrintLine(out, std::string(NameOf(capability)), std::string(DescriptionOf(capability)));
  }
  PrintLine(out, "symbol:NAME", "the thunk exports this function of the API");
}

void ProbeCapabilities(std::ostream& out, const std::filesystem::path& thunk_file) {
  const Thunk thunk(thunk_file);
  KfdSession session;
  session.Open(thunk.api());
  const std::span<const GpuNode> gpus = session.gpus();
  for (const Capability capability : AllCapabilities()) {
    PrintLine(out, std::string(NameOf(capability)),
              State(capability, {&thunk, true, gpus, gpus}) + " (" +
                  std::string(DescriptionOf(capability)) + ")");
  }
  PrintSymbols(out, thunk);
  session.Close(thunk.api());
}

}  // namespace kfdcts::harness
