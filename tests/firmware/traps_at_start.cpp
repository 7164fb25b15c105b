// An image that does not come to its loop of commands.
#include "trnsim/custom_op.hpp"

static volatile uint32_t one = 1;
static struct Refuses {
    Refuses() { trnsim::require(one == 0); }
} refuses;

static void nothing() {}
TRNSIM_CUSTOM_OP(nothing)
