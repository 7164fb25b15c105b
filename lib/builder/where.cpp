#include "lib/builder/where.hpp"

#include "lib/neff/package.hpp"

namespace trnsim::builder {

std::string place_name(const Where& where) {
    return neff::place_name(std::string(where.file), where.line);
}

}  // namespace trnsim::builder
