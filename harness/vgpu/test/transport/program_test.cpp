// The program vgpu as a launcher runs it: arguments, signals, what is left behind.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/vgpu/asic/chip.h"
#include "harness/vgpu/boot/vbios.h"
#include "harness/vgpu/test/transport/vfio_client.h"

namespace kfdcts::vgpu {
namespace {

using testing::HasSubstr;

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::string name = testing::TempDir() + "vgpu-XXXXXX";
    folder_ = mkdtemp(name.data());
    const auto rom = boot::MakeVbios(boot::kVega10Board);
    std::ofstream(Path("rom"), std::ios::binary)
        .write(reinterpret_cast<const char*>(rom.data()), static_cast<std::streamsize>(rom.size()));
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Text(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  bool Exists(const std::string& name) const { return std::filesystem::exists(Path(name)); }

  /// Starts the program; `output_` becomes its standard output.
  void Start(std::vector<std::string> arguments) {
    int pipe_fds[2];
    ASSERT_EQ(pipe2(pipe_fds, O_CLOEXEC), 0);
    output_ = UniqueFd(pipe_fds[0]);
    const UniqueFd writer(pipe_fds[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
    const std::string errors = Path("errors");
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    arguments.insert(arguments.begin(), VGPU_PROGRAM);
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    ASSERT_EQ(posix_spawn(&pid_, VGPU_PROGRAM, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  void StartReady(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"--vbios",      Path("rom"), "--socket",
                                          Path("socket"), "--report",  Path("report")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Start(arguments);
    char line[6] = {};
    ASSERT_EQ(read(output_.get(), line, 6), 6) << Text("errors");
    ASSERT_EQ(std::string(line, 6), "ready\n");
  }
  int ExitCode() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  UniqueFd Connect(const std::string& name) {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = Path(name);
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }

  std::filesystem::path folder_;
  pid_t pid_ = -1;
  UniqueFd output_;
};

TEST_F(ProgramTest, ServesAClientAndReportsWhenItLeaves) {
  StartReady({"--vram", "64M", "--name", "gpu7"});
  {
    VfioClient client(Connect("socket"));
    ASSERT_EQ(client.Negotiate(), 0U);
    client.WriteRegister(kVega10.scratch_reg0, 3);
    EXPECT_EQ(client.ReadRegister(kVega10.scratch_reg0), 3U);
  }
  EXPECT_EQ(ExitCode(), 0);
  EXPECT_THAT(Text("report"), HasSubstr("vgpu gpu7 vega10 vram 67108864"));
  EXPECT_THAT(Text("report"), HasSubstr("register reads 1"));
  EXPECT_FALSE(Exists("socket"));
}

TEST_F(ProgramTest, TerminationIsOrderlyWithAndWithoutAClient) {
  for (const bool connected : {false, true}) {
    StartReady({"--director", Path("director")});
    UniqueFd client = connected ? Connect("socket") : UniqueFd();
    if (connected) {
      ASSERT_EQ(VfioClient(UniqueFd(dup(client.get()))).Negotiate(), 0U);
    }
    ASSERT_EQ(kill(pid_, SIGTERM), 0);
    EXPECT_EQ(ExitCode(), 0);
    EXPECT_THAT(Text("report"), HasSubstr("vgpu gpu0 vega10"));
    EXPECT_FALSE(Exists("socket"));
    EXPECT_FALSE(Exists("director"));
  }
}

TEST_F(ProgramTest, DirectorAnswers) {
  StartReady({"--director", Path("director")});
  const UniqueFd director = Connect("director");
  const std::string line = "{\"do\":\"ping\"}\n";
  ASSERT_EQ(write(director.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
  char answer[64] = {};
  EXPECT_GT(read(director.get(), answer, sizeof(answer) - 1), 0);
  EXPECT_STREQ(answer, "{\"ok\":true}\n");
  kill(pid_, SIGINT);
  EXPECT_EQ(ExitCode(), 0);
}

TEST_F(ProgramTest, ClientThatBreaksTheProtocolIsNamed) {
  StartReady();
  const UniqueFd client = Connect("socket");
  ASSERT_TRUE(SendRaw(client.get(), BytesOf(wire::Header{1, 1, 5, 0, 0})));
  EXPECT_EQ(ExitCode(), 1);
  EXPECT_THAT(Text("errors"), HasSubstr("message of 5 bytes"));
}

TEST_F(ProgramTest, TraceNamesRegisters) {
  StartReady({"--trace", Path("trace")});
  {
    VfioClient client(Connect("socket"));
    client.Negotiate();
    client.WriteRegister(kVega10.scratch_reg0, 3);
  }
  EXPECT_EQ(ExitCode(), 0);
  EXPECT_THAT(Text("trace"), HasSubstr("SCRATCH_REG0"));
}

struct BadArguments {
  const char* name;
  std::vector<std::string> arguments;  // "@x" stands for the path x in the test's folder.
  const char* message;
};

class ProgramRefuses : public ProgramTest, public testing::WithParamInterface<BadArguments> {};

TEST_P(ProgramRefuses, WithOneLineAndExitCode2) {
  std::ofstream(Path("text")) << "no ROM at all";
  std::vector<std::string> arguments = GetParam().arguments;
  for (std::string& argument : arguments) {
    argument = argument.starts_with('@') ? Path(argument.substr(1)) : argument;
  }
  Start(arguments);
  EXPECT_EQ(ExitCode(), 2);
  const std::string errors = Text("errors");
  EXPECT_THAT(errors, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
  EXPECT_FALSE(Exists("socket"));
}

std::vector<std::string> With(std::vector<std::string> more) {
  more.insert(more.begin(), {"--vbios", "@rom", "--socket", "@socket"});
  return more;
}

INSTANTIATE_TEST_SUITE_P(
    All, ProgramRefuses,
    testing::Values(
        BadArguments{"NoVbios", {"--socket", "@socket"}, "--vbios"},
        BadArguments{"NoSocket", {"--vbios", "@rom"}, "--socket"},
        BadArguments{"UnknownOption", With({"--frobnicate"}), "--frobnicate"},
        BadArguments{"UnknownChip", With({"--chip", "vega99"}), "--chip: there is no chip"},
        BadArguments{"VramNoNumber", With({"--vram", "much"}), "--vram"},
        BadArguments{"VramNoPowerOfTwo", With({"--vram", "100M"}), "--vram: 104857600"},
        BadArguments{"VramTooSmall", With({"--vram", "1M"}), "--vram"},
        BadArguments{"VbiosMissing", {"--vbios", "@none", "--socket", "@socket"}, "--vbios"},
        BadArguments{"VbiosIsAFolder", {"--vbios", "@", "--socket", "@socket"}, "--vbios"},
        BadArguments{"VbiosNoRom", {"--vbios", "@text", "--socket", "@socket"}, "option ROM"},
        BadArguments{
            "SocketFolderMissing", {"--vbios", "@rom", "--socket", "@no/socket"}, "--socket"},
        BadArguments{"SocketPathTaken", {"--vbios", "@rom", "--socket", "@text"}, "--socket"},
        BadArguments{"SocketPathTooLong",
                     {"--vbios", "@rom", "--socket", "@" + std::string(120, 'x')},
                     "--socket"},
        BadArguments{"DirectorPathTaken", With({"--director", "@text"}), "--director"},
        BadArguments{"ReportNotWritable", With({"--report", "@no/report"}), "--report"},
        BadArguments{"TraceNotWritable", With({"--trace", "@no/trace"}), "--trace"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace kfdcts::vgpu
