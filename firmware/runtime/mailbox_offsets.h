// Offsets in the mailbox for the assembler; dispatch.cpp checks them against the structure.
#pragma once

#define TRNSIM_MAILBOX_REQUEST 4
#define TRNSIM_MAILBOX_COMPLETED 20
#define TRNSIM_MAILBOX_STATUS 24
#define TRNSIM_MAILBOX_TO_HOST 32
#define TRNSIM_TRAP_CAUSE 48
#define TRNSIM_TRAP_PC 52
#define TRNSIM_TRAP_VALUE 56
#define TRNSIM_TRAP_CALLER 60
#define TRNSIM_TRAP_STACK 64
#define TRNSIM_STATUS_TRAPPED 9
