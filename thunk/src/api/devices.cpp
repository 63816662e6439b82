// Devices: clocks, tiling, libdrm's handle, trap handlers.
#include "thunk/src/api/call.h"
#include "thunk/src/kernel/status.h"

using namespace kfdcts::thunk;  // NOLINT(google-build-using-namespace): the C API's side of it

namespace {

/// Calls work(context, gpu) on the node's GPU.
template <typename Work>
HSAKMT_STATUS CallOnGpu(HsaKFDContext* ctx, HSAuint32 node, Work&& work) {
  return Call(ctx, [&](Context& context) {
    const Gpu* gpu = FindGpu(context.gpus(), node);
    return gpu == nullptr ? HSAKMT_STATUS_INVALID_NODE_UNIT : work(context, *gpu);
  });
}

}  // namespace

HSAKMT_STATUS hsaKmtGetClockCountersCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                        HsaClockCounters* Counters) {
  return Call(ctx, [&](const Context& context) {
    if (Counters == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    const auto gpu_id = context.topology().GpuIdOf(NodeId);
    if (!gpu_id) return HSAKMT_STATUS_INVALID_NODE_UNIT;
    kfd_ioctl_get_clock_counters_args args{};
    args.gpu_id = *gpu_id;
    if (context.kfd().GetClockCounters(args) < 0) return HSAKMT_STATUS_ERROR;
    *Counters = {.GPUClockCounter = args.gpu_clock_counter,
                 .CPUClockCounter = args.cpu_clock_counter,
                 .SystemClockCounter = args.system_clock_counter,
                 .SystemClockFrequencyHz = args.system_clock_freq};
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtGetTileConfigCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                     HsaGpuTileConfig* config) {
  return CallOnGpu(ctx, NodeId, [&](const Context& context, const Gpu& gpu) {
    if (config == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    kfd_ioctl_get_tile_config_args args{};
    args.gpu_id = gpu.gpu_id;
    args.tile_config_ptr = reinterpret_cast<std::uintptr_t>(config->TileConfig);
    args.num_tile_configs = config->NumTileConfigs;
    args.macro_tile_config_ptr = reinterpret_cast<std::uintptr_t>(config->MacroTileConfig);
    args.num_macro_tile_configs = config->NumMacroTileConfigs;
    if (const int error = context.kfd().GetTileConfig(args); error < 0) return StatusOf(error);
    config->NumTileConfigs = args.num_tile_configs;
    config->NumMacroTileConfigs = args.num_macro_tile_configs;
    config->GbAddrConfig = args.gb_addr_config;
    config->NumBanks = args.num_banks;
    config->NumRanks = args.num_ranks;
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandleCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                             HsaAMDGPUDeviceHandle* DeviceHandle) {
  return CallOnGpu(ctx, NodeId, [&](const Context&, const Gpu& gpu) {
    if (DeviceHandle == nullptr) return HSAKMT_STATUS_INVALID_PARAMETER;
    if (gpu.drm_handle == nullptr) return HSAKMT_STATUS_INVALID_HANDLE;
    *DeviceHandle = gpu.drm_handle;
    return HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtSetTrapHandlerCtx(HsaKFDContext* ctx, HSAuint32 NodeId,
                                      void* TrapHandlerBaseAddress,
                                      HSAuint64 /*TrapHandlerSizeInBytes*/,
                                      void* TrapBufferBaseAddress,
                                      HSAuint64 /*TrapBufferSizeInBytes*/) {
  return CallOnGpu(ctx, NodeId, [&](const Context& context, const Gpu& gpu) {
    kfd_ioctl_set_trap_handler_args args{};
    args.gpu_id = gpu.gpu_id;
    args.tba_addr = reinterpret_cast<std::uintptr_t>(TrapHandlerBaseAddress);
    args.tma_addr = reinterpret_cast<std::uintptr_t>(TrapBufferBaseAddress);
    return context.kfd().SetTrapHandler(args) < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
  });
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 NodeId, HsaClockCounters* Counters) {
  return hsaKmtGetClockCountersCtx(Primary(), NodeId, Counters);
}

HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 NodeId, HsaGpuTileConfig* config) {
  return hsaKmtGetTileConfigCtx(Primary(), NodeId, config);
}

HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(HSAuint32 NodeId, HsaAMDGPUDeviceHandle* DeviceHandle) {
  return hsaKmtGetAMDGPUDeviceHandleCtx(Primary(), NodeId, DeviceHandle);
}

HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32 NodeId, void* TrapHandlerBaseAddress,
                                   HSAuint64 TrapHandlerSizeInBytes, void* TrapBufferBaseAddress,
                                   HSAuint64 TrapBufferSizeInBytes) {
  return hsaKmtSetTrapHandlerCtx(Primary(), NodeId, TrapHandlerBaseAddress, TrapHandlerSizeInBytes,
                                 TrapBufferBaseAddress, TrapBufferSizeInBytes);
}
