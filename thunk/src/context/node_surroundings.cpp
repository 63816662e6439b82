#include <algorithm>
#include <cstdlib>
#include <string>

#include "thunk/src/context/context.h"

namespace kfdcts::thunk {
namespace {

/// HSA_OVERRIDE_GFX_VERSION_<node> goes before the one for all nodes.
std::optional<GfxVersion> OverrideFor(HSAuint32 node_id) {
  const std::string general = "HSA_OVERRIDE_GFX_VERSION";
  for (const std::string& name : {general + "_" + std::to_string(node_id), general}) {
    if (const char* value = std::getenv(name.c_str())) return ParseGfxOverride(value);
  }
  return std::nullopt;
}

}  // namespace

bool Context::uses_svm() const {
  return primary_ && options_.use_svm &&
         std::all_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.has_svm; });
}

NodeSurroundings Context::SurroundingsOf(HSAuint32 node_id, const Node& node) const {
  NodeSurroundings surroundings;
  surroundings.svm_supported = uses_svm();
  if (!node.is_gpu()) return surroundings;
  surroundings.gfx_override = OverrideFor(node_id);
  if (const RenderNode* render_node = render_nodes_->Find(node.numbers.drm_render_minor);
      render_node != nullptr && render_node->device.handle != nullptr) {
    surroundings.marketing_name = render_node->device.marketing_name;
    surroundings.family = render_node->device.family_id;
    surroundings.integrated = render_node->device.integrated;
  }
  const auto gpu = std::find_if(gpus_.begin(), gpus_.end(),
                                [&](const Gpu& one) { return one.gpu_id == node.gpu_id; });
  if (gpu == gpus_.end()) return surroundings;  // it came after the context was opened
  surroundings.lds = gpu->lds;
  surroundings.scratch = gpu->scratch;
  surroundings.gpuvm = gpu->gpuvm;
  surroundings.svm = memory_->SvmAperture();
  surroundings.mmio = mmio_pages_.ApertureOf(gpu->node_id);
  return surroundings;
}

}  // namespace kfdcts::thunk
