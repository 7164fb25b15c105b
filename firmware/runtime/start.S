# Start-up and traps. See docs/firmware.md.
#include "firmware/runtime/mailbox_offsets.h"

    .section .start, "ax"
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    la      sp, stack_top
    la      t0, trap
    csrw    mtvec, t0
    li      t0, 0x6600              # mstatus: FS and VS on
    csrs    mstatus, t0
    csrw    fcsr, zero
    csrw    vcsr, zero
    li      t0, 0x800               # mie: the external interrupt ends wfi
    csrw    mie, t0
    la      a0, bss_begin
    la      a1, bss_end
    vsetvli t0, zero, e8, m8, ta, ma
    vmv.v.i v0, 0
1:  sub     a2, a1, a0
    beqz    a2, 2f
    vsetvli t0, a2, e8, m8, ta, ma
    vse8.v  v0, (a0)
    add     a0, a0, t0
    j       1b
2:  tail    trnsim_main
    .size _start, . - _start

# Writes the trap record and stops. It uses no stack: what trapped may have been its overflow.
    .section .text.trap, "ax"
    .balign 4
    .type trap, @function
trap:
    la      t0, mailbox
    sw      ra, TRNSIM_TRAP_CALLER(t0)
    sw      sp, TRNSIM_TRAP_STACK(t0)
    csrr    t1, mcause
    sw      t1, TRNSIM_TRAP_CAUSE(t0)
    csrr    t1, mepc
    sw      t1, TRNSIM_TRAP_PC(t0)
    csrr    t1, mtval
    sw      t1, TRNSIM_TRAP_VALUE(t0)
    li      t1, TRNSIM_STATUS_TRAPPED
    sw      t1, TRNSIM_MAILBOX_STATUS(t0)
    lw      t1, TRNSIM_MAILBOX_REQUEST(t0)
    fence
    sw      t1, TRNSIM_MAILBOX_COMPLETED(t0)
    li      t1, 2 * TRNSIM_STATUS_TRAPPED + 1
    sw      t1, TRNSIM_MAILBOX_TO_HOST(t0)
1:  wfi
    j       1b
    .size trap, . - trap
