#include "tlm/chip/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"
#include "lib/base/time/time.hpp"
#include "tlm/chip/address_map.hpp"
#include "tlm/dma/dma.hpp"
#include "tlm/hbm/stack.hpp"
#include "tlm/protocol/checker.hpp"

namespace trnsim::tlm::chip {
namespace {

// How long run() waits between looks at the DMA engines once the core is done.
constexpr Time DrainSlice = 100'000'000;

void pause() {
    if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();
}

// Before the first module exists, as modules may hold time values.
const sc_core::sc_module_name& with_femtoseconds(const sc_core::sc_module_name& name) {
    use_femtoseconds();
    // The host may run the simulation when nothing is left to do.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
    return name;
}

}  // namespace

struct Chip::Parts {
    Parts(const config::Config& c, const CoreFactory& make_core, const Options& options)
        : config(c),
          check(options.check_protocol),
          random_memory(options.random_memory),
          fabric("fabric", static_cast<unsigned>(c.dma.engines) + 3, targets(c).count, address_map(c),
                 c.fabric.latency, options.perturb),
          dma(
              "dma", static_cast<unsigned>(c.dma.engines), static_cast<unsigned>(c.dma.rings),
              dma::engine_timing(c), options.sink,
              [this](const dma::EngineError& error) {
                  if (dma_error.empty()) dma_error = error.message;
                  pause();
              },
              options.perturb),
          core(make_core("core", {config.core, options.sink, pause, options.perturb})),
          host("host", [this](protocol::Transaction& transaction, Time at) {
              reply = Reply{transaction.get_response_status(), transaction.get_response_string(), 0, at};
              std::memcpy(&reply->value, transaction.get_data_ptr(), sizeof(reply->value));
              pause();
          }) {
        const auto engines = static_cast<unsigned>(c.dma.engines);
        for (unsigned i = 0; i < engines; ++i) bind(dma.engine(i).port.socket, fabric.from(i));
        bind(core->manager_port().socket, fabric.from(engines));
        bind(core->table_port().socket, fabric.from(engines + 1));
        bind(host.socket, fabric.from(engines + 2));
        for (unsigned i = 0; i < c.hbm.stacks; ++i) {
            const hbm::StackTiming timing{c.hbm.capacity, c.hbm.bandwidth / c.hbm.stacks, c.hbm.read_latency,
                                          c.hbm.write_latency};
            const std::string name = fmt::format("hbm {}", i);
            auto& stack = hbm.emplace_back(fmt::format("hbm_{}", i).c_str(), timing,
                                           perturb::Agent(options.perturb, name),
                                           contents::RandomContents(options.random_memory, name));
            bind(fabric.to(i), stack.port.socket);
        }
        bind(fabric.to(targets(c).core), core->window_port().socket);
        bind(fabric.to(targets(c).dma), dma.registers.socket);
    }

    struct Reply {
        Response status;
        std::string text;
        std::uint32_t value;
        Time at;
    };

    template <typename Initiator, typename Target>
    void bind(Initiator& initiator, Target& target) {
        if (!check) {
            initiator.bind(target);
            return;
        }
        auto& checker = checkers.emplace_back(fmt::format("checker_{}", checkers.size()).c_str());
        initiator.bind(checker.target);
        checker.initiator.bind(target);
    }

    // Runs for `duration`, until something pauses the simulation or until nothing is left to do. A model's
    // exception comes out as Error.
    void simulate(Time duration) {
        // Without an event before its end, sc_start() would leave the time where it is.
        const bool quiet = sc_core::sc_time_to_pending_activity() > to_sc(duration);
        run(duration, quiet ? sc_core::SC_RUN_TO_TIME : sc_core::SC_EXIT_ON_STARVATION);
    }

    void run(Time duration, sc_core::sc_starvation_policy policy) {
        try {
            sc_core::sc_start(to_sc(duration), policy);
        } catch (const sc_core::sc_report& report) {
            throw Error(report.get_msg());
        }
    }

