// The edge of the bus clock.
#include <algorithm>
#include <bit>

#include "model/core/fast/control.hpp"
#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {

bool Control::edge(const CoreIn& pins, const Engines& engines) {
    const Cycle cycle = decide(engines);
    if (!active(pins, engines, cycle)) return false;
    const Instructions bus = bus_instructions();
    const OwnAccess::Instructions window = window_instructions();
    system_fault_ = {};
    notification_access_.reset();

    // The sequencers' requests to others are those from before the edge.
    const std::uint32_t nans = new_nans();
    const NotificationQueue::Events happens = events(cycle, nans);
    const std::optional<CoreFault> overflow = notifications_.overflow(happens);
    loader_.edge(engines.tables, pins.table, functional_);
    const std::uint32_t writes = write_grants(engines);
    const bool own_taken = ports_.back().w_ready(bit(writes, static_cast<unsigned>(ports_.size() - 1)));
    const AxiSubordinateIn own_pins = own_.pins(beat_bytes_);
    own_.edge(window, ports_.back(), own_taken);
    registers_.end_pulses();
    const std::uint32_t starts = edge_system(cycle, engines);
    edge_window(pins, own_pins, writes, cycle, engines);
    semaphores_.edge(cycle.requests, cycle.served);
    edge_writes(bus, pins, happens);
    edge_faults(cycle, nans, overflow);
    edge_sequencers(pins, cycle, starts);

    hold_ = pins.hold;
    return true;
}

// Makes the edge of the sequencers and their prefetch buffers.
void Control::edge_sequencers(const CoreIn& pins, const Cycle& cycle, std::uint32_t starts) {
    const AxiManagerIn& manager = pins.manager;
    const Fetch fetch = decide_fetch(manager);
    FetchedInstruction beat;
    if (manager.r_valid) {
        std::memcpy(beat.bytes.data(), manager.r_data.data(), beat.bytes.size());
        beat.failed = manager.r_resp != 0;
    }
    if (fetch.granted != 0) {
        const auto e = static_cast<unsigned>(std::countr_zero(fetch.granted));
        fetch_arbiter_.advance(fetch.granted);
        ar_valid_ = true;
        ar_id_ = static_cast<std::uint8_t>(e);
        ar_length_ = static_cast<std::uint8_t>(fetch.burst[e].beats - 1);
        ar_place_ = fetch.burst[e].place;
    } else if (manager.ar_ready) {
        ar_valid_ = false;
    }
    issued_ = completed_ = 0;
    for (unsigned e = 0; e < EngineCount; ++e) {
        const Sequencer::Step& step = cycle.step[e];
        Sequencer::In in = cycle.in[e];
        in.start = bit(starts, e);
        Sequencer::Step with_start = step;
        if (in.start) with_start = sequencers_[e].decide(in);
        issued_ |= std::uint32_t{step.issued} << e;
        completed_ |= std::uint32_t{step.completed} << e;
        if (step.issued) issue_pc_[e] = sequencers_[e].head().pc;
        const bool has_beat = manager.r_valid && manager.r_id == e;
        const FetchedInstruction& popped = buffers_[e].edge(
            {in.start, step.flush, step.redirect, registers_.program(e).base,
             step.redirect ? sequencers_[e].target() : 0, bit(fetch.granted, e) ? fetch.burst[e].beats : 0,
             has_beat ? &beat : nullptr, step.pop});
        sequencers_[e].edge(in, with_start, step.pop ? &popped : nullptr, functional_);
    }
}

// Returns the engines that have their first NaN registered in this cycle. A fault of the memories has
// priority.
std::uint32_t Control::new_nans() const {
    const bool memory_fault = memory_fault_.code != isa::Error::None && !registers_.stopped();
    return memory_fault ? 0 : nan_ & ~nan_known_;
}

// Returns the events for the notification queue; of several new NaNs, that of the lowest engine.
NotificationQueue::Events Control::events(const Cycle& cycle, std::uint32_t new_nans) const {
    NotificationQueue::Events events;
    if (notifications_.is_off()) return events;
    for (unsigned e = 0; e < EngineCount; ++e) {
        if (cycle.step[e].issued) events.begin[e] = sequencers_[e].head();
        if (cycle.step[e].completed) events.end[e] = sequencers_[e].oldest();
    }
    if (fault_new_) events.fault = registers_.fault();
    if (new_nans != 0) {
        const auto e = static_cast<unsigned>(std::countr_zero(new_nans));
        events.nan = CoreFault{isa::Error::None, static_cast<std::uint8_t>(e), nan_origin_[e], 0};
    }
    return events;
}

