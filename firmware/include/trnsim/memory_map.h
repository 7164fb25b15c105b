// Address map of a GpSimd core, and the places where an image puts its parts. C++, the assembler and the
// linker script read it.
#pragma once

#define TRNSIM_TCM_BASE 0x80000000
#define TRNSIM_TCM_BYTES 0x10000

#define TRNSIM_SLICE_BASE 0x90000000
#define TRNSIM_SLICE_PARTITIONS 16
#define TRNSIM_PARTITION_BYTES 196608

// The stack lies at the bottom of the TCM. There is no memory below it, so an overflow is an access fault.
#define TRNSIM_STACK_BYTES 0x2000
#define TRNSIM_MAILBOX_BASE 0x80002000
#define TRNSIM_MAILBOX_BYTES 0x400
#define TRNSIM_PRINT_BASE 0x80002400
#define TRNSIM_PRINT_BYTES 0x800
#define TRNSIM_CODE_BASE 0x80002c00
#define TRNSIM_CODE_BYTES 0x9c00
// The heap begins here, or after code and data if they reach beyond; an image has at least TRNSIM_LEAST_HEAP_BYTES of it.
#define TRNSIM_HEAP_BASE 0x8000c000
#define TRNSIM_HEAP_BYTES 0x4000
#define TRNSIM_LEAST_HEAP_BYTES 0x3800
// No image's code reaches here.
#define TRNSIM_LEAST_HEAP_BASE (TRNSIM_HEAP_BASE + TRNSIM_HEAP_BYTES - TRNSIM_LEAST_HEAP_BYTES)
