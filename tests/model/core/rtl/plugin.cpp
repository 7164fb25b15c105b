// A core library for load_core_model(); the build gives it its parameters.
#include "model/core/fake_core.hpp"

extern "C" const char* trnsim_core_parameters() {
    return TEST_CORE_PARAMETERS;
}
extern "C" trnsim::tlm::CoreModel* trnsim_core_create(unsigned) {
    return new trnsim::test::FakeCore({});
}
