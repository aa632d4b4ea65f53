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

// The same of a launch of groups, of which the grid counts.
struct GroupLaunch : Launch {
    Point block;
};

// The argument block.
template <class T> inline T const *arguments() {
    T const *at;
    asm("csrr %0, 0x340" : "=r"(at));
    return at;
}

using Body = void (*)(void const *);

void spawn(Body body);

// In groups, each on warps of one core: `GroupLaunch` begins the arguments.
void spawn_groups(Body body);

// Coordinates of the item that the lane is at.
inline Point const &item() {
    Point const *at;
    asm("mv %0, tp" : "=r"(at));
    return *at;
}

// What an item is in a launch of groups: its group, its place in that, and which of the groups its core runs at a time.
struct Member {
    Point group, inside;
    uint32_t in_core;
};

inline Member const &member() {
    Member const *at;
    asm("mv %0, tp" : "=r"(at));
    return *at;
}

extern uint32_t warps_per_group;

// Waits for the group's other warps.
inline void barrier() {
    asm volatile(".insn r 0x0b, 4, 0, x0, %0, %1" ::"r"(member().in_core), "r"(warps_per_group) : "memory");
}

// The group's part of local memory.
template <class T> inline T &local() {
    char *base;
    asm("csrr %0, 0xfc3" : "=r"(base));
    return *reinterpret_cast<T *>(base + member().in_core * sizeof(T));
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
