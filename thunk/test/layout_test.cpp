// The API's binary layout, which callers and libraries built apart from each other rely on. Nothing
// runs: it compiles or it does not. The numbers are those of the headers that Debian's
// libhsakmt-dev 5.2.3 installs, save for what has been added since (topology_2022.h has the old
// form of that).
#include <cstddef>

#include "hsakmt/hsakmt.h"
#include "hsakmt/hsakmtctx.h"

// Every name in the lists is declared.
#define HSAKMT_SYMBOL(name) static_assert(sizeof(decltype(&name)) == sizeof(void*));
#include "hsakmt/api_symbols.inc"
#include "hsakmt/api_symbols_ctx.inc"
#undef HSAKMT_SYMBOL

static_assert(sizeof(HSAKMT_STATUS) == 4);
static_assert(sizeof(HSA_QUEUE_PRIORITY) == 8);  // its values do not fit 32 bits

static_assert(sizeof(HsaPointerInfo) == 68);
static_assert(offsetof(HsaPointerInfo, Node) == 4);
static_assert(offsetof(HsaPointerInfo, MemFlags) == 8);
static_assert(offsetof(HsaPointerInfo, CPUAddress) == 12);
static_assert(offsetof(HsaPointerInfo, GPUAddress) == 20);
static_assert(offsetof(HsaPointerInfo, SizeInBytes) == 28);
static_assert(offsetof(HsaPointerInfo, NRegisteredNodes) == 36);
static_assert(offsetof(HsaPointerInfo, NMappedNodes) == 40);
static_assert(offsetof(HsaPointerInfo, RegisteredNodes) == 44);
static_assert(offsetof(HsaPointerInfo, MappedNodes) == 52);
static_assert(offsetof(HsaPointerInfo, UserData) == 60);

static_assert(sizeof(HsaNodeProperties) == 376);   // 356 in 5.2.3
static_assert(sizeof(HsaIoLinkProperties) == 52);  // 48 in 5.2.3
static_assert(sizeof(HsaSystemProperties) == 16 && sizeof(HsaMemoryProperties) == 32);
static_assert(sizeof(HsaCacheProperties) == 1056 && sizeof(HsaCComputeProperties) == 1024);
static_assert(sizeof(HsaMemFlags) == 4 && sizeof(HsaMemMapFlags) == 4);
static_assert(sizeof(HsaGraphicsResourceInfo) == 32 && sizeof(HsaMemoryRange) == 16);
static_assert(sizeof(HsaSharedMemoryHandle) == 32 && sizeof(HSA_SVM_ATTRIBUTE) == 8);
static_assert(sizeof(HsaUserContextSaveAreaHeader) == 40 && sizeof(HsaQueueInfo) == 68);
static_assert(sizeof(HsaQueueResource) == 40 && sizeof(HsaQueueReport) == 20);
static_assert(sizeof(HsaDbgWaveMessage) == 16);
static_assert(sizeof(HsaEvent) == 48 && sizeof(HsaEventData) == 44);
static_assert(offsetof(HsaEventData, HWData1) == 24 && offsetof(HsaEventData, HWData3) == 40);
static_assert(sizeof(HsaEventDescriptor) == 24 && sizeof(HsaMemoryAccessFault) == 20);
static_assert(sizeof(HsaClockCounters) == 32 && sizeof(HSA_UUID) == 16);
static_assert(sizeof(HsaCounter) == 32 && sizeof(HsaCounterBlockProperties) == 56);
static_assert(sizeof(HsaCounterProperties) == 64 && sizeof(HsaPmcTraceRoot) == 20);
static_assert(sizeof(HsaGpuTileConfig) == 64 && sizeof(HsaPcSamplingInfo) == 40);
