#include "model/core/fast/control.hpp"

#include <algorithm>
#include <span>

#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {
namespace {

constexpr std::uint32_t InstructionSize = isa::InstructionBytes;
constexpr std::uint32_t SemaphoreBytes = ControlWords * WordBytes;

bool is_semaphore(std::uint32_t address) {
    return address % WordBytes == 0 && address >= isa::window::SemRead &&
           address < isa::window::SemDec + SemaphoreBytes;
}

}  // namespace

Control::Control(const config::Core& core, Functional& functional)
    : functional_(functional), map_(core), beat_bytes_(static_cast<std::uint32_t>(core.bus.data_bits / 8)) {
    buffers_.reserve(EngineCount);
    sequencers_.reserve(EngineCount);
    for (unsigned e = 0; e < EngineCount; ++e) {
        buffers_.emplace_back(core.fetch);
        sequencers_.emplace_back(static_cast<isa::Engine>(e), core.semaphore_latency,
                                 gpsimd_cores(core.partitions));
    }
    ports_.reserve(core.bus.ports + 1);
    for (std::uint64_t p = 0; p <= core.bus.ports; ++p) ports_.emplace_back(map_, beat_bytes_);
}

Control::Fetch Control::decide_fetch(const AxiManagerIn& in) const {
    Fetch fetch;
    std::uint32_t asking = 0;
    for (unsigned e = 0; e < EngineCount; ++e) {
        fetch.burst[e] = buffers_[e].burst();
        asking |= std::uint32_t{fetch.burst[e].beats != 0} << e;
    }
    if (asking != 0 && (!ar_valid_ || in.ar_ready)) fetch.granted = fetch_arbiter_.grant(asking);
    return fetch;
}

Control::Instructions Control::bus_instructions() const {
    Instructions result{};
    for (unsigned e = 0; e < EngineCount; ++e)
        if (sequencers_[e].asks_bus()) result[e] = &sequencers_[e].offered();
    return result;
}

std::uint32_t Control::writers() const {
    return (bus_writer_.asks() ? WritePort::Sequencers : 0) | (notifications_.asks() ? WritePort::Queue : 0);
}

OwnAccess::Instructions Control::window_instructions() const {
    OwnAccess::Instructions result;
    for (unsigned e = 0; e < EngineCount; ++e)
        if (sequencers_[e].asks_window())
            result[e] = {&sequencers_[e].offered(), sequencers_[e].store_data()};
    return result;
}

// Serves one port at a time, in rotation (rtl/bus/system_arbiter.sv).
Control::System Control::system_access() const {
    if ((hold_.arbiter & 1) != 0) return {};
    const auto count = static_cast<unsigned>(ports_.size());
    for (unsigned i = 0; i < count; ++i) {
        const unsigned port = system_turn_ + i < count ? system_turn_ + i : system_turn_ + i - count;
        if (const auto access = ports_[port].system_request()) return {true, port, *access};
    }
    return {};
}

// The four semaphore aliases are in this order: read, set, add, subtract.
SemaphoreUpdate Control::update_of(const System& system) const {
    const std::uint32_t address = system.access.address;
    if (!system.valid || !system.access.write || !is_semaphore(address)) return {};
    const auto mode = static_cast<isa::UpdateMode>((address - isa::window::SemRead) / SemaphoreBytes);
    return {mode, static_cast<std::uint8_t>(address / WordBytes), system.access.data};
}

Control::Cycle Control::decide(const Engines& engines) const {
    Cycle cycle;
    for (unsigned e = 0; e < EngineCount; ++e) cycle.requests[e] = sequencers_[e].update(bit(hold_.done, e));
    cycle.system = system_access();
    cycle.requests[EngineCount] = update_of(cycle.system);
    cycle.served = semaphores_.serve(cycle.requests, (hold_.arbiter & 2) != 0);
    cycle.system_taken = cycle.system.valid && (cycle.requests[EngineCount].mode == isa::UpdateMode::None ||
                                                cycle.served.is(EngineCount));
    const WindowPort& own = ports_.back();
    for (unsigned e = 0; e < EngineCount; ++e) {
        Sequencer::In& in = cycle.in[e];
        in.stop = registers_.stopped();
        in.hold_issue = bit(hold_.issue, e);
        in.hold_done = bit(hold_.done, e);
        in.available = buffers_[e].available();
        in.taken = engines.taken[e];
        in.engine_done = engines.done[e];
        if (engines.tables_failed && e == static_cast<unsigned>(isa::Engine::Scalar))
            in.engine_fault = isa::Error::ActivationTable;
        if (e == static_cast<unsigned>(isa::Engine::Gpsimd)) {
            in.engine_fault = engines.gpsimd_fault.code;
            in.engine_fault_address = engines.gpsimd_fault.address;
        }
        in.wait_value = semaphores_.value(sequencers_[e].wait_semaphore());
        in.updated = cycle.served.is(e);
        in.overflow = cycle.served.overflow;
        in.bus_done = bus_writer_.done(e);
        in.bus_error = bus_writer_.failed();
        in.window_done = own_.done(e, own);
        if (in.window_done) {
            in.window_error = own_.failed(own);
            in.load_data = own_.data(own);
        }
        in.program = registers_.program(e);
        cycle.step[e] = sequencers_[e].decide(in);
    }
    return cycle;
}

