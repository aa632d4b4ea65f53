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

// The lanes that are active, as a mask.
inline uint32_t active() {
    uint32_t mask;
    asm volatile("csrr %0, 0xcc4" : "=r"(mask)::"memory");
    return mask;
}

// Whether a divergent loop goes on: with the lanes for which it does, or, if it does for none, no more and with those in `mask`.
inline bool go_on(bool condition, uint32_t mask) {
    asm volatile(".insn r 0x0b, 5, 0, x0, %0, %1" ::"r"(condition), "r"(mask) : "memory");
    return condition;
}

// All ones if the condition holds, and the compiler makes no branch of it.
inline uint32_t mask(bool condition) {
    uint32_t mask = -uint32_t(condition);
    asm("" : "+r"(mask));
    return mask;
}
