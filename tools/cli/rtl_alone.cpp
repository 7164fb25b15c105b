// A program that runs kernels on the RTL alone has these functions in place of the fast core.
#include <stdexcept>

#include "model/core/fast/fast_core.hpp"
#include "model/core/fast/wave.hpp"

namespace trnsim::tlm::core_fast {
namespace {

[[noreturn]] void refuse() {
    throw std::runtime_error("this program has no fast core, expected the program trnsim");
}

}  // namespace

std::unique_ptr<CoreModel> make_model(const config::Core&) {
    refuse();
}

CoreFactory make_core(const config::Config&) {
    refuse();
}

void check_fast_scopes(std::span<const std::string>) {
    refuse();
}

}  // namespace trnsim::tlm::core_fast