// Makes the writes on the manager port: those of instructions and the records of events.
void Control::edge_writes(const Instructions& bus, const CoreIn& pins,
                          const NotificationQueue::Events& events) {
    const AxiManagerIn& manager = pins.manager;
    const std::uint32_t taken = write_port_.takes(writers(), manager);
    const bool queue = taken == WritePort::Queue, of_queue = manager.b_id == NotificationId;
    write_port_.edge(taken, queue ? notifications_.write() : bus_writer_.write(), manager);
    const bool response = manager.b_valid, error = response && manager.b_resp != 0;
    bus_writer_.edge(bus, taken == WritePort::Sequencers, response && !of_queue, error && !of_queue);
    notifications_.edge(
        events, {pins.timestamp, queue, response && of_queue, error && of_queue, notification_access_});
}

// Registers the first fault, which stops the core. Priority: lowest engine, core window, memories,
// notification queue.
void Control::edge_faults(const Cycle& cycle, std::uint32_t new_nans,
                          const std::optional<CoreFault>& overflow) {
    fault_new_ = false;
    for (; new_nans != 0; new_nans &= new_nans - 1) {
        const auto e = static_cast<unsigned>(std::countr_zero(new_nans));
        registers_.set_nan(e, nan_origin_[e]);
        nan_known_ |= 1U << e;
    }
    if (registers_.stopped()) return;
    CoreFault fault = memory_fault_.code != isa::Error::None ? memory_fault_ : overflow.value_or(CoreFault{});
    if (system_fault_.code != isa::Error::None) fault = system_fault_;
    for (unsigned e = EngineCount; e > 0; --e)
        if (cycle.step[e - 1].fault.code != isa::Error::None) fault = cycle.step[e - 1].fault;
    if (fault.code == isa::Error::None) return;
    registers_.set_fault(fault);
    fault_new_ = true;
}

// Makes an access to events, semaphores or registers. Returns the engines that it starts.
std::uint32_t Control::edge_system(const Cycle& cycle, const Engines& engines) {
    if (!cycle.system_taken) return 0;
    system_turn_ = (cycle.system.port + 1) % static_cast<unsigned>(ports_.size());
    const SystemAccess& access = cycle.system.access;
    const std::uint32_t index = access.address / WordBytes % ControlWords;
    const bool aligned = access.address % WordBytes == 0;
    const auto within = [&](std::uint32_t base, std::uint32_t bytes) {
        return aligned && access.address >= base && access.address < base + bytes;
    };
    answer_ = {0, true};
    std::uint32_t starts = 0;
    isa::Error error = isa::Error::None;
    if (within(isa::window::EventBase, ControlWords * WordBytes)) {
        answer_ = {events_[index], false};
        if (access.write && (access.data != 0) == (events_[index] != 0))
            error = access.data != 0 ? isa::Error::EventSetTwice : isa::Error::EventClearTwice;
        else if (access.write)
            events_[index] = access.data;
        answer_.failed = error != isa::Error::None;
    } else if (within(isa::window::SemRead,
                      isa::window::SemDec - isa::window::SemRead + ControlWords * WordBytes)) {
        answer_ = {semaphores_.value(static_cast<std::uint8_t>(index)),
                   access.write && access.address < isa::window::SemSet};
        if (access.write && cycle.served.overflow) error = isa::Error::SemaphoreOverflow;
    } else if (constexpr std::uint32_t Space = 0x1000; within(isa::window::CsrBase, Space)) {
        const std::uint32_t offset = access.address - isa::window::CsrBase;
        const Registers::Access found = registers_.access(access.write, offset, access.data, view(engines));
        answer_ = {found.data, found.failed};
        starts = found.starts;
        if (access.write) registers_.write(offset, access.data, found, functional_);
        if (access.write && !found.failed && notifications_.read(access.address, access.data))
            notification_access_ = {access.address, access.data};
    }
    if (error != isa::Error::None) {
        const bool own = cycle.system.port + 1 == ports_.size();
        system_fault_ = {error,
                         EngineSystem,
                         {cycle.system.port, 0},
                         error == isa::Error::SemaphoreOverflow ? isa::window::SemRead + index * WordBytes
                                                                : access.address};
        if (own) {
            const unsigned owner = own_.owner();
            system_fault_.engine = static_cast<std::uint8_t>(owner);
            system_fault_.origin = {sequencers_[owner].head().pc,
                                    static_cast<std::uint8_t>(isa::Opcode::RegisterStore)};
        }
    }
    return starts;
}

