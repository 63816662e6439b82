// linux/kfd_ioctl.h includes <drm/drm.h>, which some distributions (Debian) ship only as libdrm's
// drm.h.
#if __has_include_next(<drm/drm.h>)
#include_next <drm/drm.h>
#else
#include <drm.h>
#endif
