/* In a guest: Debian's ROCr makes an AQL queue on each GPU, and its barrier packet completes. The
 * thunk is whichever libhsakmt.so.1 the loader finds. Declares what it uses of the HSA API itself:
 * the headers are not everywhere that the library is. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  uint64_t handle;
} hsa_agent_t;
typedef struct {
  uint64_t handle;
} hsa_signal_t;
typedef struct {
  uint32_t type, features;
  void* base_address;
  hsa_signal_t doorbell_signal;
  uint32_t size, reserved;
  uint64_t id;
} hsa_queue_t;

int hsa_init(void);
int hsa_shut_down(void);
int hsa_iterate_agents(int (*visit)(hsa_agent_t, void*), void* data);
int hsa_agent_get_info(hsa_agent_t agent, int what, void* value);
int hsa_queue_create(hsa_agent_t agent, uint32_t size, uint32_t type,
                     void (*on_error)(int, hsa_queue_t*, void*), void* data, uint32_t private_bytes,
                     uint32_t group_bytes, hsa_queue_t** queue);
int hsa_queue_destroy(hsa_queue_t* queue);
uint64_t hsa_queue_add_write_index_relaxed(const hsa_queue_t* queue, uint64_t value);
int hsa_signal_create(int64_t value, uint32_t count, const hsa_agent_t* agents,
                      hsa_signal_t* signal);
int hsa_signal_destroy(hsa_signal_t signal);
void hsa_signal_store_screlease(hsa_signal_t signal, int64_t value);
int64_t hsa_signal_wait_scacquire(hsa_signal_t signal, int condition, int64_t value,
                                  uint64_t timeout, int state);

enum { INFO_DEVICE = 17, DEVICE_GPU = 1, QUEUE_SIZE = 256, LESS = 2, BLOCKED = 0 };
/* Barrier-and, acquire and release with system scope. */
static const uint16_t kHeader = 3 | 2 << 9 | 2 << 11;
static const uint64_t kTimeout = 20ull * 1000 * 1000 * 1000;

static int PacketCompletes(hsa_queue_t* queue) {
  hsa_signal_t done;
  if (hsa_signal_create(1, 0, NULL, &done) != 0) return 0;
  const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  char* packet = (char*)queue->base_address + index % queue->size * 64;
  memset(packet + 2, 0, 62);
  memcpy(packet + 56, &done, sizeof done);
  __atomic_store_n((uint16_t*)packet, kHeader, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (int64_t)index);
  const int64_t left = hsa_signal_wait_scacquire(done, LESS, 1, kTimeout, BLOCKED);
  hsa_signal_destroy(done);
  return left == 0;
}

static int Visit(hsa_agent_t agent, void* gpus) {
  int device = 0;
  hsa_queue_t* queue = NULL;
  if (hsa_agent_get_info(agent, INFO_DEVICE, &device) != 0) return 1;
  if (device != DEVICE_GPU) return 0;
  const int made = hsa_queue_create(agent, QUEUE_SIZE, 0, NULL, NULL, 0, 0, &queue);
  if (made != 0) {
    fprintf(stderr, "hsa_queue_create: 0x%x\n", made);
    return 1;
  }
  const int completed = PacketCompletes(queue);
  if (!completed) fprintf(stderr, "the packet does not complete\n");
  const int gone = hsa_queue_destroy(queue);
  if (gone != 0) fprintf(stderr, "hsa_queue_destroy: 0x%x\n", gone);
  ++*(int*)gpus;
  return completed && gone == 0 ? 0 : 1;
}

int main(void) {
  int gpus = 0;
  const int started = hsa_init();
  if (started != 0) {
    fprintf(stderr, "hsa_init: 0x%x\n", started);
    return 1;
  }
  const int failed = hsa_iterate_agents(Visit, &gpus);
  printf("queues on %d GPUs\n", gpus);
  return hsa_shut_down() == 0 && failed == 0 && gpus > 0 ? 0 : 1;
}
