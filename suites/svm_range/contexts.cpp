// SVM belongs to a process's first context.
#include "suites/support/context.h"
#include "suites/support/svm_test.h"

namespace kfdcts::suites {

KFD_TEST_F(SVMRange, PrimaryContextIsTheSame, SvmTest,
           .property =
               "the calls of the primary context and the plain ones speak of the same "
               "ranges",
           .rules = "SVM-5", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Symbol{"hsaKmtSVMSetAttrCtx"}, Symbol{"hsaKmtSVMGetAttrCtx"},
                     Symbol{"hsaKmtOpenKFDCtx"}}) {
  const PrimaryContext primary(thunk());
  const SvmMemory memory(2);
  HSA_SVM_ATTRIBUTE attribute = Granularity(5);
  ASSERT_EQ(
      thunk().hsaKmtSVMSetAttrCtx(primary.get(), memory.Word(0), 2 * PageSize(), 1, &attribute),
      HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(5));
  ASSERT_EQ(Set(memory.All(), {Granularity(6)}), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(
      thunk().hsaKmtSVMGetAttrCtx(primary.get(), memory.Word(0), 2 * PageSize(), 1, &attribute),
      HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(attribute.value, 6U);
}

KFD_TEST_F(SVMRange, SecondContextHasNoSvm, SvmTest,
           .property =
               "in a further context setting and asking fail, and the first context's "
               "ranges stay as they are",
           .rules = "SVM-2", .scope = Scope::kFirstGpu,
           .needs = {Capability::kSvm, Capability::kSecondaryContext}) {
  const SvmMemory memory(2);
  ASSERT_EQ(Set(memory.All(), {Granularity(5)}), HSAKMT_STATUS_SUCCESS);
  const SecondaryContext second(thunk());
  HSA_SVM_ATTRIBUTE attribute = Granularity(33);
  EXPECT_NE(
      thunk().hsaKmtSVMSetAttrCtx(second.get(), memory.Word(0), 2 * PageSize(), 1, &attribute),
      HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(
      thunk().hsaKmtSVMGetAttrCtx(second.get(), memory.Word(0), 2 * PageSize(), 1, &attribute),
      HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(attribute.value, 33U);
  EXPECT_EQ(StateOf(memory.All()), Defaults().WithGranularity(5));
}

}  // namespace kfdcts::suites
