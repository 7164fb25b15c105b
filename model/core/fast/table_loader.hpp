// Loads activation tables from system memory: bursts of beats up to the end of their 4 KiB, a beat in a bus
// cycle (rtl/scalar/table_loader.sv).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/core/core_model.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/functional.hpp"
#include "model/core/fast/scalar_engine.hpp"

namespace trnsim::tlm::core_fast {

class TableLoader {
  public:
    bool busy() const { return state_ != State::Idle; }
    TableAnswer answer() const { return {state_ == State::Done, failed_}; }

    void drive(AxiTableOut& out) const {
        out.ar_valid = ar_valid_;
        out.r_ready = true;
        out.ar_len = ar_length_;
        out.ar_addr = ar_address_;
    }

    bool active(const TableLoad& load, const AxiTableIn& in) const {
        return (state_ == State::Idle && load.requested) || asks(in) || (ar_valid_ && in.ar_ready) ||
               in.r_valid || wrote_ || (state_ == State::Load && await_ == 0) ||
               (state_ == State::Done && !load.requested);
    }

    void edge(const TableLoad& load, const AxiTableIn& in, Functional& functional) {
        const bool ask = asks(in);
        wrote_ = false;
        bool asked = false;
        switch (state_) {
            case State::Idle:
                failed_ = false;
                ask_ = await_ = load.beats;
                next_ = load.address;
                if (load.requested) state_ = State::Load;
                break;
            case State::Load: {
                if (await_ == 0) state_ = State::Done;
                if (ask) {
                    const std::uint32_t left =
                        burst_beats() - static_cast<std::uint32_t>(next_ / BeatBytes % burst_beats());
                    const std::uint32_t beats = std::min(ask_, left);
                    ask_ -= beats;
                    ar_length_ = static_cast<std::uint8_t>(beats - 1);
                    ar_address_ = next_;
                    next_ += std::uint64_t{beats} * BeatBytes;
                    asked = true;
                }
                if (in.r_valid) {
                    --await_;
                    const auto* bytes = reinterpret_cast<const std::uint8_t*>(in.r_data.data());
                    wrote_ = in.r_resp == 0 && functional.load_table_beat(std::span(bytes, BeatBytes));
                    failed_ = failed_ || !wrote_;
                }
                break;
            }
            case State::Done:
                if (!load.requested) state_ = State::Idle;
                break;
        }
        ar_valid_ = asked || (ar_valid_ && !in.ar_ready);
    }

  private:
    static constexpr std::uint32_t BeatBytes = figure(Figure::TableBeatBytes);
    enum class State : std::uint8_t { Idle, Load, Done };

    static constexpr std::uint32_t burst_beats() { return figure(Figure::TableBurstBytes) / BeatBytes; }
    bool asks(const AxiTableIn& in) const {
        return state_ == State::Load && ask_ != 0 && (!ar_valid_ || in.ar_ready);
    }

    State state_ = State::Idle;
    std::uint32_t ask_ = 0, await_ = 0;  // beats not yet requested; beats not yet received
    std::uint64_t next_ = 0;
    bool failed_ = false, wrote_ = false;
    bool ar_valid_ = false;
    std::uint8_t ar_length_ = 0;
    std::uint64_t ar_address_ = 0;
};

}  // namespace trnsim::tlm::core_fast
