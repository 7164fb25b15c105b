// Drives a rounding unit and computes the expected results.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "Vrounding_unit.h"
#include "arch/numerics/format.hpp"
#include "arch/numerics/xorwow.hpp"
#include "tests/common/model.hpp"

namespace trnsim::test {

inline constexpr std::size_t Lanes = 128;
using Row = std::array<std::uint32_t, Lanes>;

struct Write {
    numerics::Format format = numerics::Format::Bf16;
    bool stochastic = true;
    bool raw = false;
    unsigned first = 0;              // quadrant in which the destination starts
    std::size_t partitions = Lanes;  // lanes in use, from lane 0
};

class RoundingBench {
  public:
    RoundingBench() {
        unit_.rst_ni = 1;
        unit_.eval();
        unit_.rst_ni = 0;
        step();
        unit_.rst_ni = 1;
        step();
    }

    void seed(std::uint32_t seed) {
        unit_.seed_valid_i = 1;
        unit_.seed_i = seed;
        step();
        unit_.seed_valid_i = 0;
        generators_ = numerics::generators(numerics::Stream::VectorRounding, Lanes, seed);
    }

    // Makes a cycle without a result; the inputs may be anything.
    void idle(const Row& values, const Write& how) {
        present(values, how);
        step();
    }

    // Writes a row and returns its words, partition by partition.
    Row write(const Row& values, const Write& how) {
        present(values, how);
        unit_.valid_i = 1;
        step();
        unit_.valid_i = 0;
        return row();
    }

    // Returns the words of the last write.
    Row row() const {
        Row row{};
        for (std::size_t k = 0; k < Lanes; ++k) row[k] = unit_.row_o[k];
        return row;
    }

    // Returns the elements of lanes in use, lane by lane.
    std::vector<std::uint32_t> elements(const Row& values, const Write& how) {
        const Row row = write(values, how);
        std::vector<std::uint32_t> result;
        const int bytes = numerics::storage_bytes(how.format);
        for (std::size_t k = 0; k < how.partitions; ++k) {
            const std::uint32_t word = row[(k + how.first * Lanes / 4) % Lanes];
            result.push_back(bytes == 4 ? word : word & ((1u << 8 * bytes) - 1));
        }
        return result;
    }

    std::vector<std::uint32_t> expected(const Row& values, const Write& how) {
        const bool draws = how.stochastic && !how.raw && numerics::rounds_stochastically(how.format);
        const int bytes = numerics::storage_bytes(how.format);
        std::vector<std::uint32_t> result;
        for (std::size_t k = 0; k < how.partitions; ++k) {
            const float value = numerics::float_of(values[k]);
            result.push_back(how.raw ? bytes == 4 ? values[k] : values[k] & ((1u << 8 * bytes) - 1)
                             : draws ? numerics::from_fp32(value, how.format, generators_[k].draw())
                                     : numerics::from_fp32(value, how.format));
        }
        return result;
    }

  private:
    void present(const Row& values, const Write& how) {
        unit_.raw_i = how.raw;
        unit_.stochastic_i = how.stochastic;
        unit_.dtype_i = static_cast<std::uint8_t>(how.format);
        unit_.first_i = static_cast<std::uint8_t>(how.first);
        for (std::size_t word = 0; word < Lanes / 32; ++word) unit_.in_use_i[word] = 0;
        for (std::size_t k = 0; k < how.partitions; ++k) unit_.in_use_i[k / 32] |= 1u << k % 32;
        for (std::size_t k = 0; k < Lanes; ++k) unit_.value_i[k] = values[k];
    }

    void step() {
        unit_.clk_i = 0;
        unit_.eval();
        unit_.clk_i = 1;
        unit_.eval();
    }

    Model<Vrounding_unit> unit_;
    std::vector<numerics::Xorwow> generators_ =
        numerics::generators(numerics::Stream::VectorRounding, Lanes, 0);
};

}  // namespace trnsim::test
