// What an object's record says of it: pure functions, all combinations.
#include "thunk/src/memory/memory_object.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kfdcts::thunk {
namespace {

/// One of the 2^4 combinations of traits.
class TypeOfTraits : public testing::TestWithParam<unsigned> {
 protected:
  bool imported() const { return (GetParam() & 1U) != 0; }
  bool graphics() const { return (GetParam() & 2U) != 0; }
  bool user() const { return (GetParam() & 4U) != 0; }
  bool memory() const { return (GetParam() & 8U) != 0; }

  void Fill(MemoryObject& object) const {
    object.is_imported = imported();
    object.is_graphics = graphics();
    object.is_user_pointer = user();
    object.has_memory = memory();
  }

  HSA_POINTER_TYPE Expected() const {
    constexpr HSA_POINTER_TYPE kShared = HSA_POINTER_REGISTERED_SHARED;
    constexpr HSA_POINTER_TYPE kGraphics = HSA_POINTER_REGISTERED_GRAPHICS;
    constexpr HSA_POINTER_TYPE kUser = HSA_POINTER_REGISTERED_USER;
    constexpr HSA_POINTER_TYPE kTable[16] = {
        HSA_POINTER_RESERVED_ADDR,
        kShared,
        kGraphics,
        kShared,  //
        kUser,
        kShared,
        kGraphics,
        kShared,  //
        HSA_POINTER_ALLOCATED,
        kShared,
        kGraphics,
        kShared,  //
        kUser,
        kShared,
        kGraphics,
        kShared,
    };
    return kTable[GetParam()];
  }
};

TEST_P(TypeOfTraits, FirstOfThePrioritiesWins) {
  MemoryObject object;
  Fill(object);
  EXPECT_EQ(TypeOf(object), Expected());
}

TEST_P(TypeOfTraits, FieldsFollowTheType) {
  MemoryObject object;
  Fill(object);
  object.start = 0x10000;
  object.size = 0x3000;
  object.user_address = 0x7f0000000123;
  object.user_size = 0x2001;
  object.node = 3;
  object.flags.Value = 0x55;
  object.user_data = &object;
  HsaPointerInfo info;
  std::memset(&info, 0xa5, sizeof(info));
  FillPointerInfo(object, info);
  const bool is_user = Expected() == HSA_POINTER_REGISTERED_USER;
  const bool is_allocated = Expected() == HSA_POINTER_ALLOCATED;
  EXPECT_EQ(info.Type, Expected());
  EXPECT_EQ(HSAuint32{info.Node}, 3U);
  EXPECT_EQ(HSAuint32{info.MemFlags.Value}, 0x55U);
  EXPECT_EQ(reinterpret_cast<HSAuint64>(info.CPUAddress), is_user        ? 0x7f0000000123
                                                          : is_allocated ? 0x10000U
                                                                         : 0U);
  EXPECT_EQ(HSAuint64{info.GPUAddress}, is_user ? 0x10123U : 0x10000U);
  EXPECT_EQ(HSAuint64{info.SizeInBytes}, is_user ? 0x2001U : 0x3000U);
  EXPECT_EQ(HSAuint32{info.NRegisteredNodes}, 0U);
  EXPECT_EQ(HSAuint32{info.NMappedNodes}, 0U);
  EXPECT_EQ(static_cast<const void*>(info.RegisteredNodes), nullptr);
  EXPECT_EQ(static_cast<const void*>(info.MappedNodes), nullptr);
  EXPECT_EQ(static_cast<void*>(info.UserData), &object);
}

INSTANTIATE_TEST_SUITE_P(All, TypeOfTraits, testing::Range(0U, 16U));

TEST(GpuListTest, ArrayIsMadeOnceAndGoesWithAChange) {
  Gpu first;
  first.node_id = 4;
  Gpu second;
  second.node_id = 2;
  GpuList list;
  EXPECT_FALSE(list.needs_array());
  list.Assign({&first, &second});
  ASSERT_TRUE(list.needs_array());
  ASSERT_TRUE(list.MakeArray());
  const HSAuint32* const array = list.array();
  EXPECT_EQ(array[0], 4U);
  EXPECT_EQ(array[1], 2U);
  ASSERT_TRUE(list.MakeArray());
  EXPECT_EQ(list.array(), array);
  list.Assign({&second});
  EXPECT_EQ(list.array(), nullptr);
  EXPECT_TRUE(list.needs_array());
}

}  // namespace
}  // namespace kfdcts::thunk
