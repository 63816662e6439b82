#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/scenario/scenario.h"
#include "harness/svm_model/sequence.h"

namespace kfdcts::harness::svm_model {

/// The state of one thread's memory, by the model: ranges, contents, what is mapped. Turns its
/// operations into steps with what they must find.
class Predictor {
 public:
  /// Its mapping's name; others that it makes begin with it.
  Predictor(const Setting& setting, std::string name);

  scenario::Step FirstMap() const;

  /// Adds the steps of an operation; none where it cannot be done.
  void Add(const Operation& operation, std::vector<scenario::Step>& steps);

 private:
  /// A page: each word is `rest`, the first one `first`.
  struct Page {
    bool mapped = true;
    std::uint32_t first = 0, rest = 0;
    friend bool operator==(const Page&, const Page&) = default;
  };

  void AddSet(const Operation& operation, std::vector<scenario::Step>& steps);
  void AddExpect(const Operation& operation, std::vector<scenario::Step>& steps) const;
  void AddGpu(const Operation& operation, std::vector<scenario::Step>& steps);
  void AddCpu(const Operation& operation, std::vector<scenario::Step>& steps);
  bool PagesMayComeBack() const;
  void AddCpuReads(const Operation& operation, std::vector<scenario::Step>& steps) const;
  void AddMapping(const Operation& operation, std::vector<scenario::Step>& steps);
  void AddMove(const Operation& operation, std::vector<scenario::Step>& steps);
  bool LosesLastAccess(std::uint64_t first, std::uint64_t count,
                       const std::vector<Attribute>& attributes) const;
  bool GpuMay(const Operation& operation, bool write);

  /// Calls `make` for each run of pages with the same contents.
  template <typename Make>
  void ForEachRun(const Operation& operation, const Make& make) const;

  scenario::Pages At(const Operation& operation) const;
  std::vector<Attribute> ToModel(const std::vector<scenario::Attribute>& attributes) const;
  scenario::Place ToPlace(std::uint32_t location) const;
  bool AllMapped(const Operation& operation) const;
  void Fill(const Operation& operation, std::uint32_t value);

  std::uint64_t PageNumber(std::size_t page) const { return kBase + page; }

  /// The mapping's place in the model: 2 MiB aligned, as the real one.
  static constexpr std::uint64_t kBase = std::uint64_t{1} << 20U;

  const Setting& setting_;
  std::string name_;
  Model model_;
  std::vector<Page> pages_;
  std::size_t made_ = 0;  // names of children and moved mappings
};

}  // namespace kfdcts::harness::svm_model
