#include "tlm/core/fast/fast_core.hpp"

#include <memory>

#include "tlm/core/fast/core_function.hpp"
#include "tlm/core/fast/fast_model.hpp"
#include "tlm/core/rtl/rtl_core.hpp"

namespace trnsim::tlm::core_fast {

CoreFactory make_core(const config::Config& config) {
    return core_rtl::core_of(
        std::make_unique<FastModel>(config.core, std::make_unique<CoreFunction>(config.core)));
}

}  // namespace trnsim::tlm::core_fast
