# A load that misses, a store to another word of its line, and a few instructions later an access to the word that was
# stored: a load (first part), or another store (second part), whose word is then copied to the second buffer.
.option norvc
.option norelax
.globl _start
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
  lw t1, 0(s0)
  sw s3, 16(s0)
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  sw s3, 16(s0)
  .rept 1
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  sw s3, 16(s0)
  .rept 2
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  sw s3, 16(s0)
  .rept 3
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  sw s3, 16(s0)
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  lw t1, 0(s0)
  sw s3, 16(s0)
  .rept 1
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  lw t1, 0(s0)
  sw s3, 16(s0)
  .rept 2
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  lw t1, 0(s0)
  sw s3, 16(s0)
  .rept 3
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  .rept 1
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  .rept 2
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  .rept 3
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  .rept 1
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  .rept 2
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  sw s3, 16(s0)
  .rept 3
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  .rept 1
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  .rept 2
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  .rept 3
  nop
  .endr
  lw t4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  sw t4, 0(s1)
  addi s1, s1, 16
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  .rept 1
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  .rept 2
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  lw t1, 0(s0)
  lw t2, 32(s0)
  lw t3, 48(s0)
  sw s3, 16(s0)
  .rept 3
  nop
  .endr
  sw s4, 16(s0)
  addi s0, s0, 128
  addi t1, t1, 0
  addi t2, t2, 0
  addi t3, t3, 0
  li t6, 1000
1:
  addi t6, t6, -1
  bnez t6, 1b
  li t0, 3072
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
