#include "model/system/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "arch/config/units.hpp"
#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::tlm {
namespace {

// The time between run()'s checks of the DMA engines once the cores are done.
constexpr Time DrainSlice = 100'000'000;
// The time between checks of quiesce(), which a program waits for.
constexpr Time QuiesceSlice = 10'000'000;

chip::Options pausing(chip::Options options) {
    options.on_stop = Simulation::pause;
    return options;
}

}  // namespace

struct Server::Node {
    // The host's port, in the module that SystemC needs around it.
    struct Host : sc_core::sc_module {
        Host(const sc_core::sc_module_name& name, protocol::InitiatorPort::OnResponse on_response)
            : sc_module(name), port("port", std::move(on_response)) {}
        protocol::InitiatorPort port;
    };

    Node(const config::Config& config, const ChipSetup& setup,
         protocol::InitiatorPort::OnResponse on_response)
        : host(fmt::format("host_{}", setup.options.number).c_str(), std::move(on_response)),
          chip(fmt::format("chip_{}", setup.options.number).c_str(), config, setup.slots,
               pausing(setup.options)),
          random_memory(setup.options.random_memory) {
        chip.bind_host(host.port);
    }

    Host host;
    chip::Chip chip;
    contents::Seed random_memory;
};

Server::Server(const config::Config& config, std::vector<ChipSetup> chips, bool part)
    : config_(config), part_(part) {
    nodes_.reserve(chips.size());
    for (const ChipSetup& setup : chips) {
        const unsigned number = setup.options.number;
        if (std::ranges::any_of(nodes_, [number](const auto& node) { return node->chip.number() == number; }))
            throw std::invalid_argument(fmt::format("two chips {}, expected different numbers", number));
        const protocol::AlarmsOfChip alarms(number);
        nodes_.push_back(
            std::make_unique<Node>(config_, setup, [this](protocol::Transaction& transaction, Time at) {
                reply_ = Reply{transaction.get_response_status(), transaction.get_response_string(), 0, at};
                std::memcpy(&reply_->value, transaction.get_data_ptr(), sizeof(reply_->value));
                Simulation::pause();
            }));
    }
}

Server::~Server() = default;

Server::Node& Server::node(unsigned number) const {
    const auto found =
        std::ranges::find_if(nodes_, [number](const auto& node) { return node->chip.number() == number; });
    if (found == nodes_.end()) throw std::out_of_range(fmt::format("there is no chip {}", number));
    return **found;
}

chip::Chip& Server::chip(unsigned number) {
    return node(number).chip;
}

const chip::Chip& Server::chip(unsigned number) const {
    return node(number).chip;
}

// Returns "chip 3, " if there are several chips.
std::string Server::place(unsigned chip) const {
    return nodes_.size() == 1 && !part_ ? "" : fmt::format("chip {}, ", chip);
}

void Server::expect_whole(const char* what) const {
    if (part_)
        throw std::logic_error(fmt::format("{} a server in several processes, expected it in one", what));
}

void Server::elaborate() {
    if (!simulation_.elaborate()) return;
    for (const auto& node : nodes_) {
        for (unsigned slot = 0; node->random_memory && slot < node->chip.slots(); ++slot) {
            if (node->chip.has_core(slot)) fill_core(node->chip, slot, node->random_memory);
        }
    }
}

// Fills SBUF and PSUM with their contents before the first write.
void Server::fill_core(const chip::Chip& chip, unsigned slot, contents::Seed seed) {
    const contents::RandomContents random(perturb::seed_of(seed, {chip.number(), slot}), "core");
    const config::Core& core = config_.core;
    std::vector<std::uint8_t> bytes(std::max(core.sbuf_partition, core.psum_partition));
    const auto fill = [&](std::uint64_t offset, std::uint64_t length) {
        random.fill(offset, std::span(bytes).first(length));
        write(chip.number(), addresses::core_window(slot) + offset, std::span(bytes).first(length));
    };
    const auto partitions = static_cast<std::uint32_t>(core.partitions);
    for (std::uint64_t p = 0; p < partitions; ++p) {
        fill(p * isa::sbuf_partition_stride(partitions), core.sbuf_partition);
        fill(isa::window::PsumBase + p * isa::window::PsumPartitionStride, core.psum_partition);
    }
}

