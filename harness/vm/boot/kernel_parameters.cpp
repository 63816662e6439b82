#include "harness/vm/boot/kernel_parameters.h"

#include "harness/vm/chips.h"
#include "harness/vm/guest_run.h"

namespace kfdcts::vm {
namespace {

// A panic ends the emulator (-no-reboot); an oops is seen on the console, and the launcher ends the
// guest. A soft lockup, a processor that schedules nothing for 40 s (twice watchdog_thresh), is a
// panic, too: nothing else would end a task that spins on a lock whose memory was freed. It must be
// less than the 63 s between RCU's complaints of the same, each of which starts the count anew. The
// time-stamp counter is the host's and needs no watchdog, whose complaints about a busy host would
// look like the driver's. Without mitigations and ASLR of the kernel, software emulation has less
// to do and gdb finds the symbols.
constexpr const char* kBase =
    "console=ttyS0 panic=-1 softlockup_panic=1 watchdog_thresh=20 log_buf_len=4M "
    "printk.devkmsg=on mitigations=off nokaslr "
    "tsc=reliable no_timer_check rdinit=/init";

// No firmware loader in the device (it takes the images directly), no power management, no RAS, no
// sound; retry faults on, which is XNACK on this generation. By default the driver resets a ring
// whose job takes two seconds, which on a busy host is no hang, and a test that holds copies needs
// longer.
constexpr const char* kDriver =
    " amdgpu.fw_load_type=0 amdgpu.dpm=0 amdgpu.ras_enable=0 amdgpu.audio=0 amdgpu.noretry=0 "
    "amdgpu.lockup_timeout=60000";

}  // namespace

std::string KernelParameters(const Machine& machine, const KernelParameterInput& input) {
  std::string line = kBase;
  if (!machine.gpus.empty()) {
    const GpuSpec& gpu = machine.gpus.front();
    const ChipSpec& chip = *FindChip(gpu.chip);
    line += kDriver;
    line += " amdgpu.ip_block_mask=";
    line += input.display_core ? chip.ip_blocks_with_display : chip.ip_blocks_without_display;
    if (gpu.visible_vram_bytes != 0) {
      line += " amdgpu.vis_vramlimit=" + std::to_string(gpu.visible_vram_bytes >> 20);
    }
  }
  line += " kfdvm.gpus=" + std::to_string(machine.gpus.size());
  line += " kfdvm.ports=" + std::to_string(input.ports);
  line += " kfdvm.run=" + input.spec_file;
  line += std::string(" kfdvm.share=") + kGuestShare;
  for (const std::string& parameter : machine.kernel_parameters) {
    line += " " + parameter;
  }
  return input.append.empty() ? line : line + " " + input.append;
}

}  // namespace kfdcts::vm
