
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
  li t2,4
  mul t2,t2,s8
  add s2,s0,t2
  add s3,s1,t2
  csrr s4,0xFC3
  li t2,8
  csrr t0,0xCC0
  mul t2,t2,t0
  add s4,s4,t2
  csrr s5,0xCC4
  csrr s6,0xCC0
  fcvt.s.w fa0,s6
  fcvt.s.w fa1,s9
  fcvt.s.w fa2,s8
  addi a1,s6,77
  addi a2,s6,60
  addi a3,s6,80
  addi a4,s6,74
  addi a5,s6,8
  addi a6,s6,77
  addi a7,s6,1
  li s10,20
3:
  andi t0,s10,1
  beqz t0,111f
  lbu a2,1(s2)
  sb a2,2(s3)
111:
  lbu a2,1(s2)
  sb a2,2(s3)
  andi t0,s10,1
  beqz t0,121f
  lbu a2,1(s2)
  sb a2,2(s3)
121:
  li t0,0
  .word 24297483
  flw fa5,0(s2)
  lbu a2,1(s2)
  sb a2,2(s3)
  li t0,0
  .word 24297483
  lw a3,0(s4)
  lw a7,0(s4)
  sw a4,64(s3)
  andi t0,s10,1
  beqz t0,131f
  flw fa3,64(s2)
131:
  andi t0,s10,1
  beqz t0,141f
  addi a7,a7,1
141:
  flw fa1,64(s2)
  lw a1,0(s4)
  lbu a2,1(s2)
  sb a2,2(s3)
  lw a6,128(s2)
  andi t0,s10,1
  beqz t0,151f
  sw a4,64(s3)
151:
  lw a5,512(s2)
  addi s10,s10,-1
  bnez s10,3b
  ret
