#include "harness/vgpu/director/commands.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/vgpu/boot/vbios.h"
#include "harness/vgpu/test/support/fake_host.h"

namespace kfdcts::vgpu {
namespace {

using nlohmann::json;

class DirectorTest : public testing::Test {
 protected:
  json Ask(const std::string& line) {
    const std::string answer = director_.Answer(line);
    EXPECT_EQ(answer.find('\n'), std::string::npos);
    return json::parse(answer);
  }
  void ExpectOk(const std::string& line) { EXPECT_TRUE(Ask(line)["ok"]) << line; }
  void ExpectError(const std::string& line, const std::string& part) {
    const json answer = Ask(line);
    EXPECT_FALSE(answer["ok"]) << line;
    EXPECT_NE(answer["error"].get<std::string>().find(part), std::string::npos) << answer;
  }

  FakeHost host_;
  Device device_{{&kVega10, 16 << 20, boot::MakeVbios(boot::kVega10Board)}, host_};
  Director director_{device_};
};

TEST_F(DirectorTest, Ping) { EXPECT_EQ(Ask(R"({"do":"ping"})"), json({{"ok", true}})); }

TEST_F(DirectorTest, IdComesBackAlsoWithAnError) {
  EXPECT_EQ(Ask(R"({"do":"ping","id":7})")["id"], 7);
  EXPECT_EQ(Ask(R"({"do":"nothing","id":"x"})")["id"], "x");
}

TEST_F(DirectorTest, EveryControl) {
  for (const char* line :
       {R"({"do":"hang-scheduler"})", R"({"do":"unhang-scheduler"})",
        R"({"do":"hang-queue","doorbell":4096})", R"({"do":"unhang-queue","doorbell":4096})",
        R"({"do":"hold-engine","engine":"sdma0"})", R"({"do":"release-engine","engine":"sdma0"})",
        R"({"do":"fail-copies"})", R"({"do":"corrupt-copies","count":3})",
        R"({"do":"drop-interrupts","count":2})", R"({"do":"hold-interrupts"})",
        R"({"do":"release-interrupts"})", R"({"do":"hold-faults"})",
        R"({"do":"hold-faults","pasid":65535,"first":4096,"last":18446744073709551615})",
        R"({"do":"release-faults"})", R"({"do":"hold-copies"})", R"({"do":"release-copies"})",
        R"({"do":"release-all"})"}) {
    ExpectOk(line);
  }
}

TEST_F(DirectorTest, ControlsReachTheDevice) {
  ExpectError(R"({"do":"hold-engine","engine":"sdma9"})", "sdma9");
}

TEST_F(DirectorTest, Counters) {
  device_.Write(Device::Bar::kRegisters, kVega10.scratch_reg0, std::as_bytes(std::span("abcd", 4)));
  const json counters = Ask(R"({"do":"counters"})")["counters"];
  EXPECT_EQ(counters["register-writes"], 1);
  EXPECT_EQ(counters["copies"], 0);
  EXPECT_TRUE(counters["packets"].is_object());
}

TEST_F(DirectorTest, QueuesAreThoseThatAreLoaded) {
  EXPECT_EQ(Ask(R"({"do":"queues"})")["queues"], json::array());
  const std::uint32_t enable = 1;
  device_.Write(Device::Bar::kRegisters, kVega10.sdma_gfx_rb_cntl[0],
                std::as_bytes(std::span(&enable, 1)));
  const json queues = Ask(R"({"do":"queues"})")["queues"];
  ASSERT_EQ(queues.size(), 1U);
  EXPECT_EQ(queues[0]["kind"], "sdma");
  EXPECT_EQ(queues[0]["name"], "sdma0.gfx");
}

TEST_F(DirectorTest, ReportIsText) {
  const json answer = Ask(R"({"do":"report"})");
  EXPECT_NE(answer["report"].get<std::string>().find("registers"), std::string::npos);
}

TEST_F(DirectorTest, ComplaintsAndWhatIsHeld) {
  EXPECT_EQ(Ask(R"({"do":"complaints","clear":true})"),
            json({{"ok", true}, {"beyond", 0}, {"findings", json::array()}}));
  EXPECT_EQ(Ask(R"({"do":"held"})"),
            json({{"ok", true}, {"interrupts", json::array()}, {"faults", json::array()}}));
  ExpectError(R"({"do":"complaints","clear":1})", "\"clear\"");
  ExpectError(R"({"do":"deliver-interrupt","index":0})", "0 interrupts are held");
  ExpectError(R"({"do":"hold-faults","pasid":65536})", "\"pasid\"");
}

TEST_F(DirectorTest, BadJson) {
  ExpectError("", "parse error");
  ExpectError("{", "parse error");
  ExpectError("\xff\xfe", "parse error");
  ExpectError(std::string(60'000, '['), "parse error");
  ExpectError("[]", "not an object");
  ExpectError("17", "not an object");
}

TEST_F(DirectorTest, BadRequests) {
  ExpectError("{}", "\"do\"");
  ExpectError(R"({"do":5})", "\"do\"");
  ExpectError(R"({"do":"frobnicate"})", "frobnicate");
  ExpectError(R"({"do":"ping","now":true})", "\"now\"");
  ExpectError(R"({"do":"hang-queue"})", "\"doorbell\"");
  ExpectError(R"({"do":"hang-queue","doorbell":-1})", "\"doorbell\"");
  ExpectError(R"({"do":"hang-queue","doorbell":4294967296})", "\"doorbell\"");
  ExpectError(R"({"do":"hang-queue","doorbell":"0"})", "\"doorbell\"");
  ExpectError(R"({"do":"hold-engine","engine":1})", "\"engine\"");
  ExpectError(R"({"do":"hold-engine","engine":"cp","count":1})", "\"count\"");
  ExpectError(R"({"do":"ping","id":[1]})", "\"id\"");
}

TEST_F(DirectorTest, AnswerIsJsonWhateverCame) {
  const json answer = Ask("{\"do\":\"\xc3\x28\"}");
  EXPECT_FALSE(answer["ok"]);
}

}  // namespace
}  // namespace kfdcts::vgpu
