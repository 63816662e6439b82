#include "harness/vm/run/qemu_command.h"

#include <nlohmann/json.hpp>

namespace kfdcts::vm {
namespace {

/// Options of the emulator are lists with commas; a comma in a value is doubled.
std::string Escaped(const std::string& value) {
  std::string escaped;
  for (const char c : value) {
    escaped.append(c == ',' ? 2 : 1, c);
  }
  return escaped;
}

void AddMachine(std::vector<std::string>& argv, const QemuOptions& options) {
  const std::string memory = std::to_string(options.memory_bytes >> 20) + "M";
  argv.insert(argv.end(), {"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"});
  // vfio-user shares the guest's memory with the virtual GPUs as a file.
  argv.insert(argv.end(), {"-machine", "q35,memory-backend=mem,sata=off,smbus=off,vmport=off",
                           "-object", "memory-backend-memfd,id=mem,share=on,size=" + memory, "-m",
                           memory, "-smp", std::to_string(options.cpus)});
  // With the hypervisor bit set amdgpu takes itself for passed through.
  argv.insert(argv.end(), {"-accel", options.kvm ? "kvm" : "tcg,thread=multi", "-cpu",
                           options.kvm ? "host,-hypervisor" : "max,-hypervisor"});
}

void AddPorts(std::vector<std::string>& argv, const QemuOptions& options) {
  argv.insert(argv.end(), {"-device", "virtio-serial-pci,id=ports,max_ports=31"});
  if (options.terminal_fd >= 0) {
    argv.insert(argv.end(),
                {"-chardev", "socket,id=terminal,fd=" + std::to_string(options.terminal_fd),
                 "-device", "virtconsole,bus=ports.0,nr=0,chardev=terminal"});
  }
  int number = 1;  // 0 is the terminal's.
  for (const GuestPort& port : options.ports) {
    const std::string id = "port" + std::to_string(number);
    argv.insert(argv.end(), {"-chardev",
                             "socket,id=" + id +
                                 (port.fd >= 0 ? ",fd=" + std::to_string(port.fd)
                                               : ",server=off,path=" + Escaped(port.path.string())),
                             "-device",
                             "virtserialport,bus=ports.0,nr=" + std::to_string(number) +
                                 ",chardev=" + id + ",name=" + port.name});
    ++number;
  }
}

void AddFiles(std::vector<std::string>& argv, const QemuOptions& options) {
  argv.insert(
      argv.end(),
      {"-fsdev", "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap", "-device",
       std::string("virtio-9p-pci,fsdev=root,mount_tag=") + kRootTag, "-fsdev",
       "local,id=share,security_model=none,multidevs=remap,path=" + Escaped(options.share.string()),
       "-device", std::string("virtio-9p-pci,fsdev=share,mount_tag=") + kShareTag});
}

}  // namespace

std::vector<std::string> QemuArguments(const QemuOptions& options) {
  std::vector<std::string> argv;
  AddMachine(argv, options);
  argv.insert(argv.end(), {"-chardev", "socket,id=console,fd=" + std::to_string(options.console_fd),
                           "-serial", "chardev:console"});
  AddPorts(argv, options);
  AddFiles(argv, options);
  for (const auto& socket : options.gpus) {
    const nlohmann::json device = {{"driver", "vfio-user-pci"},
                                   {"socket", {{"type", "unix"}, {"path", socket.string()}}}};
    argv.insert(argv.end(), {"-device", device.dump()});
  }
  if (options.gdb_port != 0) {
    argv.insert(argv.end(), {"-S", "-gdb", "tcp:127.0.0.1:" + std::to_string(options.gdb_port)});
  }
  argv.insert(argv.end(), {"-kernel", options.kernel.string(), "-initrd",
                           options.initramfs.string(), "-append", options.parameters});
  return argv;
}

}  // namespace kfdcts::vm
