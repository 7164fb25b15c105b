// The wrapper's side of one AXI subordinate port: it turns reads and writes of any length and alignment into
// INCR bursts.
//
// Bursts are cut at 4 KiB borders, as AXI requires, and at the longest burst; the first and last beat carry
// strobes. Address, data and response channels run independently, so bursts follow each other without a gap
// if the core lets them.
#pragma once

#include <deque>
#include <functional>

#include "model/core/core_model.hpp"
#include "model/perturb/perturb.hpp"
#include "model/protocol/types.hpp"

namespace trnsim::tlm {

class AxiPort {
  public:
    // Called within tick() when a transaction has ended; its response status is set.
    using OnDone = std::function<void(Payload&)>;

    AxiPort(std::uint32_t beat_bytes, OnDone on_done, const perturb::Agent& agent = {});

    // Takes a read or write of the core window that arrives at `at`; it goes out at the first bus tick after
    // that time.
    void push(Payload& payload, Time at);

    // Drives `in` for the bus tick at `time` and takes what the handshakes of that tick move. `out` is the
    // core's output before the tick. Throws std::runtime_error if the core breaks AXI.
    void tick(AxiSubordinateIn& in, const AxiSubordinateOut& out, Time time);

    bool empty() const { return writes_.empty() && reads_.empty(); }
    // Returns when the next transaction arrives or did arrive; the largest time: there is none.
    Time next_arrival() const;
    std::uint64_t backlog(bool write) const { return write ? write_bytes_ : read_bytes_; }  // bytes

  private:
    struct Burst {
        Payload* payload;
        Time at;
        std::uint32_t address;  // address of the first beat
        std::uint32_t beats;
        std::uint32_t begin, end;  // bytes of the payload
        bool last;                 // last burst of its payload
    };

    void split(std::deque<Burst>& queue, Payload& payload, Time at);
    void tick_write(AxiSubordinateIn& in, const AxiSubordinateOut& out, Time time);
    void tick_read(AxiSubordinateIn& in, const AxiSubordinateOut& out, Time time);
    void set_beat(AxiSubordinateIn& in, const Burst& burst, std::uint32_t beat) const;
    void take_beat(const AxiSubordinateOut& out, const Burst& burst, std::uint32_t beat) const;
    void finish(const Burst& burst, bool& failed);

    std::uint32_t beat_bytes_;
    OnDone on_done_;
    std::deque<Burst> writes_, reads_;
    std::size_t aw_ = 0, w_ = 0;  // bursts at the front of writes_ with address, with data taken
    std::uint32_t w_beat_ = 0;
    std::size_t ar_ = 0;
    std::uint32_t r_beat_ = 0;
    bool write_failed_ = false, read_failed_ = false;  // a burst of the payload at the front had an error
    std::uint64_t write_bytes_ = 0, read_bytes_ = 0;
    perturb::HeldValid aw_valid_, w_valid_, ar_valid_;
    perturb::Stall b_ready_, r_ready_;
};

}  // namespace trnsim::tlm
