#include "harness/check/target.h"

#include <cstring>

#include "harness/gpu/svm.h"

namespace kfdcts::check {

const char* Name(TargetKind kind) {
  switch (kind) {
    case TargetKind::kVram:
      return "Vram";
    case TargetKind::kGtt:
      return "Gtt";
    case TargetKind::kUserptr:
      return "Userptr";
    case TargetKind::kSvmInSystem:
      return "SvmInSystem";
    case TargetKind::kSvmInVram:
      return "SvmInVram";
  }
  return "?";
}

Target::Target(gpu::Gpu& gpu, TargetKind kind, std::uint64_t bytes) : gpu_(gpu), kind_(kind) {
  switch (kind) {
    case TargetKind::kVram:
      buffer_.emplace(gpu, gpu::BufferKind::kVram, bytes);
      break;
    case TargetKind::kGtt:
      buffer_.emplace(gpu, gpu::BufferKind::kGtt, bytes);
      break;
    case TargetKind::kUserptr:
      buffer_.emplace(gpu, gpu::BufferKind::kUserptr, bytes);
      break;
    case TargetKind::kSvmInSystem:
    case TargetKind::kSvmInVram:
      memory_.emplace(gpu::HostMemory::Kind::kAnonymous, bytes);
      break;
  }
  std::memset(span().data(), 0, span().size());
}

void Target::Place() const {
  if (!memory_) return;
  const std::uint32_t location =
      kind_ == TargetKind::kSvmInVram ? gpu_.id() : KFD_IOCTL_SVM_LOCATION_SYSMEM;
  gpu::Require(gpu::SvmSet(gpu_.kfd(), memory_->span(),
                           {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, location},
                            {KFD_IOCTL_SVM_ATTR_ACCESS, gpu_.id()},
                            {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, location}}),
               "SVM ACCESS and PREFETCH_LOC");
}

std::string TargetCheck::Missing() {
  if (auto missing = NeedsGpu(std::get<0>(GetParam())); !missing.empty()) return missing;
  switch (kind()) {
    case TargetKind::kVram:
      return NeedsPublicVram(gpu());
    case TargetKind::kGtt:
    case TargetKind::kUserptr:
      return "";
    case TargetKind::kSvmInSystem:
    case TargetKind::kSvmInVram:
      return NeedsSvm(session());
  }
  return "";
}

std::string TargetName(const ::testing::TestParamInfo<std::tuple<std::size_t, TargetKind>>& info) {
  return "gpu" + std::to_string(std::get<0>(info.param)) + "_" + Name(std::get<1>(info.param));
}

}  // namespace kfdcts::check
