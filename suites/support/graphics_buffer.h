#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kfdcts::suites {

/// A buffer of the graphics driver, as another API would bring it: made on a GPU's render node and
/// exported as a dma-buf. Throws std::system_error that names the step.
class GraphicsBuffer {
 public:
  /// `render_minor` as in HsaNodeProperties::DrmRenderMinor; memory in VRAM, or in system memory.
  GraphicsBuffer(int render_minor, std::size_t size, bool in_vram);
  ~GraphicsBuffer();
  GraphicsBuffer(const GraphicsBuffer&) = delete;
  GraphicsBuffer& operator=(const GraphicsBuffer&) = delete;

  /// Gives it metadata as a driver does for images; at most 256 bytes.
  void SetMetadata(std::span<const std::uint32_t> words);

  /// The dma-buf, owned by this object.
  int dma_buf() const { return dma_buf_; }
  std::size_t size() const { return size_; }

 private:
  void Close();

  int render_fd_ = -1;
  std::uint32_t handle_ = 0;
  int dma_buf_ = -1;
  std::size_t size_;
};

}  // namespace kfdcts::suites
