// The instruction fetch of a GpSimd core: the lines of the TCM in its buffer and under way
// (rtl/gpsimd/gpsimd_fetch.sv). It has only addresses; the simulator has the instructions.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>

#include "firmware/include/trnsim/memory_map.h"
#include "model/core/fast/decoded.hpp"

namespace trnsim::tlm::core_fast {

class GpsimdFetch {
  public:
    bool valid() const { return valid_; }
    std::uint32_t pc() const { return out_pc_; }
    // Returns where the bits of the instruction are. At an address without memory they are those of the last
    // line in its place.
    std::uint32_t bits() const { return bits_; }

    // Returns whether it asks for a line.
    bool requests(bool flush) const {
        if (filling_ || stopped_ || flush || fault()) return false;
        return !has(here()) || !has(next());
    }

    struct In {
        bool redirect = false, flush = false;
        std::uint32_t target = 0;
        bool taken = false;    // the instruction is taken
        bool granted = false;  // the requested line is granted
        bool arrives = false;  // the line under way arrives
    };
    void edge(const In& in) {
        const std::uint32_t line = has(here()) ? next() : here();
        const bool hit = !fault() && has(here());
        if (in.redirect) {
            pc_ = in.target;
            valid_ = stopped_ = false;
        } else if (!valid_ || in.taken) {
            valid_ = (hit || fault()) && !stopped_;
            if (valid_) {
                stopped_ = fault();
                out_pc_ = pc_;
                bits_ = TRNSIM_TCM_BASE + tag_[here() % Lines] * LineBytes + pc_ % LineBytes;
                pc_ += 4;
            }
        }
        if (in.arrives) {
            filling_ = false;
            if (!drop_ && !in.flush) {
                tag_[fill_ % Lines] = fill_;
                present_.set(fill_ % Lines);
            }
            drop_ = false;
        }
        if (in.flush) {
            present_.reset();
            drop_ = filling_;
        }
        if (in.granted) {
            filling_ = true;
            fill_ = line;
        }
    }

  private:
    static constexpr std::uint32_t Lines = figure(Figure::GpsimdLines), LineBytes = 64,
                                   TcmLines = TRNSIM_TCM_BYTES / LineBytes;

    bool fault() const { return pc_ - TRNSIM_TCM_BASE >= TRNSIM_TCM_BYTES; }
    std::uint32_t here() const { return pc_ / LineBytes % TcmLines; }
    std::uint32_t next() const { return (here() + 1) % TcmLines; }
    bool has(std::uint32_t line) const { return present_[line % Lines] && tag_[line % Lines] == line; }

    std::uint32_t pc_ = TRNSIM_TCM_BASE, out_pc_ = 0, bits_ = TRNSIM_TCM_BASE;
    bool stopped_ = true;  // until the first redirection, and where memory is absent
    bool valid_ = false;
    std::array<std::uint32_t, Lines> tag_{};
    std::bitset<Lines> present_;
    bool filling_ = false, drop_ = false;  // drop_: the line under way is outdated
    std::uint32_t fill_ = 0;
};

}  // namespace trnsim::tlm::core_fast
