// Executes register_load and register_store: accesses of one word to the core's own window, one instruction
// at a time, engines in turn (rtl/control/window_port.sv). They use the window port that only the sequencers
// have.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "model/core/fast/control_types.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/round_robin.hpp"
#include "model/core/fast/window_port.hpp"

namespace trnsim::tlm::core_fast {

class OwnAccess {
  public:
    // A load or store, executed until done, with the word to store; null: none.
    struct Asking {
        const InstructionBytes* instruction = nullptr;
        std::uint32_t data = 0;
    };
    using Instructions = std::array<Asking, EngineCount>;

    unsigned owner() const { return owner_; }
    bool busy() const { return busy_; }
    bool answered(const WindowPort& port) const { return port.b_valid() || port.r_valid(); }
    bool done(unsigned engine, const WindowPort& port) const {
        return busy_ && owner_ == engine && answered(port);
    }
    std::uint32_t data(const WindowPort& port) const { return port.read_word(address_); }
    bool failed(const WindowPort& port) const {
        return port.b_valid() ? port.write_failed() : port.read_failed();
    }
    bool active(const Instructions& asking) const { return busy_ || requests(asking) != 0; }

    // Returns what it puts on the port's channels in this cycle.
    AxiSubordinateIn pins(std::uint32_t beat_bytes) const {
        constexpr std::uint32_t StrobeBits = 32;
        AxiSubordinateIn in{};
        in.aw_valid = aw_valid_;
        in.w_valid = w_valid_;
        in.ar_valid = ar_valid_;
        in.aw_addr = in.ar_addr = address_;
        in.w_last = in.b_ready = in.r_ready = true;
        if (!w_valid_) return in;
        in.w_data.fill(data_);
        const std::uint32_t bit = address_ % beat_bytes;
        in.w_strobe[bit / StrobeBits] = 0xfU << bit % StrobeBits;
        return in;
    }

    // `w_taken`: the port takes the data in this cycle. Called before the port's own edge.
    void edge(const Instructions& asking, const WindowPort& port, bool w_taken) {
        const std::uint32_t asks = busy_ ? 0 : requests(asking);
        if (asks != 0) {
            const std::uint32_t granted = arbiter_.grant(asks);
            arbiter_.advance(granted);
            owner_ = static_cast<unsigned>(std::countr_zero(granted));
            const InstructionBytes& bytes = *asking[owner_].instruction;
            const bool store = opcode_of(bytes) == isa::Opcode::RegisterStore;
            address_ = get32(bytes, isa::field::Address) % isa::window::Size;
            data_ = asking[owner_].data;
            aw_valid_ = w_valid_ = store;
            ar_valid_ = !store;
            busy_ = true;
            return;
        }
        if (answered(port)) busy_ = false;
        if (port.aw_ready()) aw_valid_ = false;
        if (w_taken) w_valid_ = false;
        if (port.ar_ready()) ar_valid_ = false;
    }

  private:
    static std::uint32_t requests(const Instructions& asking) {
        std::uint32_t bits = 0;
        for (unsigned e = 0; e < EngineCount; ++e)
            bits |= std::uint32_t{asking[e].instruction != nullptr} << e;
        return bits;
    }

    bool busy_ = false;
    unsigned owner_ = 0;
    std::uint32_t address_ = 0, data_ = 0;
    bool aw_valid_ = false, w_valid_ = false, ar_valid_ = false;
    RoundRobin arbiter_;
};

}  // namespace trnsim::tlm::core_fast