Registers::View Control::view(const Engines& engines) const {
    Registers::View view;
    view.quiet = true;
    for (unsigned e = 0; e < EngineCount; ++e) {
        Sequencer::In in;
        in.wait_value = semaphores_.value(sequencers_[e].wait_semaphore());
        in.taken = engines.taken[e];
        view.state[e] = sequencers_[e].state(in);
        view.pc[e] = sequencers_[e].head().pc;
        view.completed[e] = sequencers_[e].completed();
        view.quiet = view.quiet && sequencers_[e].quiet(registers_.stopped()) && !engines.busy[e];
    }
    view.counters = engines.counters;
    view.memories = engines.memories;
    view.gpsimd = engines.gpsimd;
    view.notifications = &notifications_;
    return view;
}

std::uint32_t Control::slice_of(std::optional<std::uint32_t> address) const {
    if (!address || is_tcm(address)) return SliceArbiter::None;
    return map_.slice(*address);
}

std::uint32_t Control::write_grants(const Engines& engines) const {
    std::array<std::uint32_t, MaxAxiPorts + 1> slices{};
    for (std::size_t p = 0; p < ports_.size(); ++p) slices[p] = slice_of(ports_[p].write_request());
    const std::uint32_t ports = (1U << ports_.size()) - 1;
    return write_arbiter_.grants(std::span(slices).first(ports_.size()), (hold_.port & 8) != 0) |
           (gpsimd_window_.grants(engines.tcm_done) & ports);
}

bool Control::ports_busy() const {
    return std::ranges::any_of(ports_, &WindowPort::busy);
}

bool Control::active(const CoreIn& pins, const Engines& engines, const Cycle& cycle) const {
    const AxiManagerIn& manager = pins.manager;
    if (manager.r_valid || manager.b_valid || (ar_valid_ && manager.ar_ready) || issued_ != 0 ||
        completed_ != 0)
        return true;
    for (std::size_t p = 0; p + 1 < ports_.size(); ++p)
        if (pins.port[p].aw_valid || pins.port[p].w_valid || pins.port[p].ar_valid) return true;
    if (ports_busy() || loader_.active(engines.tables, pins.table)) return true;
    if (registers_.seeds() || registers_.clears_counters() || fault_new_ || nan_ != nan_known_) return true;
    if (memory_fault_.code != isa::Error::None && !registers_.stopped()) return true;
    if (own_.active(window_instructions()) || bus_writer_.active(bus_instructions())) return true;
    if (write_port_.active(writers(), manager)) return true;
    if (decide_fetch(manager).granted != 0) return true;
    return cycle.system.valid ||
           std::ranges::any_of(cycle.step, [](const Sequencer::Step& step) { return step.active; });
}

void Control::drive_ports(CoreOut& out, const Engines& engines) const {
    const std::uint32_t granted = write_grants(engines);
    for (std::size_t p = 0; p + 1 < ports_.size(); ++p)
        ports_[p].drive(out.port[p], bit(granted, static_cast<unsigned>(p)));
}

void Control::drive(CoreOut& out, const Engines& engines) const {
    drive_ports(out, engines);
    out.manager.ar_valid = ar_valid_;
    out.manager.ar_id = ar_id_;
    out.manager.ar_len = ar_length_;
    out.manager.ar_addr = ar_place_ * InstructionSize;
    out.manager.r_ready = true;
    out.manager.b_ready = true;
    write_port_.drive(out.manager);
    loader_.drive(out.table);
    out.error = registers_.stopped();
    for (unsigned e = 0; e < EngineCount; ++e) {
        Sequencer::In in;
        in.wait_value = semaphores_.value(sequencers_[e].wait_semaphore());
        in.taken = engines.taken[e];
        out.engine[e].state = static_cast<std::uint8_t>(sequencers_[e].state(in));
        out.engine[e].issued = bit(issued_, e);
        out.engine[e].completed = bit(completed_, e);
        out.engine[e].issue_pc = issue_pc_[e];
    }
}

void Control::found_nan(unsigned engine, Origin origin) {
    if (bit(nan_, engine)) return;
    nan_ |= 1U << engine;
    nan_origin_[engine] = origin;
}

void Control::found_fault(unsigned engine, Origin origin, const Verdict& fault) {
    if (memory_fault_.code == isa::Error::None)
        memory_fault_ = {fault.code, static_cast<std::uint8_t>(engine), origin, fault.address};
}

}  // namespace trnsim::tlm::core_fast
