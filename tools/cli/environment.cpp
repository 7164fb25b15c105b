#include "tools/cli/environment.hpp"

namespace trnsim::cli {

std::ostream& Environment::summary() const {
    static std::ostream nowhere(nullptr);
    return quiet() ? nowhere : out;
}

}  // namespace trnsim::cli
