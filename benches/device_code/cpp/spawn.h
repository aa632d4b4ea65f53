// A small runtime that spreads work items over warps as Vortex's own does: each warp runs a contiguous share, calls the
// kernel through a pointer for each step of it, and finds the item's coordinates by division.
#pragma once
#include <stdint.h>

struct Point {
    uint32_t x, y, z;
};

// What every argument block begins with.
struct Launch {
    Point grid;
};

using Body = void (*)(void const *);

void spawn(Body body);

// Coordinates of the item that the lane is at.
inline Point const &item() {
    Point const *at;
    asm("mv %0, tp" : "=r"(at));
    return *at;
}

// A divergent condition: `auto t = split(c); if (c) { .. } join(t);`
inline uint32_t split(bool condition) {
    uint32_t token;
    asm volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=r"(token) : "r"(condition) : "memory");
    return token;
}

inline void join(uint32_t token) { asm volatile(".insn r 0x0b, 3, 0, x0, %0, x0" ::"r"(token) : "memory"); }
