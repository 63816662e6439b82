#include "thunk/src/topology/api_layout.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "thunk/src/topology/layout_2022.h"
#include "thunk/src/topology/loaded_object.h"

namespace kfdcts::thunk {
namespace {

constexpr std::byte kUntouched{0xee};

/// An address in a shared library's code, which stays loaded; null if it cannot be loaded.
const void* AddressIn(const char* library, const char* function) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  return handle == nullptr ? nullptr : dlsym(handle, function);
}

TEST(ApiLayout, RuntimeWithoutTheNewerSymbolIsOld) {
  const void* address = AddressIn(FAKE_RUNTIME_2022, "AddressInCaller");
  ASSERT_NE(address, nullptr) << dlerror();
  EXPECT_EQ(LayoutOfCaller(address), ApiLayout::k2022);
}

TEST(ApiLayout, RuntimeWithTheNewerSymbolIsNew) {
  const void* address = AddressIn(FAKE_RUNTIME_2025, "AddressInCaller");
  ASSERT_NE(address, nullptr) << dlerror();
  EXPECT_EQ(LayoutOfCaller(address), ApiLayout::k2025);
}

// A ROCr that loads its thunk by dlopen has no import to tell by; it came after the old layout.
TEST(ApiLayout, RuntimeWithoutImportsIsNew) {
  const void* address = AddressIn(FAKE_RUNTIME_DLSYM, "AddressInCaller");
  ASSERT_NE(address, nullptr) << dlerror();
  EXPECT_EQ(LayoutOfCaller(address), ApiLayout::k2025);
}

TEST(ApiLayout, ToolThatUsesLittleIsNew) {
  const void* address = AddressIn(FAKE_TOOL, "AddressInCaller");
  ASSERT_NE(address, nullptr) << dlerror();
  EXPECT_EQ(LayoutOfCaller(address), ApiLayout::k2025);
}

TEST(ApiLayout, AnybodyElseIsNew) {
  EXPECT_EQ(LayoutOfCaller(__builtin_return_address(0)), ApiLayout::k2025);
  const std::array<char, 1> not_code{};
  EXPECT_EQ(LayoutOfCaller(not_code.data()), ApiLayout::k2025);
  EXPECT_EQ(LayoutOfCaller(nullptr), ApiLayout::k2025);
}

TEST(ApiLayout, DistributionsRuntimeIsOld) {
  const void* address = AddressIn("libhsa-runtime64.so.1", "hsa_init");
  if (address == nullptr) GTEST_SKIP() << "ROCr is not installed";
  const auto runtime = LoadedObject::At(address);
  ASSERT_TRUE(runtime);
  if (!runtime->Imports("hsaKmtOpenKFD")) GTEST_SKIP() << "this ROCr has a thunk of its own";
  EXPECT_EQ(LayoutOfCaller(address), ApiLayout::k2022);
}

TEST(ApiLayout, EnvironmentGoesFirst) {
  const void* old_runtime = AddressIn(FAKE_RUNTIME_2022, "AddressInCaller");
  ASSERT_EQ(setenv("HSAKMT_API_LAYOUT", "2022", 1), 0);
  EXPECT_EQ(LayoutOfCaller(nullptr), ApiLayout::k2022);
  ASSERT_EQ(setenv("HSAKMT_API_LAYOUT", "2025", 1), 0);
  EXPECT_EQ(LayoutOfCaller(old_runtime), ApiLayout::k2025);
  ASSERT_EQ(setenv("HSAKMT_API_LAYOUT", "something", 1), 0);
  EXPECT_EQ(LayoutOfCaller(old_runtime), ApiLayout::k2022);
  ASSERT_EQ(unsetenv("HSAKMT_API_LAYOUT"), 0);
}

TEST(ApiLayout, TextOfTheEnvironment) {
  EXPECT_EQ(ParseApiLayout("2022"), ApiLayout::k2022);
  EXPECT_EQ(ParseApiLayout("2025"), ApiLayout::k2025);
  EXPECT_EQ(ParseApiLayout(""), std::nullopt);
  EXPECT_EQ(ParseApiLayout("2023"), std::nullopt);
}

HsaNodeProperties SomeNode() {
  HsaNodeProperties node{};
  std::memset(&node, 0x11, sizeof node);
  node.NumNeuralCores = 0xabababab;
  node.NumMemoryBanks = 3;
  node.EngineId.ui32 = {.uCode = 512, .Major = 9, .Minor = 0, .Stepping = 10};
  node.OverrideEngineId.Value = 0;
  node.VendorId = 0x1002;
  node.LocationId = 32;
  node.MarketingName[0] = 'N';
  node.AMDName[63] = 'Z';
  node.UniqueID = 0x123456789abcdef0;
  node.Integrated = 1;
  node.FamilyID = 141;
  node.CwsrSize = 0xcdcdcdcd;
  return node;
}

TEST(ApiLayout, OldNodeHas356BytesInItsOwnOrder) {
  std::array<std::byte, 400> buffer{};
  buffer.fill(kUntouched);
  StoreNodeProperties(SomeNode(), ApiLayout::k2022, buffer.data());
  layout_2022::NodeProperties old{};
  std::memcpy(&old, buffer.data(), sizeof old);
  EXPECT_EQ(old.NumMemoryBanks, 3u);
  EXPECT_EQ(old.EngineId.Value, SomeNode().EngineId.Value);
  EXPECT_EQ(old.VendorId, 0x1002);
  EXPECT_EQ(old.LocationId, 32u);
  EXPECT_EQ(old.MarketingName[0], 'N');
  EXPECT_EQ(old.AMDName[63], 'Z');
  EXPECT_EQ(HSAuint64{old.UniqueID}, 0x123456789abcdef0u);
  EXPECT_EQ(old.Reserved2, 0);
  EXPECT_EQ(old.FamilyID, 141u);
  for (std::size_t i = 356; i < buffer.size(); ++i) ASSERT_EQ(buffer[i], kUntouched) << i;
}

TEST(ApiLayout, OldNodeHasTheOverriddenVersion) {
  HsaNodeProperties node = SomeNode();
  node.OverrideEngineId.ui32 = {.uCode = 0, .Major = 10, .Minor = 3, .Stepping = 0};
  layout_2022::NodeProperties old{};
  StoreNodeProperties(node, ApiLayout::k2022, &old);
  EXPECT_EQ(old.EngineId.ui32.Major, 10u);
  EXPECT_EQ(old.EngineId.ui32.Minor, 3u);
  EXPECT_EQ(old.EngineId.ui32.Stepping, 0u);
  EXPECT_EQ(old.EngineId.ui32.uCode, 512u);
}

TEST(ApiLayout, NewNodeIsCopied) {
  std::array<std::byte, 400> buffer{};
  buffer.fill(kUntouched);
  const HsaNodeProperties node = SomeNode();
  StoreNodeProperties(node, ApiLayout::k2025, buffer.data());
  EXPECT_EQ(std::memcmp(buffer.data(), &node, sizeof node), 0);
  EXPECT_EQ(buffer[sizeof node], kUntouched);
}

std::vector<HsaIoLinkProperties> SomeLinks() {
  std::vector<HsaIoLinkProperties> links(2);
  links[0].NodeTo = 5;
  links[1].NodeTo = 6;
  links[1].RecSdmaEngIdMask = 0xff;
  links[1].Flags.LinkProperty = 13;
  return links;
}

TEST(ApiLayout, OldLinksAre48BytesEach) {
  std::array<std::byte, 104> buffer{};
  buffer.fill(kUntouched);
  StoreIoLinkProperties(SomeLinks(), ApiLayout::k2022, buffer.data());
  std::array<layout_2022::IoLinkProperties, 2> old{};
  std::memcpy(old.data(), buffer.data(), sizeof old);
  EXPECT_EQ(old[0].NodeTo, 5u);
  EXPECT_EQ(old[1].NodeTo, 6u);
  EXPECT_EQ(old[1].Flags.LinkProperty, 13u);
  for (std::size_t i = 96; i < buffer.size(); ++i) ASSERT_EQ(buffer[i], kUntouched) << i;
}

TEST(ApiLayout, NewLinksAreCopied) {
  const auto links = SomeLinks();
  std::vector<HsaIoLinkProperties> copy(2);
  StoreIoLinkProperties(links, ApiLayout::k2025, copy.data());
  EXPECT_EQ(copy[1].RecSdmaEngIdMask, 0xffu);
  EXPECT_EQ(copy[1].Flags.LinkProperty, 13u);
  StoreIoLinkProperties({}, ApiLayout::k2025, nullptr);
  StoreIoLinkProperties({}, ApiLayout::k2022, nullptr);
}

}  // namespace
}  // namespace kfdcts::thunk
