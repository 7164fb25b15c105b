// An entry of an image's table of operations, the section .operations. Its place in the table is the number
// of the command.
#pragma once

#include "trnsim/mailbox.hpp"

namespace trnsim::firmware {

struct Operation {
    const char* name;
    Status (*run)(const void* arguments);
};

// The mailbox of this core.
extern "C" volatile Mailbox mailbox;

}  // namespace trnsim::firmware

// Adds `function` under its name; entries stand in the order of `rank`, two digits.
#define TRNSIM_OPERATION(rank, name, function)                                                          \
    [[gnu::used, gnu::section(".operations." rank)]] constinit extern const trnsim::firmware::Operation \
        operation_##name = {#name, function}
