/* Ends 0 if the library answers as the machine's /dev/kfd lets it. */
#include <hsakmt/hsakmt.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  const int has_kfd = access("/dev/kfd", R_OK | W_OK) == 0;
  const HSAKMT_STATUS wanted =
      has_kfd ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  HsaVersionInfo version;
  const HSAKMT_STATUS open = hsaKmtOpenKFD();
  const HSAKMT_STATUS get = hsaKmtGetVersion(&version);
  printf("/dev/kfd: %d, hsaKmtOpenKFD: %d, hsaKmtGetVersion: %d\n", has_kfd, open, get);
  return open == wanted && get == wanted ? 0 : 1;
}
