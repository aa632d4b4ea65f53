# Start-up for C in this directory: all lanes of all warps get a stack and thread-local variables as in Vortex's own start-up
# (stacks 8 KiB apart, variables side by side behind the image) and call `work(arguments, hart, harts)`. Then warp 0 leaves
# the core's cycles and instructions in the performance dump.
.option norvc
.option norelax
.section .init, "ax"
.globl _start
_start:
  csrr t0, 0xFC1                          # warps
  la t1, every_warp
  .insn r 0x0b, 1, 0, x0, t0, t1          # wspawn
every_warp:
  li t0, -1
  .insn r 0x0b, 0, 0, x0, t0, x0          # tmc
  csrr a1, 0xF14                          # hart
  li sp, 0xFFFF0000
  slli t1, a1, 13
  sub sp, sp, t1
  la tp, thread_locals
  slli t1, a1, 4
  add tp, tp, t1
  csrr a0, 0x340                          # arguments
  csrr a2, 0xFC0
  csrr t1, 0xFC1
  mul a2, a2, t1
  csrr t1, 0xFC2
  mul a2, a2, t1                          # harts
  call work
  csrr t0, 0xCC1
  beqz t0, first_warp
  .insn r 0x0b, 0, 0, x0, x0, x0
first_warp:
  li t0, 1
  .insn r 0x0b, 0, 0, x0, t0, x0
  .insn r 0x0b, 1, 0, x0, t0, x0          # wait for the others
  csrr t1, 0xCC2
  slli t1, t1, 8
  addi t1, t1, 0x80
  csrr t0, 0xB00
  sw t0, 0(t1)
  csrr t0, 0xB80
  sw t0, 4(t1)
  csrr t0, 0xB02
  sw t0, 16(t1)
  csrr t0, 0xB82
  sw t0, 20(t1)
  fence
  .insn r 0x0b, 0, 0, x0, x0, x0

.section .tail, "aw", @nobits
.balign 64
thread_locals:
  .space 1024 * 16
