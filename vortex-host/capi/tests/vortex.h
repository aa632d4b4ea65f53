/* The part of Vortex's runtime interface (vortex.h, v2) that the C program in docs/metadata.md uses, for where Vortex is
 * not installed. */
#ifndef VORTEX_H
#define VORTEX_H

#include <stdint.h>

typedef void *vx_device_h;
typedef void *vx_buffer_h;

#define VX_CAPS_NUM_THREADS 0x1
#define VX_CAPS_NUM_WARPS 0x2
#define VX_CAPS_NUM_CORES 0x3
#define VX_CAPS_LOCAL_MEM_SIZE 0x6

#define VX_MEM_READ 0x1
#define VX_MEM_READ_WRITE 0x3

#define VX_MAX_TIMEOUT (24 * 60 * 60 * 1000)

int vx_dev_open(vx_device_h *device);
int vx_dev_close(vx_device_h device);
int vx_dev_caps(vx_device_h device, uint32_t id, uint64_t *value);
int vx_mem_alloc(vx_device_h device, uint64_t size, int flags, vx_buffer_h *buffer);
int vx_mem_free(vx_buffer_h buffer);
int vx_mem_address(vx_buffer_h buffer, uint64_t *address);
int vx_copy_to_dev(vx_buffer_h buffer, const void *source, uint64_t offset, uint64_t size);
int vx_copy_from_dev(void *destination, vx_buffer_h buffer, uint64_t offset, uint64_t size);
int vx_upload_kernel_file(vx_device_h device, const char *path, vx_buffer_h *buffer);
int vx_start(vx_device_h device, vx_buffer_h kernel, vx_buffer_h arguments);
int vx_ready_wait(vx_device_h device, uint64_t milliseconds);

#endif
