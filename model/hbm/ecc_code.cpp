#include "model/hbm/ecc_code.hpp"

#include <array>
#include <bit>

namespace trnsim::tlm::hbm {
namespace {

constexpr unsigned DataBits = 64;

// 56 columns have weight 3 and 8 weight 5; those of the check bits have weight 1.
constexpr std::array<std::uint8_t, DataBits> make_columns() {
    std::array<std::uint8_t, DataBits> columns{};
    std::size_t n = 0;
    for (const int weight : {3, 5}) {
        for (unsigned value = 0; value < 256 && n < DataBits; ++value)
            if (std::popcount(value) == weight) columns[n++] = static_cast<std::uint8_t>(value);
    }
    return columns;
}

constexpr std::array<std::uint8_t, DataBits> CheckColumns = make_columns();

}  // namespace

CodeWord stored_bit(unsigned bit) {
    if (bit < DataBits) return {std::uint64_t{1} << bit, 0};
    return {0, static_cast<std::uint8_t>(1U << (bit - DataBits))};
}

std::uint8_t check_of(std::uint64_t data) {
    std::uint8_t check = 0;
    for (unsigned bit = 0; bit < DataBits; ++bit)
        if ((data >> bit & 1) != 0) check ^= CheckColumns[bit];
    return check;
}

Decoded decode(const CodeWord& word) {
    const auto syndrome = static_cast<std::uint8_t>(check_of(word.data) ^ word.check);
    if (syndrome == 0) return {word.data, false, false};
    if (std::has_single_bit(syndrome)) return {word.data, true, false};
    for (unsigned bit = 0; bit < DataBits; ++bit)
        if (CheckColumns[bit] == syndrome) return {word.data ^ (std::uint64_t{1} << bit), true, false};
    return {word.data, false, true};
}

}  // namespace trnsim::tlm::hbm
