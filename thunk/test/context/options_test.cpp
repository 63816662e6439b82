#include "thunk/src/context/options.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kfdcts::thunk {
namespace {

class OptionsTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"HSA_USE_SVM", "HSAKMT_SVM_BACKEND", "HSA_CHECK_USERPTR",
                             "HSA_SVM_GUARD_PAGES", "HSA_MAX_VA_ALIGN"}) {
      unsetenv(name);
    }
  }
};

TEST_F(OptionsTest, Defaults) {
  const Options options = Options::FromEnvironment();
  EXPECT_TRUE(options.use_svm);
  EXPECT_FALSE(options.drm_svm);
  EXPECT_FALSE(options.check_userptr);
  EXPECT_EQ(options.guard_pages, 1U);
  EXPECT_EQ(options.max_va_align, 9U);
}

TEST_F(OptionsTest, WhatUsersSet) {
  setenv("HSA_USE_SVM", "0", 1);
  setenv("HSAKMT_SVM_BACKEND", "drm", 1);
  setenv("HSA_CHECK_USERPTR", "1", 1);
  setenv("HSA_SVM_GUARD_PAGES", "0", 1);
  setenv("HSA_MAX_VA_ALIGN", "18", 1);
  const Options options = Options::FromEnvironment();
  EXPECT_FALSE(options.use_svm);
  EXPECT_TRUE(options.drm_svm);
  EXPECT_TRUE(options.check_userptr);
  EXPECT_EQ(options.guard_pages, 0U);
  EXPECT_EQ(options.max_va_align, 18U);
}

TEST_F(OptionsTest, NumbersThatAreNoneCountAsUnset) {
  for (const char* value : {"", "x", "-1", "2 ", "99999999999"}) {
    setenv("HSA_SVM_GUARD_PAGES", value, 1);
    setenv("HSA_MAX_VA_ALIGN", value, 1);
    EXPECT_EQ(Options::FromEnvironment().guard_pages, 1U) << value;
    EXPECT_EQ(Options::FromEnvironment().max_va_align, 9U) << value;
  }
}

}  // namespace
}  // namespace kfdcts::thunk
