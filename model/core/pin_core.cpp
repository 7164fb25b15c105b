#include "model/core/pin_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/time/time.hpp"
#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::tlm {
namespace {

constexpr unsigned ResetCycles = 32;  // enough for several ticks of the slowest clock
constexpr unsigned MaxBatch = 256;    // cycles of one activation
constexpr std::uint64_t BitsPerByte = 8;
constexpr std::uint8_t AllEngines = (1u << Engines) - 1;
// Stalls of a perturbed core in bus ticks; an instruction takes hundreds.
constexpr std::uint64_t IssueStall = 128, DoneStall = 64;

// Returns the time of the next event of SystemC.
Time next_event() {
    return now() + sc_core::sc_time_to_pending_activity().value();
}

std::array<config::Ratio, Engines> ratios(const config::ClockRatio& clocks) {
    return {clocks.tensor, clocks.vector, clocks.scalar, clocks.gpsimd, clocks.sync};
}

std::uint64_t pattern_of(const config::ClockRatio& clocks) {
    std::uint64_t cycles = 1;
    for (const config::Ratio& ratio :
         {clocks.tensor, clocks.vector, clocks.scalar, clocks.gpsimd, clocks.bus})
        cycles = std::lcm(cycles, std::uint64_t{ratio.denominator});
    return cycles;
}

}  // namespace

PinCore::PinCore(const sc_core::sc_module_name& name, const CoreSetup& setup,
                 std::unique_ptr<CoreModel> model, std::unique_ptr<CoreModel> later)
    : Core(name),
      window("window", *this),
      manager(
          [this](Time at) {
              ++progress_;
              wake(at);
          },
          perturb::Agent(setup.perturb, "core manager")),
      tables(
          [this](Time at) {
              ++progress_;
              wake(at);
          },
          perturb::Agent(setup.perturb, "core tables")),
      model_(std::move(model)),
      later_(std::move(later)),
      shape_{setup.config.partitions,  setup.config.sbuf_partition, setup.config.psum_partition,
             setup.config.array.rows,  setup.config.array.columns,  gpsimd_cores(setup.config.partitions),
             setup.config.gpsimd.vlen, isa::window::GpsimdTcmStride},
      clock_(setup.config.clock),
      ratios_(ratios(setup.config.clock_ratio)),
      clock_pattern_(pattern_of(setup.config.clock_ratio)),
      sink_(setup.sink),
      on_stop_(setup.on_stop),
      driven_(setup.config.bus.ports, false) {
    const auto beat_bytes = static_cast<std::uint32_t>(setup.config.bus.data_bits / BitsPerByte);
    for (std::uint64_t i = 0; i < setup.config.bus.ports; ++i) {
        ports_.emplace_back(
            beat_bytes, [this](Payload& payload) { finish(payload); },
            perturb::Agent(setup.perturb, fmt::format("core port {}", i)));
    }
    statistics_.id = setup.id;
    if (setup.perturb) make_holds(*setup.perturb);
    reset();
}

// Resets the model; takes no simulated time.
void PinCore::reset() {
    model_->in = {};
    for (unsigned i = 0; i < ResetCycles; ++i) model_->step();
    model_->in.reset_n = true;
}

// Restarts the core. A clock divider stops during a reset and advances with each step outside of one, so
// steps put all dividers back into their first state. These steps are taken between two resets, so that
// nothing that the core was doing goes on.
void PinCore::restart() {
    if (!quiet()) throw std::logic_error("the core was reset at work");
    clock_edge_.cancel();
    stopped_ = true;
    reset();
    for (; steps_ % clock_pattern_ != 0; ++steps_) model_->step();
    reset();
    std::fill(driven_.begin(), driven_.end(), false);
    manager.reset();
    tables.reset();
    for (auto& issued : issued_) issued.clear();
    sent_ = failed_ = halting_ = false;
}

