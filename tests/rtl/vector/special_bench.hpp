// The verilated vector_special between a source of elements and a sink of results, both with pauses.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "Vvector_special.h"
#include "arch/numerics/format.hpp"
#include "tests/common/model.hpp"

namespace trnsim::test {

inline constexpr std::size_t SpecialLanes = 128;
inline constexpr std::size_t SpecialQuadrant = SpecialLanes / 4;
using SpecialRow = std::array<std::uint32_t, SpecialLanes>;

// The order is that of vector_special_pkg.
enum class Special { Seed, Rng, Dropout, Max8, Find8, Replace8, LoadMask, Shuffle, Transpose };

struct SpecialOperation {
    Special special = Special::Rng;
    std::vector<SpecialRow> values;    // they come before the elements
    std::vector<SpecialRow> elements;  // at least one
    std::size_t results = 0;
    std::size_t partitions = SpecialLanes;
    bool raw = false;
    numerics::Format format = numerics::Format::Fp32;
    SpecialRow immediate{};
    std::array<std::uint8_t, SpecialQuadrant> mask{};
};

struct SpecialResult {
    SpecialRow row{};
    std::vector<bool> written = std::vector<bool>(SpecialLanes);
};

class SpecialBench {
  public:
    SpecialBench() {
        top_.rst_ni = 1;
        top_.eval();
        top_.rst_ni = 0;
        edge();
        top_.rst_ni = 1;
        edge();
    }

    // Returns the results of each operation. `pace` is the chance in 256 that an element is offered or a
    // result taken.
    std::vector<std::vector<SpecialResult>> run(const std::vector<SpecialOperation>& operations,
                                                unsigned pace, std::mt19937_64& random) {
        std::vector<std::vector<SpecialResult>> results(operations.size());
        std::size_t entering = 0, element = 0, leaving = 0;
        cycles_ = 0;
        while (leaving < operations.size() && cycles_ < 1'000'000) {
            ++cycles_;
            const bool offers = entering < operations.size() && random() % 256 < pace;
            if (offers) offer(operations[entering], element);
            top_.element_i = 0;
            top_.take_i = 0;
            top_.result_special_i = static_cast<std::uint8_t>(operations[leaving].special);
            top_.clk_i = 0;
            top_.eval();
            // Results of an operation are due once its first element has entered.
            const bool takes = top_.valid_o && random() % 256 < pace && (leaving < entering || element != 0);
            top_.take_i = takes;
            top_.eval();
            const bool enters = offers && top_.ready_o;
            top_.element_i = enters;
            top_.eval();
            if (takes) {
                results[leaving].push_back(result());
                if (results[leaving].size() == operations[leaving].results) ++leaving;
            }
            top_.clk_i = 1;
            top_.eval();
            if (enters) {
                const SpecialOperation& operation = operations[entering];
                if (++element == operation.values.size() + operation.elements.size()) {
                    ++entering;
                    element = 0;
                }
            }
        }
        return results;
    }
    std::uint64_t cycles() const { return cycles_; }

  private:
    void offer(const SpecialOperation& operation, std::size_t element) {
        const bool value = element < operation.values.size();
        const std::size_t place = value ? element : element - operation.values.size();
        const SpecialRow& row = value ? operation.values[place] : operation.elements[place];
        top_.special_i = static_cast<std::uint8_t>(operation.special);
        top_.value_i = value;
        top_.first_i = !value && place == 0;
        top_.last_i = !value && place + 1 == operation.elements.size();
        top_.raw_i = operation.raw;
        top_.dtype_i = static_cast<std::uint8_t>(operation.format);
        top_.partitions_i = static_cast<std::uint16_t>(operation.partitions);
        for (std::size_t k = 0; k < SpecialLanes; ++k) {
            top_.x_i[k] = row[k];
            top_.immediate_i[k] = operation.immediate[k];
        }
        for (std::size_t i = 0; i < SpecialQuadrant; i += 4) {
            top_.entries_i[i / 4] = static_cast<std::uint32_t>(operation.mask[i]) |
                                    static_cast<std::uint32_t>(operation.mask[i + 1]) << 8 |
                                    static_cast<std::uint32_t>(operation.mask[i + 2]) << 16 |
                                    static_cast<std::uint32_t>(operation.mask[i + 3]) << 24;
        }
    }
    SpecialResult result() {
        SpecialResult result;
        for (std::size_t k = 0; k < SpecialLanes; ++k) {
            result.row[k] = top_.result_o[k];
            result.written[k] = (top_.mask_o[k / 32] >> k % 32 & 1) != 0;
        }
        return result;
    }
    void edge() {
        top_.clk_i = 0;
        top_.eval();
        top_.clk_i = 1;
        top_.eval();
    }

    Model<Vvector_special> top_;
    std::uint64_t cycles_ = 0;
};

}  // namespace trnsim::test
