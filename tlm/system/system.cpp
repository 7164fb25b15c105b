#include "tlm/system/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"
#include "tlm/chip/address_map.hpp"

namespace trnsim::tlm {
namespace {

// How long run() waits between looks at the DMA engines once the core is done.
constexpr Time DrainSlice = 100'000'000;

chip::Options pausing(chip::Options options) {
    options.on_stop = Simulation::pause;
    return options;
}

}  // namespace

System::System(const config::Config& config, const CoreFactory& make_core, chip::Options options)
    : config_(config),
      random_memory_(options.random_memory),
      host_("host",
            [this](protocol::Transaction& transaction, Time at) {
                reply_ = Reply{transaction.get_response_status(), transaction.get_response_string(), 0, at};
                std::memcpy(&reply_->value, transaction.get_data_ptr(), sizeof(reply_->value));
                Simulation::pause();
            }),
      chip_(fmt::format("chip_{}", options.number).c_str(), config, make_core, pausing(std::move(options))) {
    chip_.bind_host(host_.port);
}

void System::elaborate() {
    if (simulation_.elaborate() && random_memory_)
        fill_core(contents::RandomContents(*random_memory_, "core"));
}

// SBUF and PSUM as they are before anything is written.
void System::fill_core(const contents::RandomContents& random) {
    const config::Core& core = config_.core;
    std::vector<std::uint8_t> bytes(std::max(core.sbuf_partition, core.psum_partition));
    const auto fill = [&](std::uint64_t offset, std::uint64_t length) {
        random.fill(offset, std::span(bytes).first(length));
        debug(::tlm::TLM_WRITE_COMMAND, chip::CoreBase + offset, bytes.data(), length);
    };
    const auto partitions = static_cast<std::uint32_t>(core.partitions);
    for (std::uint64_t p = 0; p < partitions; ++p) {
        fill(p * isa::sbuf_partition_stride(partitions), core.sbuf_partition);
        fill(isa::window::PsumBase + p * isa::window::PsumPartitionStride, core.psum_partition);
    }
}

std::uint32_t System::access(::tlm::tlm_command command, std::uint64_t address, std::uint32_t value) {
    elaborate();
    auto& transaction = pool_.make(command, address, sizeof(value));
    std::memcpy(transaction.get_data_ptr(), &value, sizeof(value));
    reply_.reset();
    host_.port.send(transaction, now());
    const Time deadline = now() + config_.runtime.timeout;
    while (!reply_ && now() < deadline && Simulation::pending()) simulation_.step(deadline - now());
    if (!reply_) throw SimulationError(fmt::format("access to 0x{:x}: no response", address));
    simulation_.advance_to(reply_->at);
    if (reply_->status != ::tlm::TLM_OK_RESPONSE)
        throw SimulationError(fmt::format("access to 0x{:x}: {}", address, reply_->text));
    return reply_->value;
}

void System::debug(::tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                   std::size_t length) {
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
        if (host_.port.socket->transport_dbg(payload) != count) {
            throw SimulationError(fmt::format("back door to 0x{:x}: {} bytes are not within one memory",
                                              address + done, count));
        }
        done += count;
    }
}

void System::write32(std::uint64_t address, std::uint32_t value) {
    access(::tlm::TLM_WRITE_COMMAND, address, value);
}

std::uint32_t System::read32(std::uint64_t address) {
    return access(::tlm::TLM_READ_COMMAND, address, 0);
}

void System::write(std::uint64_t address, std::span<const std::uint8_t> data) {
    // The payload's pointer is not const; a write only reads through it.
    debug(::tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(data.data()), data.size());
}

void System::read(std::uint64_t address, std::span<std::uint8_t> data) {
    debug(::tlm::TLM_READ_COMMAND, address, data.data(), data.size());
}

// Whether anything has happened since the last call or within runtime.timeout.
bool System::alive() {
    const std::uint64_t before = std::exchange(last_progress_, chip_.progress());
    if (before != last_progress_) moved_ = now();
    return now() < moved_ + config_.runtime.timeout;
}

RunResult System::run(std::uint64_t limit) {
    elaborate();
    const Time start = now();
    const auto result = [&](Outcome outcome, const std::string& message) {
        return RunResult{outcome, message, start, now()};
    };
    while (true) {
        if (!chip_.dma_error().empty()) return result(Outcome::DmaError, chip_.dma_error());
        if (chip_.core().error()) return result(Outcome::CoreError, chip_.core().state());
        if (chip_.done()) return result(Outcome::Done, "");
        if (!alive()) return result(Outcome::Hang, "no progress for runtime.timeout: " + chip_.state());
        if (limit != 0 && now() >= start + limit) return result(Outcome::TimeLimit, chip_.state());
        if (!Simulation::pending())
            return result(Outcome::Hang, "nothing can happen any more: " + chip_.state());
        Time slice = chip_.core().done() ? DrainSlice : config_.runtime.timeout;
        if (limit != 0) slice = std::min(slice, start + limit - now());
        simulation_.step(slice);
    }
}

// Lets time pass until something that is under way has ended.
void System::await(const std::function<bool()>& condition) {
    const Time deadline = now() + config_.runtime.timeout;
    while (!condition()) {
        if (now() >= deadline || !Simulation::pending())
            throw SimulationError("reset: accesses under way are not answered: " + chip_.state());
        simulation_.step(std::min(DrainSlice, deadline - now()));
    }
}

void System::reset() {
    elaborate();
    chip_.stop();
    await([this] { return chip_.quiet(); });
    chip_.restart();
    await([this] { return chip_.settled(); });
    chip_.clear();
    // Cycle n is at floor(n * 10^15 / frequency): this many femtoseconds hold a whole number of cycles.
    const Time whole = FsPerSecond / std::gcd(FsPerSecond, config_.core.clock);
    advance((whole - now() % whole) % whole);
}

void System::advance(std::uint64_t duration) {
    elaborate();
    simulation_.advance_to(now() + duration);
    moved_ = now();
}

}  // namespace trnsim::tlm
