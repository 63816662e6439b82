#include "harness/director/director.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/director/own_pasids.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::harness {
namespace {

using nlohmann::json;

DirectorQueue QueueFrom(const json& queue) {
  DirectorQueue parsed{.name = queue.at("name"),
                       .kind = queue.at("kind"),
                       .state = queue.at("state"),
                       .vmid = queue.at("vmid"),
                       .pasid = queue.at("pasid"),
                       .base = queue.at("base"),
                       .doorbell = {},
                       .rptr = queue.at("rptr"),
                       .wptr = queue.at("wptr")};
  if (queue.contains("doorbell")) parsed.doorbell = queue.at("doorbell").get<std::uint32_t>();
  return parsed;
}

DirectorCounters CountersFrom(const json& counters) {
  DirectorCounters parsed;
  counters.at("packets").get_to(parsed.packets);
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::uint64_t*>>{
           {"copies", &parsed.copies},
           {"bytes-copied", &parsed.bytes_copied},
           {"fences", &parsed.fences},
           {"interrupts", &parsed.interrupts},
           {"interrupts-dropped", &parsed.interrupts_dropped},
           {"faults", &parsed.faults},
           {"retry-faults", &parsed.retry_faults},
           {"exceptions", &parsed.exceptions},
           {"doorbells", &parsed.doorbells},
           {"register-reads", &parsed.register_reads},
           {"register-writes", &parsed.register_writes},
           {"run-lists", &parsed.run_lists},
           {"unmaps", &parsed.unmaps},
           {"preemptions", &parsed.preemptions},
           {"mapped-processes", &parsed.mapped_processes},
           {"mapped-queues", &parsed.mapped_queues},
           {"running-queues", &parsed.running_queues}}) {
    counters.at(key).get_to(*value);
  }
  return parsed;
}

DirectorFinding FindingFrom(const json& finding) {
  return {.kind = finding.at("kind"),
          .count = finding.at("count"),
          .vmid = finding.at("vmid"),
          .pasid = finding.at("pasid"),
          .address = finding.at("address"),
          .engine = finding.at("engine"),
          .detail = finding.at("detail")};
}

std::vector<DirectorInterrupt> InterruptsFrom(const json& list) {
  std::vector<DirectorInterrupt> interrupts;
  for (const json& held : list) {
    DirectorInterrupt parsed{.client = held.at("client"),
                             .source = held.at("source"),
                             .ring = held.at("ring"),
                             .vmid = held.at("vmid"),
                             .pasid = held.at("pasid"),
                             .data = held.at("data"),
                             .address = {}};
    if (held.contains("address")) parsed.address = held.at("address").get<std::uint64_t>();
    interrupts.push_back(parsed);
  }
  return interrupts;
}

std::string Described(const DirectorQueue& queue) {
  char text[160];
  std::snprintf(text, sizeof text, "%s %s ring 0x%llx doorbell 0x%x pasid %u", queue.name.c_str(),
                queue.state.c_str(), static_cast<unsigned long long>(queue.base),
                queue.doorbell.value_or(0), unsigned{queue.pasid});
  return text;
}

}  // namespace

std::string DirectorFinding::Text() const {
  char where[96];
  std::snprintf(where, sizeof where, " x%llu at 0x%llx of vmid %u pasid %u",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(address),
                unsigned{vmid}, unsigned{pasid});
  return kind + where + (engine.empty() ? "" : " by " + engine) + ": " + detail;
}

DirectorHold::~DirectorHold() {
  try {
    Release();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "director: not released: %s\n", error.what());
  }
}

void DirectorHold::Release() {
  if (const auto undo = std::exchange(undo_, nullptr)) undo();
}

Director::Director(const GpuNode& gpu)
    : Director(LineChannel::Open(vm::kGuestDirectorPrefix + std::to_string(gpu.ordinal)),
               [minor = gpu.facts.Property("drm_render_minor")] { return OwnPasids(minor); }) {}

// What a predecessor left behind is no hindrance: an empty line ends a half of one, answers to its
// questions have other ids, and the rest of an answer that it read in part is no object.
Director::Director(LineChannel channel, PasidSource own_pasids)
    : channel_(std::move(channel)),
      own_pasids_(std::move(own_pasids)),
      next_id_(
          static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count())) {
}

json Director::Ask(json request) {
  const std::lock_guard lock(mutex_);
  const gpu::Deadline deadline(kTimeout);
  const std::uint64_t id = next_id_++;
  request["id"] = id;
  const std::string where = channel_.name() + ", " + request.at("do").get<std::string>() + ": ";
  try {
    channel_.Write(std::exchange(before_first_, {}) + request.dump(), deadline);
    while (true) {
      json answer = json::parse(channel_.Read(deadline), nullptr, false);
      if (!answer.is_object() || answer.value("id", json()) != json(id)) continue;
      if (answer.at("ok").get<bool>()) return answer;
      throw DirectorError(where + answer.at("error").get<std::string>());
    }
  } catch (const json::exception& error) {
    throw DirectorError(where + "not understood: " + error.what());
  }
}

