#include "harness/vm/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/vm/test/scratch.h"

namespace kfdcts::vm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

constexpr const char* kGood =
    "description: A machine\n"
    "gpus:\n"
    "  - chip: vega10\n"
    "    vram: 256M\n"
    "    visible_vram: 64M\n"
    "memory: 2G\n"
    "cpus: 3\n"
    "kernel_parameters: [amdgpu.vm_debug=1]\n";

TEST(Machine, IsReadFromItsFile) {
  const test::Scratch scratch;
  const Machine machine = LoadMachine(scratch.File("mine.yaml", kGood));
  EXPECT_EQ(machine.name, "mine");
  EXPECT_EQ(machine.description, "A machine");
  ASSERT_EQ(machine.gpus.size(), 1u);
  EXPECT_EQ(machine.gpus[0].chip, "vega10");
  EXPECT_EQ(machine.gpus[0].vram_bytes, 256u << 20);
  EXPECT_EQ(machine.gpus[0].visible_vram_bytes, 64u << 20);
  EXPECT_EQ(machine.memory_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(machine.cpus, 3);
  EXPECT_THAT(machine.kernel_parameters, ElementsAre("amdgpu.vm_debug=1"));
}

TEST(Machine, ShippedOnesAreAllGood) {
  const std::vector<std::string> names = MachineNames();
  EXPECT_THAT(names, IsSupersetOf({"cpu-only", "small-bar", "small-vram", "vega10", "vega10x2",
                                   "vega10x4"}));
  for (const std::string& name : names) {
    EXPECT_NO_THROW(FindMachine(name)) << name;
  }
  EXPECT_EQ(FindMachine(kDefaultMachine).gpus.size(), 2u);
  EXPECT_TRUE(FindMachine("cpu-only").gpus.empty());
}

TEST(Machine, UnknownNameListsTheKnownOnes) {
  try {
    FindMachine("vega11");
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown machine \"vega11\"; known: cpu-only, small-bar"));
  }
}

TEST(Machine, MissingFileIsNamed) {
  try {
    FindMachine("/nowhere/at-all.yaml");
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/at-all.yaml: No such file or directory");
  }
}

/// A line of the good file in other words, and what is said about it behind the file's name.
struct Mistake {
  const char* name;
  std::string_view line;
  std::string_view instead;
  const char* message;
};

class MachineMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(MachineMistake, IsRefusedWithPlaceAndKey) {
  const Mistake& mistake = GetParam();
  std::string text = kGood;
  const auto at = text.find(mistake.line);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, mistake.line.size(), mistake.instead);
  const test::Scratch scratch;
  const auto file = scratch.File("bad.yaml", text);
  try {
    LoadMachine(file);
    FAIL() << "accepted:\n" << text;
  } catch (const MachineError& error) {
    EXPECT_EQ(error.what(), file.string() + mistake.message);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MachineMistake,
    ::testing::Values(
        Mistake{"UnknownKey", "cpus: 3", "cpu: 3", ":7:1: cpu: unknown key"},
        Mistake{"UnknownGpuKey", "visible_vram: 64M", "hive: 1", ":5:5: gpus[0].hive: unknown key"},
        Mistake{"UnknownChip", "vega10", "vega99",
                ":3:11: gpus[0].chip: unknown chip \"vega99\"; known: vega10"},
        Mistake{"NoSize", "256M", "lots", ":4:11: gpus[0].vram: \"lots\" is no size as 256M or 2G"},
        Mistake{"NoPowerOfTwo", "256M", "100M", ":4:11: gpus[0].vram: 100M is no power of two"},
        Mistake{"TooSmall", "256M", "1M", ":4:11: gpus[0].vram: 1M is not between 64M and 16G"},
        Mistake{"MoreVisibleThanThere", "visible_vram: 64M", "visible_vram: 512M",
                ":5:19: gpus[0].visible_vram: is more than vram"},
        Mistake{"GpusNoList", "gpus:\n  - chip: vega10\n    vram: 256M\n    visible_vram: 64M\n",
                "gpus: 2\n", ":2:7: gpus: must be a list"},
        Mistake{"GpuNoMap", "  - chip: vega10\n    vram: 256M\n    visible_vram: 64M\n",
                "  - vega10\n", ":3:5: gpus[0]: must be a map of keys"},
        Mistake{"MissingKey", "memory: 2G\n", "", ":1:1: memory: missing"},
        Mistake{"MissingGpuKey", "    vram: 256M\n", "", ":3:5: gpus[0].vram: missing"},
        Mistake{"Twice", "cpus: 3", "cpus: 3\ncpus: 4", ":8:1: cpus: given twice"},
        Mistake{"NoNumber", "cpus: 3", "cpus: many", ":7:7: cpus: \"many\" is no number"},
        Mistake{"TooMany", "cpus: 3", "cpus: 1000", ":7:7: cpus: 1000 is not between 1 and 64"},
        Mistake{"TextExpected", "description: A machine", "description: [A]",
                ":1:14: description: must be a text"},
        Mistake{"TwoParameters", "amdgpu.vm_debug=1", "a=1 b=2",
                ":8:21: kernel_parameters[0]: must be one parameter, without blanks"},
        Mistake{"UnequalGpus", "    visible_vram: 64M\n",
                "    visible_vram: 64M\n  - chip: vega10\n    vram: 256M\n",
                ":6:5: gpus[1].visible_vram: must be the same for all GPUs "
                "(amdgpu.vis_vramlimit is one for all)"},
        Mistake{"NoYaml", "cpus: 3", "cpus: [3", ":8:18: end of sequence flow not found"}),
    [](const auto& tested) { return tested.param.name; });

TEST(MachineFile, EmptyOneIsRefused) {
  const test::Scratch scratch;
  const auto file = scratch.File("empty.yaml", "");
  try {
    LoadMachine(file);
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_EQ(error.what(), file.string() + ": holds no machine");
  }
}

}  // namespace
}  // namespace kfdcts::vm
