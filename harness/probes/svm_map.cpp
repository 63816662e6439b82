#include "harness/probes/svm_map.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include "harness/gpu/pagemap.h"

namespace kfdcts::harness {
namespace {

constexpr std::size_t kMostQuestions = 64;
constexpr std::size_t kLongRun = 8;

std::string NodeText(HSAuint32 node) {
  if (node == INVALID_NODEID) return "undefined";
  return node == 0 ? "system" : "node " + std::to_string(node);
}

const char* AccessText(HSAuint32 type) {
  switch (type) {
    case HSA_SVM_ATTR_ACCESS:
      return "access";
    case HSA_SVM_ATTR_ACCESS_IN_PLACE:
      return "in place";
    default:
      return "none";
  }
}

std::string SizeText(std::size_t bytes) {
  constexpr std::size_t kKiB = 1024, kMiB = kKiB * kKiB;
  return bytes % kMiB == 0 ? std::to_string(bytes / kMiB) + " MiB"
                           : std::to_string(bytes / kKiB) + " KiB";
}

std::string LettersOf(const std::byte* start, std::size_t bytes) {
  try {
    return ShortResidency(gpu::PageLetters({start, bytes}));
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::string ShortResidency(const std::string& letters) {
  std::string text;
  for (std::size_t first = 0; first < letters.size();) {
    const std::size_t end =
        std::min(letters.find_first_not_of(letters[first], first), letters.size());
    const std::size_t count = end - first;
    if (count > kLongRun) {
      text += std::string(1, letters[first]) + "×" + std::to_string(count);
    } else {
      text.append(count, letters[first]);
    }
    first = end;
  }
  return text;
}

std::string SvmMap::AttributesOf(const std::byte* start, std::size_t bytes) const {
  std::vector<HSA_SVM_ATTRIBUTE> answers = {{HSA_SVM_ATTR_PREFERRED_LOC, 0},
                                            {HSA_SVM_ATTR_PREFETCH_LOC, 0},
                                            {HSA_SVM_ATTR_SET_FLAGS, 0},
                                            {HSA_SVM_ATTR_GRANULARITY, 0}};
  const std::size_t fixed = answers.size();
  for (const auto& gpu : gpus_) answers.push_back({HSA_SVM_ATTR_ACCESS, gpu.node_id});
  const auto status = thunk_.hsaKmtSVMGetAttr(
      const_cast<std::byte*>(start), bytes, static_cast<unsigned>(answers.size()), answers.data());
  if (status != HSAKMT_STATUS_SUCCESS) return "no answer (status " + std::to_string(status) + ")";
  std::ostringstream text;
  text << "preferred " << NodeText(answers[0].value) << ", prefetch " << NodeText(answers[1].value)
       << ", flags 0x" << std::hex << answers[2].value << std::dec << ", granularity "
       << answers[3].value << ", access";
  for (std::size_t i = fixed; i < answers.size(); ++i) {
    text << (i == fixed ? " " : ", ") << gpus_[i - fixed].node_id << ": "
         << AccessText(answers[i].type);
  }
  return text.str();
}

std::string SvmMap::Of(std::span<const std::byte> pages) const noexcept {
  try {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t count = pages.size() / page;
    const std::size_t step =
        page * std::max<std::size_t>(1, (count + kMostQuestions - 1) / kMostQuestions);
    std::ostringstream text;
    for (std::size_t first = 0; first < pages.size();) {
      const std::string attributes = AttributesOf(pages.data() + first, page);
      std::size_t end = std::min(first + step, pages.size());
      while (end < pages.size() && AttributesOf(pages.data() + end, page) == attributes) {
        end = std::min(end + step, pages.size());
      }
      text << "  " << static_cast<const void*>(pages.data() + first) << " " << SizeText(end - first)
           << "  " << attributes << "  [" << LettersOf(pages.data() + first, end - first) << "]\n";
      first = end;
    }
    return text.str();
  } catch (const std::exception& error) {
    return std::string("  no map: ") + error.what() + "\n";
  }
}

}  // namespace kfdcts::harness
