// Fields of a file that this tree does not interpret. They are kept, and written back at their place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trnsim::hlo {

struct RawField {
    std::uint32_t number = 0;
    std::string bytes;  // with its tag
};

using Unknown = std::vector<RawField>;

}  // namespace trnsim::hlo
