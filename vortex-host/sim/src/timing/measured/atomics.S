
.option norvc
.globl _start
.option norelax
_start:
  csrr t0, 0xFC1
  auipc t1,0
  addi t1,t1,12
  .insn r 0x0b,1,0,x0,t0,t1
1:
  li t0,-1
  .insn r 0x0b,0,0,x0,t0,x0
  csrr a0, 0x340
  lw s0,0(a0)
  lw s1,4(a0)
  lw s2,8(a0)
  lw s3,12(a0)
  csrr s4,0xCC0
  csrr s5,0xCC1
  csrr s6,0xFC0
  csrr s7,0xFC1
  mul s8,s5,s6
  add s8,s8,s4     # s8 = linear id in core
  mul s9,s6,s7     # s9 = total threads in core
  jal ra, kernel
  csrr t0,0xCC1
  beqz t0,2f
  .insn r 0x0b,0,0,x0,x0,x0
2:
  li t0,1
  .insn r 0x0b,0,0,x0,t0,x0
  .insn r 0x0b,1,0,x0,t0,x0
  csrr t1,0xCC2
  slli t1,t1,8
  addi t1,t1,0x80
  csrr t0,0xB00
  sw t0,0(t1)
  csrr t0,0xB80
  sw t0,4(t1)
  csrr t0,0xB02
  sw t0,16(t1)
  csrr t0,0xB82
  sw t0,20(t1)
  fence
  .insn r 0x0b,0,0,x0,x0,x0
.balign 64
kernel:
  # A word of each lane, a line of each lane, and words that all share.
  li t2,4
  mul t2,t2,s8
  add s2,s0,t2
  addi s2,s2,64
  li t2,64
  mul t2,t2,s8
  add s3,s1,t2
  li s10,20
3:
  amoadd.w a0,s10,(s0)
  amoadd.w a1,s10,(s2)
  lw a2,0(s2)
  amomax.w a3,s10,(s3)
  sw a1,4(s3)
  amoadd.w a4,a3,(s3)
  lw a5,8(s3)
  amoadd.w a6,a5,(s0)
  sw a2,0(s2)
  amoswap.w a7,a6,(s2)
  addi s3,s3,4
  addi s10,s10,-1
  bnez s10,3b
  ret
