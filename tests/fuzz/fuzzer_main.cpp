// The function that libFuzzer calls. It runs the target that was chosen at compile time.
#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    trnsim::fuzz::TRNSIM_FUZZ_TARGET({data, size});
    return 0;
}
