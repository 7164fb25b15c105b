#include "model/hbm/upsets.hpp"

#include <array>

namespace trnsim::tlm::hbm {

void invert(BackingStore& store, std::uint64_t address, std::uint64_t bits) {
    std::array<std::uint8_t, WordBytes> bytes{};
    store.read(address, bytes);
    for (unsigned i = 0; i < WordBytes; ++i) bytes[i] ^= static_cast<std::uint8_t>(bits >> (8 * i));
    store.write(address, bytes);
}

void Upsets::inject(std::uint64_t address, const CodeWord& bits) {
    CodeWord& word = words_[address];
    word = word ^ bits;
    if (word == CodeWord{}) words_.erase(address);
}

void Upsets::decode_word(std::uint64_t address, BackingStore& store, Found& found) {
    const auto at = words_.find(address);
    if (at == words_.end()) return;
    const Decoded decoded = decode(at->second);
    if (decoded.uncorrectable) {
        ++found.uncorrected;
        return;
    }
    if (decoded.corrected) found.corrected.push_back(address);
    // The rest of the difference is wrong and goes unnoticed from now on.
    if (decoded.data != 0) invert(store, address, decoded.data);
    words_.erase(at);
}

Upsets::Found Upsets::read(std::uint64_t address, std::uint64_t length, BackingStore& store) {
    Found found;
    if (words_.empty()) return found;
    for (std::uint64_t word = address / WordBytes * WordBytes; word < address + length; word += WordBytes)
        decode_word(word, store, found);
    return found;
}

Upsets::Found Upsets::write(std::uint64_t address, std::uint64_t length, BackingStore& store) {
    Found found;
    if (words_.empty()) return found;
    for (std::uint64_t word = address / WordBytes * WordBytes; word < address + length; word += WordBytes) {
        const bool whole = word >= address && word + WordBytes <= address + length;
        if (whole) {
            words_.erase(word);
        } else {
            decode_word(word, store, found);
        }
    }
    return found;
}

}  // namespace trnsim::tlm::hbm