DirectorHold Director::Hold(const json& hold, const json& release) {
  Ask(hold);
  return DirectorHold([this, release] { Ask(release); });
}

void Director::Ping() { Ask({{"do", "ping"}}); }

DirectorHold Director::HoldEngine(const std::string& engine) {
  return Hold({{"do", "hold-engine"}, {"engine", engine}},
              {{"do", "release-engine"}, {"engine", engine}});
}

DirectorHold Director::HoldInterrupts() {
  return Hold({{"do", "hold-interrupts"}}, {{"do", "release-interrupts"}});
}

void Director::DeliverInterrupt(std::uint32_t index) {
  Ask({{"do", "deliver-interrupt"}, {"index", index}});
}

DirectorHold Director::HoldFaults(std::uint64_t first, std::uint64_t last, std::uint16_t pasid) {
  return Hold({{"do", "hold-faults"}, {"first", first}, {"last", last}, {"pasid", pasid}},
              {{"do", "release-faults"}});
}

DirectorHeld Director::Held() {
  const json held = Ask({{"do", "held"}});
  return {InterruptsFrom(held.at("interrupts")), InterruptsFrom(held.at("faults"))};
}

DirectorHold Director::HoldCopies() {
  return Hold({{"do", "hold-copies"}}, {{"do", "release-copies"}});
}

void Director::DropInterrupts(std::uint32_t count) {
  Ask({{"do", "drop-interrupts"}, {"count", count}});
}

void Director::FailCopies(std::uint32_t count) { Ask({{"do", "fail-copies"}, {"count", count}}); }

void Director::CorruptCopies(std::uint32_t count) {
  Ask({{"do", "corrupt-copies"}, {"count", count}});
}

DirectorHold Director::HangScheduler() {
  return Hold({{"do", "hang-scheduler"}}, {{"do", "unhang-scheduler"}});
}

DirectorHold Director::HangQueue(const DirectorQueue& queue) {
  if (!queue.doorbell) throw DirectorError(Described(queue) + " has no doorbell to hang it by");
  return Hold({{"do", "hang-queue"}, {"doorbell", *queue.doorbell}},
              {{"do", "unhang-queue"}, {"doorbell", *queue.doorbell}});
}

void Director::ReleaseAll() { Ask({{"do", "release-all"}}); }

std::vector<DirectorFinding> Director::Complaints(bool clear, bool release) {
  const json answer = Ask({{"do", "complaints"}, {"clear", clear}, {"release", release}});
  std::vector<DirectorFinding> findings;
  for (const json& finding : answer.at("findings")) findings.push_back(FindingFrom(finding));
  if (const auto beyond = answer.at("beyond").get<std::uint64_t>(); beyond != 0) {
    findings.push_back({.kind = "more", .count = beyond, .engine = {}, .detail = "not kept apart"});
  }
  return findings;
}

DirectorCounters Director::Counters() {
  return CountersFrom(Ask({{"do", "counters"}}).at("counters"));
}

std::vector<DirectorQueue> Director::Queues() {
  std::vector<DirectorQueue> queues;
  const json answer = Ask({{"do", "queues"}});
  for (const json& queue : answer.at("queues")) queues.push_back(QueueFrom(queue));
  return queues;
}

std::string Director::Report() { return Ask({{"do", "report"}}).at("report"); }

std::vector<DirectorQueue> Director::OwnQueues() {
  std::vector<DirectorQueue> queues = Queues();
  const auto pasids = own_pasids_ ? own_pasids_() : std::set<std::uint16_t>{};
  std::erase_if(queues, [&](const DirectorQueue& queue) { return !pasids.contains(queue.pasid); });
  return queues;
}

DirectorQueue Director::OneOwnQueue(const std::function<bool(const DirectorQueue&)>& is_meant,
                                    const std::string& what) {
  const std::vector<DirectorQueue> own = OwnQueues();
  std::vector<DirectorQueue> meant;
  std::copy_if(own.begin(), own.end(), std::back_inserter(meant), is_meant);
  if (meant.size() == 1) return meant.front();
  std::string text = channel_.name() + ": " + std::to_string(meant.size()) + " queues " + what;
  for (const DirectorQueue& queue : own) text += "\n  " + Described(queue);
  throw DirectorError(text);
}

DirectorQueue Director::OnlyOwnQueue() {
  return OneOwnQueue([](const DirectorQueue&) { return true; }, "of this process");
}

DirectorQueue Director::QueueOfRing(const void* ring) {
  const auto address = reinterpret_cast<std::uintptr_t>(ring);
  return OneOwnQueue([=](const DirectorQueue& queue) { return queue.base == address; },
                     "with the ring sought");
}

DirectorQueue Director::QueueOfDoorbell(const volatile void* doorbell) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto in_page = reinterpret_cast<std::uintptr_t>(doorbell) % page;
  return OneOwnQueue(
      [=](const DirectorQueue& queue) {
        return queue.doorbell && *queue.doorbell % page == in_page;
      },
      "with the doorbell sought");
}

}  // namespace kfdcts::harness
