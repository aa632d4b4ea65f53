
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
  li t2,16
  csrr t0,0xCC0
  mul t2,t2,t0
  add s4,s4,t2
  csrr s5,0xCC4
  csrr s6,0xCC0
  fcvt.s.w fa0,s6
  fcvt.s.w fa1,s9
  fcvt.s.w fa2,s8
  addi a1,s6,61
  addi a2,s6,73
  addi a3,s6,1
  addi a4,s6,26
  addi a5,s6,59
  addi a6,s6,62
  addi a7,s6,35
  li s10,80
3:
  fadd.s fa4,fa2,fa3
  sw a3,64(s3)
  andi t0,s6,2
  snez t0,t0
  .word 172811
  beqz t0,111f
  addi a7,a7,1
  j 112f
111:
  lw a1,0(s3)
  addi a1,a1,1
  sw a1,0(s3)
  addi s3,s3,64
  addi a7,a7,1
112:
  .word 208907
  csrr a1,0xCC0
  li t0,0
  .word 24297483
  lw a1,0(s3)
  addi a1,a1,1
  sw a1,0(s3)
  addi s3,s3,64
  andi t0,s6,3
  snez t0,t0
  .word 172811
  beqz t0,121f
  addi a7,a7,1
  slt a5,a4,a4
  j 122f
121:
  slt a5,a3,a7
  lw a1,0(s3)
  addi a1,a1,1
  sw a1,0(s3)
  addi s2,s2,256
122:
  .word 208907
  sw a2,0(s3)
  fsub.s fa5,fa0,fa4
  sub a4,a5,a3
  lw a1,0(s3)
  addi a1,a1,1
  sw a1,0(s3)
  addi s3,s3,64
  and a2,a7,a2
  and a4,a4,a2
  andi t0,s6,1
  snez t0,t0
  .word 172811
  beqz t0,131f
  lw a1,0(s3)
  addi a1,a1,1
  sw a1,0(s3)
  addi s2,s2,256
  addi a7,a7,1
  csrr a6,0xCC1
  j 132f
131:
  csrr a3,0xCC4
132:
  .word 208907
  li t0,0
  .word 24297483
  fmadd.s fa0,fa2,fa2,fa1
  xor a4,a4,a5
  addi s10,s10,-1
  bnez s10,3b
  ret
