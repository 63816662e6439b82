#include "harness/scenario/writer.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "harness/scenario/words.h"

namespace kfdcts::harness::scenario {
namespace {

std::string Text(const Contents& contents) {
  return WordOf(kContents, contents.kind) + ": " + std::to_string(contents.number);
}

std::string Text(const std::vector<Attribute>& attributes) {
  std::string list;
  for (const auto& one : attributes) list += (list.empty() ? "" : ", ") + scenario::Text(one);
  return "[" + list + "]";
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "''" : std::string(1, letter);
  return quoted + "'";
}

/// In quotes, since 0x4000 alone is a number to YAML.
std::string FlagsField(std::uint32_t flags) { return Quoted(FlagsText(flags)); }

/// ", status: error", or nothing.
std::string StatusText(Status status) {
  return status == Status::kSuccess ? "" : ", status: " + WordOf(kStatuses, status);
}

std::string At(const Pages& pages) { return "{at: " + scenario::Text(pages); }

std::string GpuText(std::size_t gpu, EngineKind engine) {
  return ", gpu: gpu" + std::to_string(gpu) + ", engine: " + WordOf(kEngines, engine);
}

/// One step of each kind as "kind: {…}".
struct Writer {
  std::string operator()(const Map& step) const {
    std::string text = "map: {name: " + step.name + ", pages: " + std::to_string(step.pages) +
                       ", kind: " + WordOf(kMapKinds, step.kind);
    if (step.contents) text += ", " + Text(*step.contents);
    return text + "}";
  }
  std::string operator()(const MapAgain& step) const { return "map-again: " + At(step.at) + "}"; }
  std::string operator()(const Munmap& step) const { return "munmap: " + At(step.at) + "}"; }
  std::string operator()(const Mremap& step) const {
    return "mremap: " + At(step.at) + ", name: " + step.name +
           ", pages: " + std::to_string(step.pages) + "}";
  }
  std::string operator()(const Madvise& step) const {
    return "madvise: " + At(step.at) + ", advice: " + WordOf(kAdvices, step.advice) + "}";
  }
  std::string operator()(const Mprotect& step) const {
    return "mprotect: " + At(step.at) + ", protection: " + WordOf(kProtections, step.protection) +
           "}";
  }
  std::string operator()(const SetAttributes& step) const {
    return "set: " + At(step.at) + ", attributes: " + Text(step.attributes) +
           StatusText(step.status) + "}";
  }
  std::string operator()(const GetAttributes& step) const {
    std::string text = "get: " + At(step.at) + ", attributes: " + Text(step.attributes);
    if (step.answers) text += ", answers: " + Text(*step.answers);
    return text + StatusText(step.status) + "}";
  }
  std::string operator()(const Expect& step) const {
    std::string text = "expect: " + At(step.at);
    if (step.each_page) text += ", ask: pages";
    if (step.preferred) text += ", preferred: " + scenario::Text(*step.preferred);
    if (step.prefetch) text += ", prefetch: " + scenario::Text(*step.prefetch);
    if (step.flags) text += ", flags: " + FlagsField(*step.flags);
    if (step.any_flags) text += ", any-flags: " + FlagsField(*step.any_flags);
    if (step.granularity) text += ", granularity: " + std::to_string(*step.granularity);
    return text + AccessText(step.access) + "}";
  }
  std::string operator()(const CpuWrite& step) const {
    return "cpu-write: " + At(step.at) + ", " + Text(step.contents) + "}";
  }
  std::string operator()(const CpuRead& step) const {
    return "cpu-read: " + At(step.at) + ", " + Text(step.contents) + "}";
  }
  std::string operator()(const GpuWrite& step) const {
    return "gpu-write: " + At(step.at) + ", " + Text(step.contents) +
           GpuText(step.gpu, step.engine) + "}";
  }
  std::string operator()(const GpuRead& step) const {
    return "gpu-read: " + At(step.at) + ", " + Text(step.contents) +
           GpuText(step.gpu, step.engine) + "}";
  }
  std::string operator()(const GpuAtomic& step) const {
    return "gpu-atomic: " + At(step.at) + ", operation: " + WordOf(kAtomics, step.operation) +
           ", operand: " + std::to_string(step.operand) +
           ", compare: " + std::to_string(step.compare) + GpuText(step.gpu, step.engine) + "}";
  }
  std::string operator()(const Peek& step) const {
    return "peek: " + At(step.at) + ", by: " + WordOf(kPeekers, step.by) + ", " +
           Text(step.contents) + "}";
  }
  std::string operator()(const SyscallRead& step) const {
    return "syscall-read: " + At(step.at) + ", " + Text(step.contents) + "}";
  }
  std::string operator()(const SyscallWrite& step) const {
    return "syscall-write: " + At(step.at) + ", " + Text(step.contents) + "}";
  }
  std::string operator()(const ExpectResidency& step) const {
    return "expect-residency: " + At(step.at) + ", is: '" + step.pages + "'}";
  }
  std::string operator()(const Fork& step) const { return "fork: {name: " + step.name + "}"; }
  std::string operator()(const EndChild& step) const {
    return "end-child: {name: " + step.name + "}";
  }
  std::string operator()(const Child& step) const {
    return "child: {name: " + step.name + ", steps: " + List(step.steps) + "}";
  }
  std::string operator()(const Together& step) const {
    std::string text =
        "together:\n      rounds: " + std::to_string(step.rounds) + "\n      threads:";
    for (const auto& thread : step.threads) {
      text += "\n        - steps:";
      for (const auto& one : thread) text += "\n            - " + WriteStep(one);
    }
    return text;
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    throw std::logic_error("a step that is not written");
  }

