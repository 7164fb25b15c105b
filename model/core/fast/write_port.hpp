// The write channels of the manager port, one beat in a write: the sequencers' writes and the records of the
// notification queue take turns (rtl/control/write_port.sv).
#pragma once

#include <array>
#include <cstdint>

#include "model/core/core_model.hpp"
#include "model/core/fast/round_robin.hpp"

namespace trnsim::tlm::core_fast {

inline constexpr std::uint8_t NotificationId = 5;

struct BusWrite {
    std::uint8_t id = 0;    // engine, or NotificationId
    std::uint8_t size = 0;  // encoded like AxSIZE
    std::uint64_t address = 0;
    std::array<std::uint32_t, ManagerWords> data{};
};

class WritePort {
  public:
    // Bits of the requesters.
    static constexpr std::uint32_t Sequencers = 1, Queue = 2;

    // Returns the requester that has its write taken in this cycle; 0: none.
    std::uint32_t takes(std::uint32_t asking, const AxiManagerIn& in) const {
        const bool free = (!aw_valid_ || in.aw_ready) && (!w_valid_ || in.w_ready);
        return free ? arbiter_.grant(asking) : 0;
    }
    bool active(std::uint32_t asking, const AxiManagerIn& in) const {
        return takes(asking, in) != 0 || (aw_valid_ && in.aw_ready) || (w_valid_ && in.w_ready);
    }
    void drive(AxiManagerOut& out) const {
        out.aw_valid = aw_valid_;
        out.aw_id = write_.id;
        out.aw_size = write_.size;
        out.aw_addr = write_.address;
        out.w_valid = w_valid_;
        out.w_data = write_.data;
    }
    // `write` is the write of `taken`.
    void edge(std::uint32_t taken, const BusWrite& write, const AxiManagerIn& in) {
        if (taken != 0) {
            arbiter_.advance(taken);
            aw_valid_ = w_valid_ = true;
            write_ = write;
            return;
        }
        if (in.aw_ready) aw_valid_ = false;
        if (in.w_ready) w_valid_ = false;
    }

  private:
    RoundRobin arbiter_;
    bool aw_valid_ = false, w_valid_ = false;
    BusWrite write_;
};

}  // namespace trnsim::tlm::core_fast
