#include "compiler/builder/where.hpp"

#include "compiler/neff/package.hpp"

namespace trnsim::builder {

std::string place_name(const Where& where) {
    return neff::place_name(std::string(where.file), where.line);
}

}  // namespace trnsim::builder