 private:
  static std::string AccessText(const std::map<std::size_t, Attribute::Kind>& access) {
    if (access.empty()) return "";
    std::string list;
    for (const auto& [gpu, kind] : access) {
      list += (list.empty() ? "gpu" : ", gpu") + std::to_string(gpu) + ": " +
              (kind == Attribute::Kind::kNoAccess ? "none" : WordOf(kAttributes, kind));
    }
    return ", access: {" + list + "}";
  }
  static std::string List(const std::vector<Step>& steps) {
    std::string list;
    for (const auto& one : steps) list += (list.empty() ? "{" : ", {") + WriteStep(one) + "}";
    return "[" + list + "]";
  }
};

std::string IdList(std::string ids) {
  for (std::size_t at = 0; (at = ids.find(' ', at)) != std::string::npos; at += 2) {
    ids.replace(at, 1, ", ");
  }
  return "[" + ids + "]";
}

std::string NeedList(const std::vector<Requirement>& needs) {
  std::string list;
  for (const auto& need : needs) {
    if (!std::holds_alternative<Capability>(need)) {
      throw std::logic_error("a need that files do not have: " + NameOf(need));
    }
    list += (list.empty() ? "" : ", ") + NameOf(need);
  }
  return "[" + list + "]";
}

/// What of the head is not as in a file without it.
std::string OptionalHead(const Scenario& scenario) {
  const Scenario plain;
  std::string text;
  if (!scenario.guards.empty()) text += "guards: " + IdList(scenario.guards) + '\n';
  if (!scenario.needs.empty()) text += "needs: " + NeedList(scenario.needs) + '\n';
  if (scenario.process != plain.process) {
    text += "process: " + WordOf(kProcesses, scenario.process) + '\n';
  }
  if (scenario.time_limit != plain.time_limit) {
    text += "time-limit: " + std::to_string(scenario.time_limit.count()) + '\n';
  }
  return text;
}

}  // namespace

std::string WriteStep(const Step& step) { return std::visit(Writer{}, step.action); }

std::string WriteScenario(const Scenario& scenario) {
  std::ostringstream text;
  text << "property: " << Quoted(scenario.property) << "\nrules: " << IdList(scenario.rules) << '\n'
       << OptionalHead(scenario) << "gpus: " << WordOf(kScopes, scenario.scope)
       << "\nxnack: " << WordOf(kXnackModes, scenario.xnack) << "\nsteps:\n";
  for (const auto& step : scenario.steps) text << "  - " << WriteStep(step) << '\n';
  return text.str();
}

}  // namespace kfdcts::harness::scenario
