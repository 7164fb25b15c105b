#include "model/core/fast/fast_core.hpp"

#include <memory>

#include "model/core/fast/core_function.hpp"
#include "model/core/fast/fast_model.hpp"
#include "model/core/pin_core.hpp"

namespace trnsim::tlm::core_fast {

std::unique_ptr<CoreModel> make_model(const config::Core& core) {
    return std::make_unique<FastModel>(core, std::make_unique<CoreFunction>(core));
}

CoreFactory make_core(const config::Config& config) {
    return [core = config.core](const char* name, const CoreSetup& setup) {
        return core_of(make_model(core))(name, setup);
    };
}

}  // namespace trnsim::tlm::core_fast