std::uint32_t Server::access(unsigned chip, ::tlm::tlm_command command, std::uint64_t address,
                             std::uint32_t value) {
    if (!left_) expect_whole("timed access to");
    Node& to = node(chip);
    elaborate();
    auto& transaction = pool_.make(command, address, sizeof(value));
    std::memcpy(transaction.get_data_ptr(), &value, sizeof(value));
    reply_.reset();
    to.host.port.send(transaction, now());
    const Time deadline = now() + config_.runtime.timeout;
    while (!reply_ && now() < deadline && Simulation::pending()) simulation_.step(deadline - now());
    if (!reply_)
        throw SimulationError(
            fmt::format("{}access to 0x{:x}: no response within runtime.timeout, {}", place(chip), address,
                        config::format_quantity(config_.runtime.timeout, config::Quantity::Time)));
    simulation_.advance_to(reply_->at);
    if (reply_->status != ::tlm::TLM_OK_RESPONSE)
        throw SimulationError(fmt::format("{}access to 0x{:x}: {}", place(chip), address, reply_->text));
    return reply_->value;
}

void Server::debug(unsigned chip, ::tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                   std::size_t length) {
    Node& to = node(chip);
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
        if (to.host.port.socket->transport_dbg(payload) != count) {
            throw SimulationError(fmt::format("{}back door to 0x{:x}: {} bytes are not within one memory",
                                              place(chip), address + done, count));
        }
        done += count;
    }
}

void Server::write32(unsigned chip, std::uint64_t address, std::uint32_t value) {
    access(chip, ::tlm::TLM_WRITE_COMMAND, address, value);
}

std::uint32_t Server::read32(unsigned chip, std::uint64_t address) {
    return access(chip, ::tlm::TLM_READ_COMMAND, address, 0);
}

void Server::write(unsigned chip, std::uint64_t address, std::span<const std::uint8_t> data) {
    // The payload's pointer is not const; a write only reads through it.
    debug(chip, ::tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(data.data()), data.size());
}

void Server::read(unsigned chip, std::uint64_t address, std::span<std::uint8_t> data) {
    debug(chip, ::tlm::TLM_READ_COMMAND, address, data.data(), data.size());
}

bool Server::all(bool (chip::Chip::*holds)() const) const {
    return std::ranges::all_of(nodes_, [holds](const auto& node) { return (node->chip.*holds)(); });
}

bool Server::any(bool (chip::Chip::*holds)() const) const {
    return std::ranges::any_of(nodes_, [holds](const auto& node) { return (node->chip.*holds)(); });
}

// Says why a chip cannot go on, without times.
std::optional<Standing::Failure> Server::error() const {
    for (const auto& node : nodes_) {
        const chip::Chip& chip = node->chip;
        const std::string dma = chip.dma_error();
        if (!dma.empty()) return Standing::Failure{Outcome::DmaError, place(chip.number()) + dma};
        const std::string core = chip.core_error();
        if (!core.empty()) return Standing::Failure{Outcome::CoreError, place(chip.number()) + core};
    }
    return std::nullopt;
}

std::string Server::state() const {
    std::string text;
    for (const auto& node : nodes_) {
        const std::string one = node->chip.state();
        if (!one.empty()) text += (text.empty() ? "" : "; ") + place(node->chip.number()) + one;
    }
    return text;
}

Standing Server::standing() const {
    Standing standing{.cores_rest = all(&chip::Chip::cores_rest),
                      .has_run = any(&chip::Chip::has_run),
                      .pending = Simulation::pending(),
                      .failure = error()};
    standing.dma_idle = standing.cores_rest && all(&chip::Chip::dma_idle);  // there are many to look at
    for (const auto& node : nodes_) standing.progress += node->chip.progress();
    return standing;
}

