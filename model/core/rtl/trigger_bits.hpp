// The triggers of a verilated model as bits of words, with the interface of Verilator's VlTriggerVec, which
// is an array of bytes that is read one by one: see clock_edges.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

template <std::size_t Count>
class TriggerBits {
  public:
    // One trigger.
    class Bit {
      public:
        Bit(std::uint64_t& word, unsigned place) : word_(word), place_(place) {}
        operator bool() const { return (word_ >> place_ & 1u) != 0; }
        Bit& operator=(bool value) {
            word_ = (word_ & ~(std::uint64_t{1} << place_)) | std::uint64_t{value} << place_;
            return *this;
        }

      private:
        std::uint64_t& word_;
        unsigned place_;
    };

    Bit at(std::size_t index) { return {words_[index / 64], static_cast<unsigned>(index % 64)}; }
    // Returns whether one of the triggers in the mask is up; a word has 64 triggers.
    bool of(std::size_t word, std::uint64_t mask) const { return (words_[word] & mask) != 0; }
    void put(std::size_t word, std::uint64_t bits) { words_[word] = bits; }
    void clear() { words_.fill(0); }
    bool any() const {
        std::uint64_t all = 0;
        for (const std::uint64_t word : words_) all |= word;
        return all != 0;
    }
    void set(const TriggerBits& other) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    }
    void andNot(const TriggerBits& a, const TriggerBits& b) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = a.words_[i] & ~b.words_[i];
    }

  private:
    std::array<std::uint64_t, (Count + 63) / 64> words_{};
};
