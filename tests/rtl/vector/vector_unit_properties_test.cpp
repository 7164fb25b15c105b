// vector_unit_properties: correct handshakes cause no errors, others do.
#include <Vvector_unit_properties.h>
#include <gtest/gtest.h>
#include <verilated.h>

namespace {

// Returns the number of assertions that fail at an edge with these inputs.
int failures(bool reset, bool element, bool ready, bool valid, bool take) {
    VerilatedContext context;
    context.errorLimit(1000);  // a higher number ends the program
    Vvector_unit_properties top(&context);
    top.rst_ni = 1;
    top.eval();
    top.rst_ni = !reset;
    top.element_i = element;
    top.ready_i = ready;
    top.valid_i = valid;
    top.take_i = take;
    for (const bool level : {false, true}) {
        top.clk_i = level;
        top.eval();
    }
    return context.errorCount();
}

TEST(VectorUnitProperties, EveryCombination) {
    for (unsigned bits = 0; bits < 32; ++bits) {
        const bool reset = bits & 1, element = bits & 2, ready = bits & 4, valid = bits & 8, take = bits & 16;
        const int expected = reset ? 0 : (element && !ready) + (take && !valid);
        EXPECT_EQ(failures(reset, element, ready, valid, take), expected) << bits;
    }
}

}  // namespace
