// A code over 64-bit words that corrects one wrong bit and detects two: eight check bits; every column of the
// parity-check matrix has odd weight (Hsiao). Three wrong bits or more may look like one.
#pragma once

#include <cstdint>

namespace trnsim::tlm::hbm {

constexpr unsigned WordBytes = 8;

// A stored word, or the difference between two.
struct CodeWord {
    std::uint64_t data = 0;
    std::uint8_t check = 0;
    bool operator==(const CodeWord&) const = default;
    CodeWord operator^(const CodeWord& other) const {
        return {data ^ other.data, static_cast<std::uint8_t>(check ^ other.check)};
    }
};

// Returns a word in which only bit `bit` is set; the check bits come after the data bits.
constexpr unsigned StoredBits = 72;
CodeWord stored_bit(unsigned bit);

std::uint8_t check_of(std::uint64_t data);

struct Decoded {
    std::uint64_t data;  // corrected
    bool corrected, uncorrectable;
};
Decoded decode(const CodeWord& word);

}  // namespace trnsim::tlm::hbm
