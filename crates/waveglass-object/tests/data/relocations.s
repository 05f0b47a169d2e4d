// A shared object whose data refers to symbols that another object could replace.
.globl word, here
.section .data,"aw"
.p2align 3
word:
  .quad here + 5
  .quad word
here:
  .long 7
