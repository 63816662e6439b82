#pragma once

#include <cstdint>
#include <string>

#include "thunk/src/topology/topology.h"
#include "thunk/test/topology/file_tree.h"

/// Trees as the kernel's, for tests to spoil.
namespace kfdcts::thunk::test {

/// A path below the topology's root.
std::string Below(const std::string& file);
/// A path below nodes/N.
std::string OfNode(std::uint32_t node, const std::string& file);

/// generation_id 5 and system_properties.
void AddSystem(FileTree& tree);
/// /proc/cpuinfo of two processors with APIC ids 0 and 1.
void AddCpuInfo(FileTree& tree);
/// A CPU's node with two cores, one bank and `links` PCIe links to nodes 1, 2, …
void AddCpuNode(FileTree& tree, std::uint32_t node, std::uint32_t links);
/// A Vega10's node with one bank, two caches and a PCIe link to node 0.
void AddGpuNode(FileTree& tree, std::uint32_t node, std::uint32_t gpu_id);
void AddLink(FileTree& tree, std::uint32_t from, std::uint32_t index, std::uint32_t to,
             const std::string& kind = "io_links", std::uint32_t weight = 20,
             std::uint32_t type = 2);
/// `nodes/N/properties` with `key` set to `value`, in its place or at the end; "" takes it out.
void SetProperty(FileTree& tree, std::uint32_t node, const std::string& key,
                 const std::string& value);

/// Node 0 a CPU, nodes 1 and 2 Vega10s with gpu_ids 52673 and 44485: machine vega10x2.
FileTree TwoGpus();

/// A tree captured from a guest: lines "== path", each before the file's content. Throws
/// std::runtime_error where there is no such file.
FileTree LoadTree(const std::string& file);

/// Reads with every GPU usable; a test failure and an empty topology if that fails.
Topology ReadAll(FileTree& tree);
/// The status of a read that should fail; checks that it comes with a text and no topology.
HSAKMT_STATUS ReadStatus(FileTree& tree, std::string* text = nullptr);

}  // namespace kfdcts::thunk::test