// GpSimd is ignored: one of its commands may never end, and it reaches nothing outside the core.
bool PinCore::quiet() const {
    const auto& engines = model_->out.engine;
    return std::all_of(ports_.begin(), ports_.end(), [](const AxiPort& port) { return port.empty(); }) &&
           std::none_of(engines.begin(), engines.end(), [&](const EngineOut& engine) {
               return engine.busy && &engine != &engines[static_cast<std::size_t>(isa::Engine::Gpsimd)];
           });
}

PinCore::~PinCore() {
    if (wave_) end_wave();
}

bool PinCore::request(Payload& payload, Time at) {
    const std::uint64_t length = payload.get_data_length();
    Response status = ::tlm::TLM_OK_RESPONSE;
    if (payload.get_address() > isa::window::Size || length > isa::window::Size - payload.get_address()) {
        status = ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
    } else if (payload.get_byte_enable_ptr() != nullptr) {
        status = ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    } else if (payload.get_streaming_width() < length) {
        status = ::tlm::TLM_BURST_ERROR_RESPONSE;
    } else if (!payload.is_read() && !payload.is_write()) {
        status = ::tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (status != ::tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        window.respond(payload, at);
        return true;
    }
    const bool write = payload.is_write();
    const std::size_t port = choose_port(write);
    ports_[port].push(payload, at);
    driven_[port] = true;
    (write ? statistics_.window.writes : statistics_.window.reads) += 1;
    (write ? statistics_.window.bytes_written : statistics_.window.bytes_read) += length;
    wake(at);
    return true;
}

// Returns the port with the least backlog; a perturbed core takes any.
std::size_t PinCore::choose_port(bool write) {
    if (holds_) return holds_->port_of.next(ports_.size());
    const auto port = std::min_element(ports_.begin(), ports_.end(), [&](const AxiPort& a, const AxiPort& b) {
        return a.backlog(write) < b.backlog(write);
    });
    return static_cast<std::size_t>(port - ports_.begin());
}

void PinCore::finish(Payload& payload) {
    ++progress_;
    sent_ = true;
    window.respond(payload, clock_.time());
}

unsigned PinCore::debug(Payload& payload) {
    const auto offset = static_cast<std::uint32_t>(payload.get_address());
    const std::span<std::uint8_t> data(payload.get_data_ptr(), payload.get_data_length());
    const bool good =
        payload.is_read() ? model_->debug_read(offset, data) : model_->debug_write(offset, data);
    return good ? payload.get_data_length() : 0;
}

void PinCore::wake(Time at) {
    if (stopped_) clock_edge_.notify_at(clock_.time_of(clock_.cycle_at(std::max(at + 1, clock_.time()))));
}

void PinCore::activate() {
    if (stopped_) {
        count(statistics_, clock_.skip_to(clock_.cycle_at(now())));
        stopped_ = false;
    }
    const Time pending =
        std::min(protocol::Alarm::next(), next_event());  // events of others, which do not run meanwhile
    for (unsigned i = 0; i < MaxBatch; ++i) {
        cycle();
        clock_.advance();
        if (model_->out.idle && rest()) return;
        if (sent_ || pending <= clock_.time()) break;
    }
    clock_edge_.notify_at(clock_.time());
}

// Stops the clock unless the core can be given something now.
bool PinCore::rest() {
    if (manager.holds_back() || tables.holds_back()) return false;
    Time next = std::min(manager.next_arrival(), tables.next_arrival());
    for (const AxiPort& port : ports_) next = std::min(next, port.next_arrival());
    if (next < clock_.time()) return false;
    stopped_ = true;
    if (next != std::numeric_limits<Time>::max()) wake(next);
    if (done()) on_stop_();
    return true;
}

void PinCore::cycle() {
    sent_ = false;
    if (model_->out.bus_tick) {
        model_->in.timestamp = clock_.cycle();
        for (std::size_t i = 0; i < ports_.size(); ++i) {
            if (!driven_[i]) continue;
            driven_[i] = !ports_[i].empty();  // one more tick after the last, to withdraw the inputs
            ports_[i].tick(model_->in.port[i], model_->out.port[i], clock_.time());
        }
        if (manager.tick(model_->in.manager, model_->out.manager, clock_.time())) sent_ = true;
        if (tables.tick(model_->in.table, model_->out.table, clock_.time())) sent_ = true;
        if (holds_) hold();
        if (halting_)
            model_->in.hold.issue = AllEngines;
        else if (!holds_)
            model_->in.hold.issue = 0;
    }
    if (wave_ && clock_.cycle() >= wave_->last) end_wave();
    model_->step();
    ++steps_;
    ++statistics_.evaluated_cycles;
    observe();
    if (watch_ != nullptr) watch_->look(*model_, clock_.cycle());
    if (wave_ && clock_.cycle() >= wave_->first) {
        model_->dump_wave(clock_.time() / FsPerPs);
        wave_->dumped = true;
    }
}

void PinCore::make_holds(std::uint32_t seed) {
    Holds& holds = holds_.emplace();
    for (unsigned e = 0; e < Engines; ++e) {
        const perturb::Agent agent(seed, fmt::format("core engine {}", e));
        holds.issue[e] = {agent, "issue", IssueStall};
        holds.done[e] = {agent, "done", DoneStall};
    }
    holds.port_of = {perturb::Agent(seed, "core ports"), "choice"};
    const auto fill = [seed](auto& stalls, std::string_view name) {
        for (std::size_t i = 0; i < stalls.size(); ++i)
            stalls[i] = {perturb::Agent(seed, fmt::format("core {} {}", name, i)), "grant"};
    };
    fill(holds.arbiter, "arbiter");
    fill(holds.port, "shared port");
}

// Changes the hold inputs only with the bus clock, whatever edges are simulated.
void PinCore::hold() {
    const Time time = clock_.time();
    const auto bits = [time](auto& stalls) {
        unsigned vector = 0;
        for (std::size_t i = 0; i < stalls.size(); ++i) vector |= unsigned{stalls[i].next(time)} << i;
        return static_cast<std::uint8_t>(vector);
    };
    model_->in.hold = {bits(holds_->issue), bits(holds_->done), bits(holds_->arbiter), bits(holds_->port)};
}

void PinCore::observe() {
    count(statistics_, 1);
    const CoreOut& out = model_->out;
    for (unsigned i = 0; i < Engines; ++i) {
        if (!out.engine[i].issued && !out.engine[i].completed) continue;
        EngineStatistics& engine = statistics_.engine[i];
        if (out.engine[i].issued) {
            ++engine.issued;
            ++progress_;
            if (sink_ != nullptr)
                issued_[i].push_back({out.engine[i].issue_pc, clock_.cycle(), clock_.time()});
        }
        if (!out.engine[i].completed) continue;
        ++engine.completed;
        ++progress_;
        if (issued_[i].empty()) continue;
        const Issued& first = issued_[i].front();
        sink_->instruction(
            {i, first.pc, first.cycle, clock_.cycle(), first.time, clock_.time(), statistics_.id});
        issued_[i].pop_front();
    }
    if (out.error && !std::exchange(failed_, true)) {
        sent_ = true;
        on_stop_();
    }
}

// Attributes cycles to the states of the engines.
void PinCore::count(CoreStatistics& statistics, std::uint64_t cycles) const {
    statistics.cycles += cycles;
    for (unsigned i = 0; i < Engines; ++i) {
        const EngineOut& out = model_->out.engine[i];
        EngineStatistics& engine = statistics.engine[i];
        engine.cycles_in_state[out.state % engine.cycles_in_state.size()] += cycles;
    }
}

CoreFactory core_of(std::unique_ptr<CoreModel> model, std::unique_ptr<CoreModel> later) {
    struct Models {
        std::unique_ptr<CoreModel> first, later;
    };
    // Functions of the standard library must be copyable.
    const auto held = std::make_shared<Models>(Models{std::move(model), std::move(later)});
    return [held](const char* name, const CoreSetup& setup) {
        if (!held->first) throw std::logic_error("the model is in another core");
        return std::make_unique<PinCore>(name, setup, std::move(held->first), std::move(held->later));
    };
}

}  // namespace trnsim::tlm
