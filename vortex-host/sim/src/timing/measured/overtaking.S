# Loads that miss, a store to another word of their line, and a few instructions later an access to the word that was
# stored: a load, whose result goes to the second buffer, or another store. At the end the words are copied there, too.
.option norvc
.option norelax
.globl _start

.macro begin loads, nops
  lw t1, 0(s0)
  .if \loads > 1
  lw t2, 32(s0)
  .endif
  .if \loads > 2
  lw t3, 48(s0)
  .endif
  sw s3, 16(s0)
  .rept \nops
  nop
  .endr
.endm

.macro wait loads
  addi s0, s0, 128
  addi t1, t1, 0
  .if \loads > 1
  addi t2, t2, 0
  .endif
  .if \loads > 2
  addi t3, t3, 0
  .endif
.endm

.macro then_load loads, nops
  begin \loads, \nops
  lw t4, 16(s0)
  wait \loads
  sw t4, 0(s1)
  addi s1, s1, 16
.endm

.macro then_store loads, nops
  begin \loads, \nops
  sw s4, 16(s0)
  wait \loads
.endm

.macro all loads
  .irp nops, 0, 1, 2, 3
  then_load \loads, \nops
  .endr
  .irp nops, 0, 1, 2, 3
  then_store \loads, \nops
  .endr
.endm

_start:
  csrr a0, mscratch
  lw s0, 0(a0)
  lw s1, 4(a0)
  csrr t0, 0xCC0
  slli t0, t0, 2
  add s0, s0, t0
  add s1, s1, t0
  li s3, 111
  li s4, 222
  all 1
  all 2
  all 3
  li t6, 1000
1:
  addi t6, t6, -1
  bnez t6, 1b
  li t0, 24 * 128
  sub s0, s0, t0
  li t6, 24
2:
  lw t5, 16(s0)
  sw t5, 0(s1)
  addi s0, s0, 128
  addi s1, s1, 16
  addi t6, t6, -1
  bnez t6, 2b
  fence
  nop
  .insn r 0x0b,0,0,x0,x0,x0
