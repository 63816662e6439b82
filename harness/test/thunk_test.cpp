#include "harness/thunk/thunk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "harness/probes/proc_maps.h"
#include "harness/test/temporary_folder.h"
#include "harness/thunk/elf_file.h"

namespace kfdcts::harness {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing_support::MessageOf;
using testing_support::TemporaryFolder;

std::string CLibrary() {
  for (const auto& region : ReadMaps()) {
    if (region.name.ends_with("libc.so.6")) return region.name;
  }
  return "";
}

TEST(ElfFile, NamesALibrary) {
  const ElfFile file = ElfFile::Read(CLibrary());
  EXPECT_EQ("libc.so.6", file.soname);
  EXPECT_THAT(file.build_id, MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(40u, file.build_id.size());
}

TEST(ElfFile, ATruncatedLibraryIsNeverReadBeyondItsEnd) {
  std::ifstream in(CLibrary(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const TemporaryFolder folder;
  for (const std::size_t size : {64U, 100U, 400U, 700U, 1000U, 5000U}) {
    const auto file = folder.Write("short.so", whole.substr(0, size));
    EXPECT_THAT(ElfFile::Read(file).soname, IsEmpty()) << size;
  }
}

TEST(ElfFile, OthersAreRefused) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::filesystem::path& file) {
    return MessageOf<ThunkError>([&] { ElfFile::Read(file); });
  };
  EXPECT_THAT(refusal(folder.Write("text", "hello")), EndsWith("text: no ELF file"));
  EXPECT_THAT(refusal(folder.Write("empty", "")), EndsWith("empty: no ELF file"));
  EXPECT_THAT(refusal(folder.path()), EndsWith(": is a folder"));
  EXPECT_THAT(refusal("/no/such.so"), EndsWith("No such file or directory"));
  EXPECT_THAT(refusal(folder.Write("odd", std::string("\x7F"
                                                      "ELF") +
                                              std::string(60, '\1'))),
              EndsWith("odd: no shared library for x86-64"));
}

TEST(Thunk, IdentityHasFileAndPackage) {
  const ThunkIdentity identity = IdentifyThunk("/usr/lib/x86_64-linux-gnu/libhsakmt.so.1");
  EXPECT_THAT(identity.file, HasSubstr("libhsakmt.so.1."));
  EXPECT_EQ("libhsakmt.so.1", identity.soname);
  EXPECT_THAT(identity.Describe(), HasSubstr(", package libhsakmt1 "));
}

TEST(Thunk, BundledOneIsTheDefault) {
  const auto own_folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_EQ(own_folder.parent_path() / "lib/libhsakmt.so.1", DefaultThunk());
  EXPECT_EQ("libhsakmt.so.1", IdentifyThunk(DefaultThunk()).soname);
}

TEST(Thunk, TableHoldsWhatTheLibraryExports) {
  const Thunk thunk(DefaultThunk());
  EXPECT_TRUE(thunk.api().hsaKmtQueryPointerInfo);
  EXPECT_TRUE(thunk.Exports("hsaKmtQueryPointerInfo"));
  EXPECT_FALSE(thunk.Exports("hsaKmtNoSuchCall"));
  EXPECT_THAT(thunk.MissingSymbols(), Not(testing::Contains("hsaKmtOpenKFD")));
}

TEST(Thunk, CallReachesTheLibrary) {
  const Thunk thunk(DefaultThunk());
  EXPECT_EQ(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED, thunk.api().hsaKmtCloseKFD());
}

TEST(Thunk, AMissingSymbolIsAMissingCapability) {
  const ApiFunction<int(int)> function("hsaKmtNoSuchCall");
  EXPECT_FALSE(function);
  try {
    function(1);
    FAIL() << "no exception";
  } catch (const CapabilityMissing& missing) {
    EXPECT_EQ("symbol:hsaKmtNoSuchCall", missing.capability());
  }
}

TEST(Thunk, OneThatCannotBeLoadedSaysWhy) {
  EXPECT_THAT(MessageOf<ThunkError>([] { Thunk thunk("/no/such.so"); }),
              HasSubstr("cannot be loaded: /no/such.so"));
}

}  // namespace
}  // namespace kfdcts::harness
