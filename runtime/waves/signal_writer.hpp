// Writes scopes of signals and their changes into a waveform while it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class SignalWriter {
  public:
    // `writer` is that of the FST library. Changes before `first` (ps) give the initial values of the
    // signals. The scopes must outlive the writer.
    SignalWriter(void* writer, std::span<const Scope> scopes, std::uint64_t first);

    // Adds all scopes at the currently open level.
    void add_hierarchy();
    // Adds changes up to a time, ps.
    void add_until(std::uint64_t time);
    // Sets the time of the next writes; it must not be before the last one.
    void go_to(std::uint64_t time);
    // Returns the time of the last change; 0 without any.
    std::uint64_t last() const;

  private:
    struct Part {
        const Scope* scope;
        std::size_t first;     // number of its first signal, counted through all scopes
        std::size_t next = 0;  // index of its next change
    };
    void add_first();
    void write(std::size_t signal, const Change& change);

    void* writer_;
    std::uint64_t first_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> handles_;
    std::vector<unsigned> bits_;
    bool begun_ = false;
    std::uint64_t now_ = 0;
};

}  // namespace trnsim::waves
