// SBUF and PSUM in the block tests: rows of one 32-bit word per partition, in the geometry of
// configs/trn1.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "testbench/random_programs/area.hpp"

namespace trnsim::test {

using namespace random_programs;  // defines Area and sizes

using Row = std::array<std::uint32_t, Lanes>;

struct Memories {
    std::vector<Row> sbuf = std::vector<Row>(SbufBytes / 4);
    std::vector<Row> psum = std::vector<Row>(PsumBytes / 4);

    std::vector<Row>& of(bool in_psum) { return in_psum ? psum : sbuf; }
    const std::vector<Row>& of(bool in_psum) const { return in_psum ? psum : sbuf; }

    // Returns the `bytes` low bits of an element at a byte offset within a partition.
    std::uint32_t load(bool in_psum, unsigned partition, std::uint32_t offset, unsigned bytes) const {
        std::uint32_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const char*>(&of(in_psum)[offset / 4][partition]) + offset % 4,
                    bytes);
        return bits;
    }
    void store(bool in_psum, unsigned partition, std::uint32_t offset, unsigned bytes, std::uint32_t bits) {
        std::memcpy(reinterpret_cast<char*>(&of(in_psum)[offset / 4][partition]) + offset % 4, &bits, bytes);
    }

    bool operator==(const Memories&) const = default;
};

// Describes the first word in which two memories differ; nothing if they are equal.
inline std::optional<std::string> first_difference(const Memories& got, const Memories& want) {
    if (got == want) return std::nullopt;
    for (bool in_psum : {false, true}) {
        for (std::size_t row = 0; row < got.of(in_psum).size(); ++row) {
            for (unsigned partition = 0; partition < Lanes; ++partition) {
                const std::uint32_t is = got.of(in_psum)[row][partition],
                                    should_be = want.of(in_psum)[row][partition];
                if (is == should_be) continue;
                return std::string(in_psum ? "PSUM" : "SBUF") + " row " + std::to_string(row) +
                       " partition " + std::to_string(partition) + ": got " + std::to_string(is) + ", want " +
                       std::to_string(should_be);
            }
        }
    }
    return std::nullopt;
}

}  // namespace trnsim::test
