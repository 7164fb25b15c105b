#include "arch/activation/table_image.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "arch/activation/tables.hpp"

namespace trnsim::activation {
namespace {

constexpr std::uint32_t Tag = 0x54;
constexpr std::uint32_t SegmentBank = 7, ExponentBank = 8;
constexpr std::size_t SegmentsOfFunction = 512;  // one for each sign and exponent field
constexpr std::size_t FractionBits = 23;

class Writer {
  public:
    // Adds `count` rows of a bank from `first` on; word(row) returns the word of a row.
    void add(std::uint32_t bank, std::size_t first, std::size_t count,
             const std::function<std::uint32_t(std::size_t row)>& word) {
        for (std::size_t done = 0; done < count;) {
            const std::size_t words = std::min(count - done, BeatWords - 1);
            put(static_cast<std::uint32_t>(first + done) | bank << 14 |
                static_cast<std::uint32_t>(words) << 18 | Tag << 25);
            for (std::size_t i = 0; i < BeatWords - 1; ++i) put(i < words ? word(first + done + i) : 0);
            done += words;
        }
    }

    std::vector<std::uint8_t> bytes;

  private:
    void put(std::uint32_t word) {
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes.push_back(static_cast<std::uint8_t>(word >> shift));
    }
};

std::uint32_t word_of(const Segment& segment) {
    return static_cast<std::uint32_t>(segment.scale + 128) << 24 | std::uint32_t{segment.shift} << 16 |
           segment.base;
}

void add_function(Writer& writer, unsigned code) {
    const auto segments = activation::segments().subspan(code * SegmentsOfFunction, SegmentsOfFunction);
    writer.add(SegmentBank, code * SegmentsOfFunction, SegmentsOfFunction,
               [](std::size_t row) { return word_of(activation::segments()[row]); });
    // The rows that the segments of a function reach are consecutive.
    std::size_t first = rows().size(), end = 0;
    for (const Segment& segment : segments) {
        const std::size_t rows_of_segment = std::size_t{1} << (FractionBits - segment.shift);
        first = std::min<std::size_t>(first, segment.base);
        end = std::max<std::size_t>(end, segment.base + rows_of_segment);
    }
    writer.add(0, first, end - first, [](std::size_t row) { return rows()[row].x0; });
    for (int k = 0; k <= function(code).degree; ++k) {
        writer.add(static_cast<std::uint32_t>(k + 1), first, end - first,
                   [k](std::size_t row) { return rows()[row].c[k]; });
    }
    if (function(code).mode != Mode::Log) return;
    writer.add(ExponentBank, 0, exponent_low().size(), [](std::size_t row) { return exponent_low()[row]; });
    writer.add(ExponentBank, exponent_low().size(), exponent_high().size(),
               [](std::size_t row) { return exponent_high()[row - exponent_low().size()]; });
}

}  // namespace

bool is_set(isa::ActivationSet set) {
    const auto index = static_cast<unsigned>(set);
    return index < SetCount && set_functions(index) != 0;
}

std::vector<std::uint8_t> table_image(isa::ActivationSet set) {
    if (!is_set(set)) throw std::invalid_argument("not a set of activation functions");
    const std::uint32_t functions = set_functions(static_cast<unsigned>(set));
    Writer writer;
    for (unsigned code = 0; code < FunctionCount; ++code) {
        if ((functions >> code & 1) != 0 && function(code).degree != 0) add_function(writer, code);
    }
    return writer.bytes;
}

}  // namespace trnsim::activation
