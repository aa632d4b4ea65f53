# Atomic operations on words that all lanes share, on a word of each lane, and on words in a line of each lane, with
# loads and stores between them. `start.S` calls it.
.option norvc
.option norelax
.globl work
work:
  lw s0, 0(a0)
  lw s1, 4(a0)
  slli t0, a1, 2
  add s2, s0, t0
  addi s2, s2, 64
  slli t0, a1, 6
  add s3, s1, t0
  li s10, 20
1:
  amoadd.w a0, s10, (s0)
  amoadd.w a1, s10, (s2)
  lw a2, 0(s2)
  amomax.w a3, s10, (s3)
  sw a1, 4(s3)
  amoadd.w a4, a3, (s3)
  lw a5, 8(s3)
  amoadd.w a6, a5, (s0)
  sw a2, 0(s2)
  amoswap.w a7, a6, (s2)
  addi s3, s3, 4
  addi s10, s10, -1
  bnez s10, 1b
  ret
