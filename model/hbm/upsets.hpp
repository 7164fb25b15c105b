// Wrong bits of stored words, and the results of decoding them. The store keeps what was written; only the
// words that differ from it are listed here, so memory without upsets costs nothing. As the code is linear,
// the decoder's result depends on the differences alone.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/hbm/backing_store.hpp"
#include "model/hbm/ecc_code.hpp"

namespace trnsim::tlm::hbm {

// Inverts bits of the word at `address`.
void invert(BackingStore& store, std::uint64_t address, std::uint64_t bits);

class Upsets {
  public:
    // Inverts bits of the word at `address`, a multiple of 8.
    void inject(std::uint64_t address, const CodeWord& bits);

    struct Found {
        std::vector<std::uint64_t> corrected;  // addresses of words; they hold the decoder's result now
        std::uint64_t uncorrected = 0;
    };
    // Reads the words of [address, address + length).
    Found read(std::uint64_t address, std::uint64_t length, BackingStore& store);
    // Writes these words: partly written words are read before; a word that cannot be corrected then stays
    // wrong.
    Found write(std::uint64_t address, std::uint64_t length, BackingStore& store);

    std::size_t words() const { return words_.size(); }  // words with wrong bits

  private:
    void decode_word(std::uint64_t address, BackingStore& store, Found& found);

    std::unordered_map<std::uint64_t, CodeWord> words_;  // by address
};

}  // namespace trnsim::tlm::hbm
