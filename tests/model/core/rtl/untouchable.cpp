// A core library that ends the process if any of its code runs.
#include <cstdlib>

#include "core_abi.hpp"
#include "model/core/core_model.hpp"
#include "model/core/rtl/core_label.hpp"

#if defined(TEST_LABEL_PINS)
#define TEST_LABEL "abi=0123-1\ncpu=\n"
#elif defined(TEST_LABEL_PROCESSOR)
#define TEST_LABEL "abi=" TRNSIM_CORE_FULL_ABI "\ncpu=a_feature_of_no_processor another\n"
#endif

#ifdef TEST_LABEL
extern "C" {
extern const char TrnsimCoreLabel[];
[[gnu::used, gnu::section(TRNSIM_CORE_LABEL_SECTION)]] const char TrnsimCoreLabel[] = TEST_LABEL;
}
#endif

namespace {
struct EndsTheProcess {
    EndsTheProcess() { std::abort(); }
} const AtLoad;
}  // namespace

extern "C" const char* trnsim_core_parameters() {
    std::abort();
}
extern "C" trnsim::tlm::CoreModel* trnsim_core_create() {
    std::abort();
}
