// Writes scopes of signals and their changes into a waveform that is being made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class SignalWriter {
  public:
    // `writer`: of the FST library. Changes before `first` (ps) make up what signals are then. The scopes must outlive
    // the writer.
    SignalWriter(void* writer, std::span<const Scope> scopes, std::uint64_t first);

    // Of all scopes, at the level that is open.
    void add_hierarchy();
    // Changes up to a time, ps.
    void add_until(std::uint64_t time);
    // Whatever is written next happens then; not before what has been written.
    void go_to(std::uint64_t time);
    // Time of the last change; 0 without any.
    std::uint64_t last() const;

  private:
    struct Part {
        const Scope* scope;
        std::size_t first;     // of its signals, which count through the scopes
        std::size_t next = 0;  // of its changes
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
