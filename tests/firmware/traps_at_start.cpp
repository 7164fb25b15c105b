// An image that traps before its main loop.
#include "trnsim/custom_op.hpp"

static volatile uint32_t one = 1;
static struct Refuses {
    Refuses() { trnsim::require(one == 0); }
} refuses;

static void nothing() {}
TRNSIM_CUSTOM_OP(nothing)