    // Lets time pass while something that is under way is to end.
    void simulate_while(const std::function<bool()>& busy) {
        const Time deadline = now() + config.runtime.timeout;
        while (busy()) {
            if (now() >= deadline || !sc_core::sc_pending_activity())
                throw Error("reset: accesses under way are not answered: " + state());
            simulate(std::min(DrainSlice, deadline - now()));
        }
    }

    // Lets time pass up to `time`, whatever happens on the way.
    void simulate_until(Time time) {
        while (now() < time) run(time - now(), sc_core::SC_RUN_TO_TIME);
    }

    // Binds the sockets; before the first access.
    void elaborate() {
        if (std::exchange(elaborated, true)) return;
        run(0, sc_core::SC_RUN_TO_TIME);
        if (random_memory) fill_core(contents::RandomContents(*random_memory, "core"));
    }

    // SBUF and PSUM as they are before anything is written.
    void fill_core(const contents::RandomContents& random) {
        std::vector<std::uint8_t> bytes(std::max(config.core.sbuf_partition, config.core.psum_partition));
        const auto fill = [&](std::uint64_t offset, std::uint64_t length) {
            random.fill(offset, std::span(bytes).first(length));
            debug(::tlm::TLM_WRITE_COMMAND, CoreBase + offset, bytes.data(), length);
        };
        const auto partitions = static_cast<std::uint32_t>(config.core.partitions);
        for (std::uint64_t p = 0; p < partitions; ++p) {
            fill(p * isa::sbuf_partition_stride(partitions), config.core.sbuf_partition);
            fill(isa::window::PsumBase + p * isa::window::PsumPartitionStride, config.core.psum_partition);
        }
    }

    std::uint32_t access(::tlm::tlm_command command, std::uint64_t address, std::uint32_t value) {
        elaborate();
        auto& transaction = pool.make(command, address, sizeof(value));
        std::memcpy(transaction.get_data_ptr(), &value, sizeof(value));
        reply.reset();
        host.send(transaction, now());
        const Time deadline = now() + config.runtime.timeout;
        while (!reply && now() < deadline && sc_core::sc_pending_activity()) simulate(deadline - now());
        if (!reply) throw Error(fmt::format("access to 0x{:x}: no response", address));
        simulate_until(reply->at);
        if (reply->status != ::tlm::TLM_OK_RESPONSE)
            throw Error(fmt::format("access to 0x{:x}: {}", address, reply->text));
        return reply->value;
    }

    void debug(::tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t length) {
        elaborate();
        constexpr std::size_t Piece = 1 << 20;
        for (std::size_t done = 0; done < length;) {
            const std::size_t count = std::min(Piece, length - done);
            Payload payload;
            payload.set_command(command);
            payload.set_address(address + done);
            payload.set_data_ptr(data + done);
            payload.set_data_length(static_cast<unsigned>(count));
            payload.set_streaming_width(static_cast<unsigned>(count));
            if (host.socket->transport_dbg(payload) != count) {
                throw Error(fmt::format("back door to 0x{:x}: {} bytes are not within one memory",
                                        address + done, count));
            }
            done += count;
        }
    }

    std::uint64_t progress() const {
        std::uint64_t sum = core->progress();
        for (unsigned i = 0; i < dma.engines(); ++i) sum += dma.engine(i).progress();
        return sum;
    }

    std::string state() const {
        std::string text = core->state();
        for (unsigned i = 0; i < dma.engines(); ++i) {
            if (!dma.engine(i).idle()) text += "; " + dma.engine(i).state();
        }
        return text;
    }

    // Whether anything has happened since the last call or within runtime.timeout.
    bool alive() {
        const std::uint64_t before = std::exchange(last_progress, progress());
        if (before != last_progress) moved = now();
        return now() < moved + config.runtime.timeout;
    }

