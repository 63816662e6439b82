#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/vm/boot/kernel_parameters.h"
#include "harness/vm/fetch/kernels.h"
#include "harness/vm/run/qemu_command.h"
#include "harness/vm/test/scratch.h"

namespace kfdcts::vm {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Machine TwoGpus(std::uint64_t visible) {
  Machine machine;
  machine.gpus = {{"vega10", 256 << 20, visible}, {"vega10", 256 << 20, visible}};
  machine.kernel_parameters = {"amdgpu.vm_debug=1"};
  return machine;
}

TEST(KernelParameters, DriverIsSetUpForTheDevice) {
  const std::string line = KernelParameters(
      TwoGpus(64 << 20),
      {.display_core = true, .ports = 7, .spec_file = "/tmp/spec", .append = "last=1"});
  for (const char* word :
       {" amdgpu.fw_load_type=0 ", " amdgpu.dpm=0 ", " amdgpu.ras_enable=0 ", " amdgpu.audio=0 ",
        " amdgpu.noretry=0 ", " amdgpu.lockup_timeout=60000 ", " amdgpu.ip_block_mask=0x37 ",
        " amdgpu.vis_vramlimit=64 ", " kfdvm.gpus=2 ", " kfdvm.ports=7 ", " kfdvm.run=/tmp/spec ",
        " softlockup_panic=1 ", " watchdog_thresh=20 "}) {
    EXPECT_THAT(line, HasSubstr(word));
  }
  EXPECT_THAT(line, EndsWith(" amdgpu.vm_debug=1 last=1"));
}

TEST(KernelParameters, MaskDependsOnTheDisplayCore) {
  const std::string line = KernelParameters(TwoGpus(0), {.display_core = false});
  EXPECT_THAT(line, HasSubstr(" amdgpu.ip_block_mask=0x1f "));
  EXPECT_THAT(line, Not(HasSubstr("vis_vramlimit")));
}

TEST(KernelParameters, WithoutGpusTheDriverIsLeftAlone) {
  const std::string line = KernelParameters(Machine{}, {});
  EXPECT_THAT(line, Not(HasSubstr("amdgpu.")));
  EXPECT_THAT(line, HasSubstr(" kfdvm.gpus=0 "));
}

TEST(QemuArguments, SocketsGpusAndPortsAreThere) {
  QemuOptions options;
  options.console_fd = 5;
  options.terminal_fd = 6;
  options.ports = {{"kfdvm.control", 7, {}}, {"kfdcts.director.0", -1, "/tmp/a,b/dir"}};
  options.gpus = {"/tmp/gpu0"};
  options.share = "/some,where";
  options.memory_bytes = std::uint64_t{2} << 30;
  options.gdb_port = 1234;
  const auto argv = QemuArguments(options);
  for (const char* argument :
       {"socket,id=console,fd=5", "socket,id=terminal,fd=6", "socket,id=port1,fd=7",
        "virtserialport,bus=ports.0,nr=1,chardev=port1,name=kfdvm.control",
        "socket,id=port2,server=off,path=/tmp/a,,b/dir",
        "virtserialport,bus=ports.0,nr=2,chardev=port2,name=kfdcts.director.0",
        R"({"driver":"vfio-user-pci","socket":{"path":"/tmp/gpu0","type":"unix"}})",
        "memory-backend-memfd,id=mem,share=on,size=2048M",
        "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap",
        "local,id=share,security_model=none,multidevs=remap,path=/some,,where", "max,-hypervisor",
        "tcg,thread=multi", "-S", "tcp:127.0.0.1:1234", "-no-reboot"}) {
    EXPECT_THAT(argv, Contains(argument));
  }
}

TEST(QemuArguments, HardwareVirtualisationTakesTheHostsCpu) {
  QemuOptions options;
  options.kvm = true;
  const auto argv = QemuArguments(options);
  EXPECT_THAT(argv, Contains("kvm"));
  EXPECT_THAT(argv, Contains("host,-hypervisor"));
  EXPECT_THAT(argv, Not(Contains("-S")));
}

TEST(Kernels, ReleasesAreComparedByTheirNumbers) {
  EXPECT_TRUE(ReleaseLess("6.1.0-9-amd64", "6.1.0-57-amd64"));
  EXPECT_TRUE(ReleaseLess("7.3.4+deb13-amd64", "7.10.1+deb13-amd64"));
  EXPECT_TRUE(ReleaseLess("10.1", "10.1.3"));
  EXPECT_FALSE(ReleaseLess("10.1", "10.1"));
  EXPECT_FALSE(ReleaseLess("11.0", "10.1"));
}

TEST(Kernels, BothLayoutsOfPackagesAreKnown) {
  const test::Scratch scratch;
  scratch.File("new/usr/lib/modules/7.3.4/vmlinuz", "k");
  scratch.File("old/boot/vmlinuz-6.1.0-9-amd64", "k");
  scratch.File("old/lib/modules/6.1.0-9-amd64/kernel/a.ko", "m");
  const auto fresh = KernelInTree(scratch.path() / "new");
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->release, "7.3.4");
  EXPECT_EQ(fresh->modules, scratch.path() / "new/usr/lib/modules/7.3.4");
  const auto old = KernelInTree(scratch.path() / "old");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->image, scratch.path() / "old/boot/vmlinuz-6.1.0-9-amd64");
  EXPECT_FALSE(KernelInTree(scratch.path()));
}

TEST(Kernels, BuiltOnesHaveNamesAndFolders) {
  const test::Scratch scratch;
  scratch.File("built/mine-plain/vmlinux", "k");
  scratch.File("built/mine-plain/lib/modules/6.1.9-kfdcts/modules.order", "");
  const auto by_name = BuiltKernel(scratch.path(), "mine-plain");
  ASSERT_TRUE(by_name);
  EXPECT_EQ(by_name->release, "6.1.9-kfdcts");
  EXPECT_EQ(by_name->image, scratch.path() / "built/mine-plain/vmlinux");
  const auto by_folder = BuiltKernel("/nowhere", scratch.path() / "built/mine-plain");
  ASSERT_TRUE(by_folder);
  EXPECT_EQ(by_folder->modules, scratch.path() / "built/mine-plain/lib/modules/6.1.9-kfdcts");
  EXPECT_FALSE(BuiltKernel(scratch.path(), "other"));
  ASSERT_EQ(BuiltKernels(scratch.path()).size(), 1U);
  EXPECT_EQ(BuiltKernels(scratch.path())[0].name, "mine-plain");
}

TEST(Kernels, NewestOfTheSeriesIsTaken) {
  const test::Scratch scratch;
  for (const char* release : {"7.3.4", "7.10.0", "7.9.9"}) {
    scratch.File(
        std::string("kernels/debian-7.3/") + release + "/usr/lib/modules/" + release + "/vmlinuz",
        "k");
  }
  const auto kernel = CachedKernel(scratch.path(), KnownKernelSeries().front());
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->release, "7.10.0");
  EXPECT_FALSE(CachedKernel(scratch.path(), *FindKernelSeries("debian-6.1")));
}

}  // namespace
}  // namespace kfdcts::vm
