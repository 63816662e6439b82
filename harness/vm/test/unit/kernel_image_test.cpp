#include "harness/vm/boot/kernel_image.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/vm/base/child_process.h"
#include "harness/vm/base/errors.h"
#include "harness/vm/test/scratch.h"
#include "harness/vm/test/unit/fake_module.h"

namespace kfdcts::vm {
namespace {

using ::testing::HasSubstr;

/// An ELF kernel with one note of this type by "Xen".
std::string FakeVmlinux(std::uint32_t note_type) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  const Elf64_Nhdr note{4, 8, note_type};
  segment.p_filesz = sizeof note + 12;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  bytes.append(reinterpret_cast<const char*>(&note), sizeof note);
  return bytes + std::string("Xen\0ENTRYADR", 12) + std::string(5000, 'k');
}

constexpr std::uint32_t kPvhEntry = 18;

std::string FakeBzImage(const std::string& payload) {
  std::string image(2 * 512, '\0');
  image[0x1f1] = 1;  // Setup sectors behind the first.
  image.replace(0x202, 4, "HdrS");
  image[0x20e] = 0x70;  // Address of the version, less 0x200.
  image.replace(0x270, 22, "7.3.4-test (me@there) ");
  const auto length = static_cast<std::uint32_t>(payload.size());
  std::memcpy(image.data() + 0x24c, &length, sizeof length);
  return image + payload;
}

std::string Gzipped(const test::Scratch& scratch, const std::string& content) {
  const auto file = scratch.File("packed", content);
  return ToolOutput({"gzip", "-c", file.string()});
}

TEST(KernelImage, ReleaseIsRead) {
  EXPECT_EQ(KernelRelease(FakeBzImage("")), "7.3.4-test");
  EXPECT_EQ(KernelRelease("no kernel"), "");
}

TEST(KernelImage, OnlyAKernelWithTheNoteStartsDirectly) {
  EXPECT_TRUE(StartsDirectly(FakeVmlinux(kPvhEntry)));
  EXPECT_FALSE(StartsDirectly(FakeVmlinux(17)));
  EXPECT_FALSE(StartsDirectly(FakeVmlinux(kPvhEntry).substr(0, 130)));
  EXPECT_FALSE(StartsDirectly("no kernel"));
}

TEST(KernelImage, PackedKernelIsUnpackedOnce) {
  const test::Scratch scratch;
  const std::string vmlinux = FakeVmlinux(kPvhEntry);
  const auto image = scratch.File("bzImage", FakeBzImage(Gzipped(scratch, vmlinux)));
  const auto bootable = BootableImage(image, scratch.path() / "cache");
  EXPECT_NE(bootable, image);
  EXPECT_EQ(ReadFile(bootable), vmlinux);
  EXPECT_EQ(BootableImage(image, scratch.path() / "cache"), bootable);
}

TEST(KernelImage, KernelThatCannotStartDirectlyIsTakenAsItIs) {
  const test::Scratch scratch;
  const auto image = scratch.File("bzImage", FakeBzImage(Gzipped(scratch, FakeVmlinux(17))));
  EXPECT_EQ(BootableImage(image, scratch.path() / "cache"), image);
  const auto unknown = scratch.File("unknown", FakeBzImage("packed by nobody knows what"));
  EXPECT_EQ(BootableImage(unknown, scratch.path() / "cache"), unknown);
}

TEST(KernelImage, AnythingElseIsRefusedByName) {
  const test::Scratch scratch;
  const auto text = scratch.File("text", "hello");
  try {
    BootableImage(text, scratch.path());
    FAIL();
  } catch (const RunError& error) {
    EXPECT_EQ(error.what(), "kernel image " + text.string() + ": neither a bzImage nor a vmlinux");
  }
  EXPECT_THROW(BootableImage("/nowhere", scratch.path()), RunError);
}

TEST(KernelImage, DisplayCoreIsToldByTheModulesFirmware) {
  const Kernel kernel;
  const std::string with = test::FakeModule(std::string("firmware=amdgpu/raven_dmcu.bin\0", 31));
  const std::string without = test::FakeModule(std::string("firmware=amdgpu/vega10_mec.bin\0", 31));
  EXPECT_TRUE(HasDisplayCore(kernel, with));
  EXPECT_FALSE(HasDisplayCore(kernel, without));
}

TEST(KernelImage, DisplayCoreIsToldByTheConfigurationOfABuiltInDriver) {
  const test::Scratch scratch;
  const Kernel kernel{"", "7.3.4-test", scratch.File("arch/x86/boot/bzImage", ""), {}};
  EXPECT_FALSE(HasDisplayCore(kernel, ""));
  scratch.File(".config", "\nCONFIG_DRM_AMDGPU=y\nCONFIG_DRM_AMD_DC=y\n");
  EXPECT_TRUE(HasDisplayCore(kernel, ""));
  scratch.File("arch/x86/boot/config-7.3.4-test", "\n# CONFIG_DRM_AMD_DC is not set\n");
  EXPECT_FALSE(HasDisplayCore(kernel, ""));
}

}  // namespace
}  // namespace kfdcts::vm
