/* The part of Vortex's runtime (vortex.h, v2) that programs call: a front that loads the driver library which VORTEX_DRIVER names,
 * and goes through its table. The tests' stand-in for the real `libvortex.so`. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *handle;

static struct {
    int (*dev_open)(handle *);
    int (*dev_close)(handle);
    int (*dev_caps)(handle, uint32_t, uint64_t *);
    int (*mem_alloc)(handle, uint64_t, int, handle *);
    int (*mem_reserve)(handle, uint64_t, uint64_t, int, handle *);
    int (*mem_free)(handle);
    int (*mem_access)(handle, uint64_t, uint64_t, int);
    int (*mem_address)(handle, uint64_t *);
    int (*mem_info)(handle, uint64_t *, uint64_t *);
    int (*copy_to_dev)(handle, const void *, uint64_t, uint64_t);
    int (*copy_from_dev)(void *, handle, uint64_t, uint64_t);
    int (*start)(handle, handle, handle);
    int (*ready_wait)(handle, uint64_t);
    int (*dcr_read)(handle, uint32_t, uint32_t *);
    int (*dcr_write)(handle, uint32_t, uint32_t);
    int (*mpm_query)(handle, uint32_t, uint32_t, uint64_t *);
} vx;

int vx_dev_open(handle *device) {
    const char *name = getenv("VORTEX_DRIVER");
    char path[256];
    snprintf(path, sizeof path, "libvortex-%s.so", name ? name : "simx");
    void *library = dlopen(path, RTLD_LAZY);
    if (library == NULL) {
        fprintf(stderr, "libvortex.c: %s\n", dlerror());
        return 1;
    }
    int (*init)(void *) = (int (*)(void *))(uintptr_t)dlsym(library, "vx_dev_init");
    if (init == NULL || init(&vx) != 0)
        return 1;
    return vx.dev_open(device);
}

int vx_dev_close(handle device) { return vx.dev_close(device); }
int vx_dev_caps(handle device, uint32_t id, uint64_t *value) {
#ifdef OLDER_RELEASE
    /* 7 was the address of local memory then, and what is 7 now was 8. */
    if (id == 7) {
        *value = 0xFFFF0000;
        return 0;
    }
    if (id == 8)
        id = 7;
#endif
    return vx.dev_caps(device, id, value);
}
int vx_mem_alloc(handle device, uint64_t size, int flags, handle *buffer) { return vx.mem_alloc(device, size, flags, buffer); }
int vx_mem_reserve(handle device, uint64_t address, uint64_t size, int flags, handle *buffer) { return vx.mem_reserve(device, address, size, flags, buffer); }
int vx_mem_access(handle buffer, uint64_t offset, uint64_t size, int flags) { return vx.mem_access(buffer, offset, size, flags); }
int vx_mem_free(handle buffer) { return vx.mem_free(buffer); }
int vx_mem_address(handle buffer, uint64_t *address) { return vx.mem_address(buffer, address); }
int vx_copy_to_dev(handle to, const void *from, uint64_t offset, uint64_t size) { return vx.copy_to_dev(to, from, offset, size); }
int vx_copy_from_dev(void *to, handle from, uint64_t offset, uint64_t size) { return vx.copy_from_dev(to, from, offset, size); }
int vx_start(handle device, handle kernel, handle arguments) { return vx.start(device, kernel, arguments); }
int vx_ready_wait(handle device, uint64_t milliseconds) { return vx.ready_wait(device, milliseconds); }
int vx_mpm_query(handle device, uint32_t counter, uint32_t core, uint64_t *value) { return vx.mpm_query(device, counter, core, value); }

#ifdef RELEASE_3
int vx_start_g(void) { return 1; }
#endif
