#include "model/collectives/collective_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace trnsim::tlm::collectives {
namespace {

constexpr Time DelayUnit = 20 * FsPerNs;  // usual delay of a perturbed core

}  // namespace

CollectiveCores::CollectiveCores(const sc_core::sc_module_name& name, std::function<void()> on_rest,
                                 perturb::Seed seed, trace::Sink* sink, unsigned chip)
    : sc_module(name),
      registers("registers", *this),
      port("port", [this](protocol::Transaction& transaction, Time at) { answered(transaction, at); }),
      on_rest_(std::move(on_rest)),
      sink_(sink),
      chip_(chip),
      delay_(perturb::Agent(seed, "collective cores"), "flag", DelayUnit) {}

void CollectiveCores::load(unsigned core, Program program) {
    Core& one = cores_.at(core);
    if (one.running) throw std::logic_error(fmt::format("collective core {} has work", core));
    std::uint32_t flags = 0;
    for (const Channel& channel : program.channels) {
        for (const Entry& entry : channel) {
            for (const Wait& wait : entry.waits) flags = std::max(flags, wait.flag + 1);
        }
    }
    if (flags > FlagCount)
        throw std::out_of_range(
            fmt::format("collective core {}: flag {}, expected one below {}", core, flags - 1, FlagCount));
    one.next.assign(program.channels.size(), 0);
    one.program = std::move(program);
    one.flags.assign(flags, 0);
}

void CollectiveCores::start(unsigned core) {
    Core& one = cores_.at(core);
    if (one.running) return;
    one.running = has_run_ = true;
    one.started = now();
    one.at_head.assign(one.next.size(), now());
    ++progress_;
    walk(core);
}

bool CollectiveCores::idle() const {
    return accesses_.empty() && std::ranges::none_of(cores_, &Core::running);
}

std::string CollectiveCores::state() const {
    std::string text;
    for (unsigned i = 0; i < CoresPerChip; ++i) {
        const Core& core = cores_[i];
        for (std::size_t c = 0; core.running && c < core.next.size(); ++c) {
            const Channel& channel = core.program.channels[c];
            if (core.next[c] == channel.size()) continue;
            text += fmt::format("{}collective core {}, channel {} at entry {} of {}",
                                text.empty() ? "" : "; ", i, c, core.next[c], channel.size());
            for (const Wait& wait : channel[core.next[c]].waits) {
                if (core.flags[wait.flag] < wait.value)
                    text +=
                        fmt::format(", flag {} is {} of {}", wait.flag, core.flags[wait.flag], wait.value);
            }
        }
    }
    return text;
}

void CollectiveCores::stop() {
    for (Core& core : cores_) core.running = false;
}

void CollectiveCores::clear() {
    for (Core& core : cores_) core = {};
    error_.clear();
    has_run_ = false;
}

bool CollectiveCores::request(Payload& payload, Time at) {
    accesses_.push(at + delay_.of(at), &payload);
    wake_.notify_at(accesses_.next());
    return true;
}

unsigned CollectiveCores::debug(Payload&) {
    return 0;  // registers act when they are written
}

void CollectiveCores::take_accesses() {
    while (accesses_.due(now())) {
        Payload& payload = *accesses_.pop();
        const bool done = access(payload);
        payload.set_response_status(done ? ::tlm::TLM_OK_RESPONSE : ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
        registers.respond(payload, now());
    }
    if (!accesses_.empty()) wake_.notify_at(accesses_.next());
}

bool CollectiveCores::access(Payload& payload) {
    const std::uint64_t address = payload.get_address();
    const auto number = static_cast<unsigned>(address / Stride);
    const std::uint64_t offset = address % Stride;
    std::uint32_t value = 0;
    if (!payload.is_write() || payload.get_data_length() != sizeof(value) || address % sizeof(value) != 0 ||
        number >= CoresPerChip || payload.get_byte_enable_ptr() != nullptr) {
        return false;
    }
    Core& core = cores_[number];
    std::memcpy(&value, payload.get_data_ptr(), sizeof(value));
    if (offset == Start) {
        start(number);
        return true;
    }
    if (offset < Flags || (offset - Flags) / 4 >= core.flags.size()) return false;
    core.flags[(offset - Flags) / 4] += value;
    ++progress_;
    if (core.running) walk(number);
    return true;
}

bool CollectiveCores::satisfied(const Core& core, const Entry& entry) const {
    return std::ranges::all_of(entry.waits,
                               [&](const Wait& wait) { return core.flags[wait.flag] >= wait.value; });
}

// Starts every entry that can start.
void CollectiveCores::walk(unsigned number) {
    Core& core = cores_[number];
    core.open = 0;
    for (std::size_t c = 0; c < core.next.size(); ++c) {
        const Channel& channel = core.program.channels[c];
        for (; core.next[c] < channel.size() && satisfied(core, channel[core.next[c]]); ++core.next[c]) {
            for (const RegisterWrite& write : channel[core.next[c]].writes) {
                auto& transaction = pool_.make(::tlm::TLM_WRITE_COMMAND, write.address, sizeof(write.value));
                std::memcpy(transaction.get_data_ptr(), &write.value, sizeof(write.value));
                transaction.tag = number;
                ++core.writes;
                port.send(transaction, now());
            }
            if (sink_ != nullptr) report(number, static_cast<unsigned>(c));
        }
        if (core.next[c] < channel.size()) ++core.open;
    }
    if (core.running && core.open == 0 && core.writes == 0) end(core, now());
}

// Reports the entry at the head of a channel as it leaves.
void CollectiveCores::report(unsigned number, unsigned channel) {
    Core& core = cores_[number];
    const Entry& entry = core.program.channels[channel][core.next[channel]];
    sink_->collective_entry({.chip = chip_,
                             .core = number,
                             .channel = channel,
                             .entry = static_cast<std::uint32_t>(core.next[channel]),
                             .waits = static_cast<std::uint32_t>(entry.waits.size()),
                             .doorbells = static_cast<std::uint32_t>(entry.writes.size()),
                             .start = core.at_head[channel],
                             .end = now()});
    core.at_head[channel] = now();
}

void CollectiveCores::answered(protocol::Transaction& transaction, Time at) {
    Core& core = cores_[transaction.tag];
    --core.writes;
    ++progress_;
    if (transaction.get_response_status() != ::tlm::TLM_OK_RESPONSE && error_.empty()) {
        error_ = fmt::format("collective core {}: write to 0x{:x}: {}", transaction.tag, transaction.sent_to,
                             transaction.get_response_string());
        core.running = false;
        on_rest_();
    }
    if (core.running && core.open == 0 && core.writes == 0) end(core, at);
}

void CollectiveCores::end(Core& core, Time at) {
    core.running = false;
    core.ended = at;
    if (idle() && on_rest_) on_rest_();
}

}  // namespace trnsim::tlm::collectives