    config::Config config;
    bool check;
    contents::Seed random_memory;
    bool elaborated = false;
    std::uint64_t last_progress = 0;
    Time moved = 0;  // when there last was progress
    std::deque<protocol::Checker> checkers;
    std::string dma_error;
    std::optional<Reply> reply;
    protocol::PayloadPool pool;
    fabric::Fabric fabric;
    dma::Dma dma;
    std::unique_ptr<Core> core;
    protocol::InitiatorPort host;
    std::deque<hbm::Stack> hbm;
};

Chip::Chip(const sc_core::sc_module_name& name, const config::Config& config, const CoreFactory& core,
           Options options)
    : sc_module(with_femtoseconds(name)), parts_(std::make_unique<Parts>(config, core, options)) {}

Chip::~Chip() = default;

void Chip::write32(std::uint64_t address, std::uint32_t value) {
    parts_->access(::tlm::TLM_WRITE_COMMAND, address, value);
}

std::uint32_t Chip::read32(std::uint64_t address) {
    return parts_->access(::tlm::TLM_READ_COMMAND, address, 0);
}

void Chip::write(std::uint64_t address, std::span<const std::uint8_t> data) {
    // The payload's pointer is not const; a write only reads through it.
    parts_->debug(::tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(data.data()), data.size());
}

void Chip::read(std::uint64_t address, std::span<std::uint8_t> data) {
    parts_->debug(::tlm::TLM_READ_COMMAND, address, data.data(), data.size());
}

RunResult Chip::run(std::uint64_t limit) {
    Parts& parts = *parts_;
    parts.elaborate();
    const Time start = now();
    const auto result = [&](Outcome outcome, const std::string& message) {
        return RunResult{outcome, message, start, now()};
    };
    while (true) {
        if (!parts.dma_error.empty()) return result(Outcome::DmaError, parts.dma_error);
        if (parts.core->error()) return result(Outcome::CoreError, parts.core->state());
        if (parts.core->done() && parts.dma.idle()) return result(Outcome::Done, "");
        if (!parts.alive()) return result(Outcome::Hang, "no progress for runtime.timeout: " + parts.state());
        if (limit != 0 && now() >= start + limit) return result(Outcome::TimeLimit, parts.state());
        if (!sc_core::sc_pending_activity()) {
            return result(Outcome::Hang, "nothing can happen any more: " + parts.state());
        }
        Time slice = parts.core->done() ? DrainSlice : parts.config.runtime.timeout;
        if (limit != 0) slice = std::min(slice, start + limit - now());
        parts.simulate(slice);
    }
}

void Chip::reset() {
    Parts& parts = *parts_;
    parts.elaborate();
    parts.dma.stop();
    parts.core->halt();
    parts.simulate_while([&] { return !parts.dma.quiet() || !parts.core->quiet(); });
    parts.core->restart();
    parts.simulate_while([&] { return parts.core->waits_for_memory() || !parts.dma.quiet(); });
    parts.dma.reset();
    parts.dma_error.clear();
    // Cycle n is at floor(n * 10^15 / frequency): this many femtoseconds hold a whole number of cycles.
    const Time whole = FsPerSecond / std::gcd(FsPerSecond, parts.config.core.clock);
    advance((whole - now() % whole) % whole);
}

void Chip::advance(std::uint64_t duration) {
    parts_->elaborate();
    parts_->simulate_until(now() + duration);
    parts_->moved = now();
}

std::uint64_t Chip::time() const {
    return now();
}

CoreInfo Chip::core_info() const {
    return parts_->core->info();
}

Statistics Chip::statistics() const {
    Statistics statistics;
    statistics.time = now();
    statistics.core = parts_->core->statistics();
    for (const hbm::Stack& stack : parts_->hbm) statistics.hbm.push_back(stack.traffic());
    for (unsigned i = 0; i < parts_->dma.engines(); ++i)
        statistics.dma.push_back(parts_->dma.engine(i).statistics());
    return statistics;
}

void Chip::record_wave(const std::string& path, std::span<const std::string> scopes,
                       std::uint64_t first_cycle, std::uint64_t last_cycle) {
    parts_->core->record_wave(path, scopes, first_cycle, last_cycle);
}

std::string Chip::close_wave() {
    return parts_->core->close_wave();
}

std::vector<std::string> Chip::protocol_violations() const {
    std::vector<std::string> texts;
    for (const protocol::Checker& checker : parts_->checkers) {
        for (const protocol::Violation& violation : checker.violations()) texts.push_back(violation.text);
    }
    return texts;
}

}  // namespace trnsim::tlm::chip
