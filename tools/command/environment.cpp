#include "tools/command/environment.hpp"

namespace trnsim::command {

std::ostream& Environment::summary() const {
    static std::ostream nowhere(nullptr);
    return quiet() ? nowhere : out;
}

}  // namespace trnsim::command