// Handles beats of SBUF and PSUM, then the ports.
void Control::edge_window(const CoreIn& pins, const AxiSubordinateIn& own_pins, std::uint32_t writes,
                          const Cycle& cycle, const Engines& engines) {
    const auto count = static_cast<unsigned>(ports_.size());
    std::array<std::uint32_t, MaxAxiPorts + 1> write_slices{}, read_slices{};
    std::uint32_t tcm_wanted = 0;
    for (unsigned p = 0; p < count; ++p) {
        const bool r_ready = p + 1 == count ? own_pins.r_ready : pins.port[p].r_ready;
        write_slices[p] = slice_of(ports_[p].write_request());
        read_slices[p] = slice_of(ports_[p].read_request(r_ready));
        tcm_wanted |= std::uint32_t{is_tcm(ports_[p].write_request())} << p |
                      std::uint32_t{is_tcm(ports_[p].read_request(r_ready))} << (count + p);
    }
    const std::span all_writes = std::span(write_slices).first(count),
                    all_reads = std::span(read_slices).first(count);
    const bool hold_reads = (hold_.port & 4) != 0, hold_writes = (hold_.port & 8) != 0;
    const std::uint32_t tcm_reads = gpsimd_window_.grants(engines.tcm_done) >> count;
    const std::uint32_t reads = read_arbiter_.grants(all_reads, hold_reads) | tcm_reads;
    for (unsigned p = 0; p < count; ++p) {
        if (bit(tcm_reads, p)) {
            ports_[p].read_data() = *engines.tcm_data;
        } else if (bit(reads, p)) {
            const bool r_ready = p + 1 == count || pins.port[p].r_ready;
            read_beat(ports_[p], *ports_[p].read_request(r_ready));
        }
        if (bit(writes, p) && !is_tcm(ports_[p].write_request()))
            write_beat(ports_[p], *ports_[p].write_request());
        std::uint32_t& waits =
            p + 1 == count ? engines.memories->sequencer_waits : engines.memories->bus_waits;
        waits += (write_slices[p] != SliceArbiter::None && !bit(writes, p) ? 1U : 0U) +
                 (read_slices[p] != SliceArbiter::None && !bit(reads, p) ? 1U : 0U);
    }
    read_arbiter_.edge(all_reads, reads, hold_reads);
    write_arbiter_.edge(all_writes, writes, hold_writes);
    edge_tcm(tcm_wanted, engines);
    const SystemAnswer answer = last_answer_;
    for (unsigned p = 0; p < count; ++p) {
        const bool system = cycle.system_taken && cycle.system.port == p;
        ports_[p].edge(p + 1 == count ? own_pins : pins.port[p], {bit(writes, p), bit(reads, p), system},
                       answer);
    }
    last_answer_ = answer_;
}

// Takes a beat for the memory of a GpSimd core: ports of writes come before those of reads.
void Control::edge_tcm(std::uint32_t wanted, const Engines& engines) {
    const std::uint32_t taken = gpsimd_window_.edge(wanted, engines.tcm_done, (hold_.arbiter & 1) != 0);
    if (taken == 0) return;
    const auto chosen = static_cast<std::size_t>(std::countr_zero(taken));
    const bool write = chosen < ports_.size();
    const WindowPort& port = ports_[chosen % ports_.size()];
    gpsimd_window_.take(write, write ? *port.write_request() : *port.read_request(true), port.beat());
}

void Control::read_beat(WindowPort& port, std::uint32_t address) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(port.read_data().data());
    functional_.read(address, std::span(bytes, beat_bytes_));
}

// Writes runs of neighbouring bytes that have their strobes set.
void Control::write_beat(const WindowPort& port, std::uint32_t address) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(port.beat().data.data());
    constexpr std::uint32_t StrobeBits = 32;
    const auto strobe = [&](std::uint32_t byte) {
        return bit(port.beat().strobe[byte / StrobeBits], byte % StrobeBits);
    };
    for (std::uint32_t first = 0; first < beat_bytes_;) {
        if (!strobe(first)) {
            ++first;
            continue;
        }
        std::uint32_t last = first;
        while (last < beat_bytes_ && strobe(last)) ++last;
        functional_.write(address + first, std::span(bytes + first, last - first));
        first = last;
    }
}

}  // namespace trnsim::tlm::core_fast
