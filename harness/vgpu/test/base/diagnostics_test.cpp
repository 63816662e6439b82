#include "harness/vgpu/core/diagnostics.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace kfdcts::vgpu {
namespace {

using Kind = Diagnostics::Kind;

TEST(Diagnostics, CountsByKindAndSubject) {
  Diagnostics diagnostics;
  diagnostics.Count(Kind::kUnknownPacket, "PM4 0x5a");
  diagnostics.Count(Kind::kUnknownPacket, "PM4 0x5a");
  diagnostics.Count(Kind::kUnknownPacket, "PM4 0x5b");
  diagnostics.Count(Kind::kVmFault, "PM4 0x5a");
  EXPECT_EQ(diagnostics.Of(Kind::kUnknownPacket, "PM4 0x5a"), 2U);
  EXPECT_EQ(diagnostics.Of(Kind::kUnknownPacket, "SDMA"), 0U);
  EXPECT_EQ(diagnostics.Total(Kind::kUnknownPacket), 3U);
  EXPECT_EQ(diagnostics.Total(Kind::kMalformedRing), 0U);
}

TEST(Diagnostics, ReportIsSortedAndHoldsNothingThatNeverHappened) {
  Diagnostics diagnostics;
  std::ostringstream empty, out;
  diagnostics.Report(empty);
  EXPECT_EQ(empty.str(), "");
  diagnostics.Count(Kind::kVmFault, "z");
  diagnostics.Count(Kind::kUnknownPacket, "b");
  diagnostics.Count(Kind::kUnknownPacket, "a");
  diagnostics.Report(out);
  EXPECT_EQ(out.str(), "unknown packet: a x1\nunknown packet: b x1\nVM fault: z x1\n");
}

TEST(Diagnostics, SubjectsAreBounded) {
  Diagnostics diagnostics;
  for (int i = 0; i < 3000; ++i) diagnostics.Count(Kind::kOutOfRange, std::to_string(i));
  EXPECT_EQ(diagnostics.Total(Kind::kOutOfRange), 3000U);
  EXPECT_EQ(diagnostics.Of(Kind::kOutOfRange, "5"), 1U);
  EXPECT_EQ(diagnostics.Of(Kind::kOutOfRange, "2999"), 0U);
  EXPECT_EQ(diagnostics.Of(Kind::kOutOfRange, Diagnostics::kOthers),
            3000U - Diagnostics::kMaxSubjects);
}

TEST(Diagnostics, EveryKindHasAName) {
  for (std::size_t kind = 0; kind < Diagnostics::kKinds; ++kind) {
    EXPECT_NE(Diagnostics::Name(static_cast<Kind>(kind)), "?") << kind;
  }
}

}  // namespace
}  // namespace kfdcts::vgpu