RunResult Server::run(std::uint64_t limit) {
    expect_whole("run() of");
    elaborate();
    Course course(config_.runtime.timeout, limit, progress_);
    while (true) {
        const Standing standing = this->standing();
        if (const auto result = course.result(standing, [this] { return state(); })) return *result;
        simulation_.step(course.step(standing.cores_done() ? DrainSlice : config_.runtime.timeout));
    }
}

// Lets time pass until `holds` is true for all chips: something that is under way has ended.
void Server::await(bool (chip::Chip::*holds)() const) {
    const Time deadline = now() + config_.runtime.timeout;
    while (!all(holds)) {
        if (now() >= deadline || !Simulation::pending())
            throw SimulationError("reset: accesses under way are not answered: " + state());
        simulation_.step(std::min(DrainSlice, deadline - now()));
    }
}

void Server::reset() {
    expect_whole("reset of");
    elaborate();
    for (const auto& node : nodes_) node->chip.stop();
    await(&chip::Chip::quiet);
    for (const auto& node : nodes_) node->chip.restart();
    await(&chip::Chip::settled);
    for (const auto& node : nodes_) node->chip.clear();
    // A core that was stopped at work is ahead of the time and would take the first access late.
    Time begin = now();
    for (const auto& node : nodes_) begin = std::max(begin, node->chip.reached());
    // Cycle n is at floor(n * 10^15 / frequency): `whole` femtoseconds are a whole number of cycles.
    const Time whole = FsPerSecond / std::gcd(FsPerSecond, config_.core.clock);
    begin += (whole - begin % whole) % whole;
    advance(begin - now());
}

std::optional<RunResult> Server::quiesce() {
    expect_whole("checkpoint of");
    elaborate();
    const Time begin = now(), deadline = begin + config_.runtime.timeout;
    hold();
    for (;;) {
        if (const auto failure = error()) return RunResult{failure->outcome, failure->message, begin, now()};
        if (quiescent()) return std::nullopt;
        if (now() >= deadline)
            throw SimulationError("checkpoint: what is under way does not end: " + state());
        simulation_.step(QuiesceSlice);
        if (!Simulation::pending() && !quiescent())
            throw SimulationError("checkpoint: what is under way cannot end: " + state());
    }
}

void Server::hold() {
    for (const auto& node : nodes_) node->chip.hold();
}

void Server::resume() {
    for (const auto& node : nodes_) node->chip.resume();
}

void Server::save(checkpoint::SystemState& state) {
    state.time = now();
    for (const auto& node : nodes_) state.chips.push_back(node->chip.save());
}

void Server::load(const checkpoint::SystemState& state) {
    elaborate();
    if (!part_ && state.chips.size() != nodes_.size())
        throw checkpoint::Error(
            fmt::format("{} chips in the checkpoint, expected {}", state.chips.size(), nodes_.size()));
    if (state.time < now())
        throw checkpoint::Error(
            fmt::format("a checkpoint of {} fs, when it is {} fs already", state.time, now()));
    simulation_.advance_to(state.time);
    progress_.moved = now();
    for (const auto& node : nodes_) {
        const auto saved =
            std::ranges::find(state.chips, node->chip.number(), &checkpoint::ChipState::number);
        if (saved == state.chips.end())
            throw checkpoint::Error(fmt::format("no chip {} in the checkpoint", node->chip.number()));
        node->chip.load(*saved);
    }
}

void Server::advance(std::uint64_t duration) {
    elaborate();
    simulation_.advance_to(now() + duration);
}

bool Server::clocks_rest() const {
    return all(&chip::Chip::clocks_rest);
}

void Server::advance_by_chips(std::uint64_t duration) {
    elaborate();
    Simulation::ring_by_chips(now() + duration);
    simulation_.advance_to(now() + duration);
}

}  // namespace trnsim::tlm
