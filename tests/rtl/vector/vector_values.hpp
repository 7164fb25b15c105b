// Memory contents in which special values are common.
#pragma once

#include "testbench/random_programs/values.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

inline void fill(std::vector<Row>& rows, std::uint32_t offset, std::uint32_t bytes, std::mt19937_64& random) {
    for (std::uint32_t row = offset / 4; row < (offset + bytes) / 4; ++row) {
        for (std::uint32_t& word : rows[row]) word = random_word(random);
    }
}

}  // namespace trnsim::test
