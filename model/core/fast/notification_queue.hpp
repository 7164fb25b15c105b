// The notification queue (rtl/control/notifications.sv, docs/notifications.md): events wait in FIFOs, which
// write to a circular buffer in memory in turn. Nothing waits for the queue: without room an event is dropped
// and counted.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "model/core/fast/control_types.hpp"
#include "model/core/fast/round_robin.hpp"
#include "model/core/fast/write_port.hpp"

namespace trnsim::tlm::core_fast {

class NotificationQueue {
  public:
    // The events of a cycle.
    struct Events {
        std::array<std::optional<Origin>, EngineCount> begin, end;  // an instruction begins, ends
        std::optional<CoreFault> fault;                             // the first one
        std::optional<CoreFault> nan;  // the first one of an engine; its code is none
    };
    // A write of a word to an address of the register space.
    struct Write {
        std::uint32_t address, data;
    };
    struct Read {
        std::uint32_t data;
        bool refuses;  // refuses a write
    };

    // Returns nothing if the address is no register of the queue.
    std::optional<Read> read(std::uint32_t address, std::uint32_t data) const;

    bool is_off() const { return kinds_ == 0; }
    // Returns the fault if one of these events is dropped and the core must stop.
    std::optional<CoreFault> overflow(const Events& events) const;
    bool asks() const;       // asks for the write of a record
    BusWrite write() const;  // valid while it asks

    struct In {
        std::uint64_t timestamp = 0;
        bool taken = false, response = false, error = false;  // write taken; a response to one, an error
        std::optional<Write> access;                          // one that is not refused
    };
    void edge(const Events& events, const In& in);

  private:
    static constexpr unsigned Sources = EngineCount + 1;  // the last one: the core
    struct Event {
        isa::Notification kind{};
        CoreFault what;
        bool lost = false;  // events before this one were dropped
        std::uint64_t at = 0;
    };
    struct Fifo {
        std::deque<Event> events;
        bool lost = false;
    };
    // Up to two events of each source, the older one first.
    using Pushes = std::array<std::array<std::optional<Event>, 2>, Sources>;

    bool is_still() const { return is_off() && waiting() == 0 && outstanding_ == 0; }
    std::uint32_t waiting() const;  // one bit for each source
    Pushes pushes(const Events& events) const;
    // Returns which of the two events of a source find room.
    std::array<bool, 2> taken(unsigned source, const Pushes& pushes) const;
    void push(const Pushes& pushes, std::uint64_t timestamp);
    void set(const Write& write);

    std::uint32_t engines_ = 0, kinds_ = 0;
    bool stops_ = false;
    std::uint64_t base_ = 0;  // in bytes
    std::uint32_t size_ = 0, written_ = 0, read_ = 0, dropped_ = 0, outstanding_ = 0;
    bool overflow_ = false, failed_ = false;
    std::array<Fifo, Sources> fifos_;
    RoundRobin arbiter_;
};

}  // namespace trnsim::tlm::core_fast
