#include "model/hbm/banked_stack.hpp"

#include <algorithm>
#include <limits>

namespace trnsim::tlm::hbm {
namespace {

constexpr Time NoTime = std::numeric_limits<Time>::max();
constexpr std::uint32_t NoSlot = std::numeric_limits<std::uint32_t>::max();  // no request waits for it

}  // namespace

BankedStack::BankedStack(const sc_core::sc_module_name& name, const config::Hbm& hbm,
                         const perturb::Agent& agent, const contents::RandomContents& unwritten,
                         CommandSink* sink)
    : Memory(name, *this),
      hbm_(hbm.banked),
      mapping_(hbm_.mapping),
      storage_(hbm.capacity, unwritten),
      delay_(agent, "access", AccessPerturbUnit),
      read_tail_((timing_of(hbm_).cl + BurstCycles) * hbm_.tck + hbm_.read_latency),
      horizon_(std::min(read_tail_, hbm_.write_latency)),
      injects_(hbm_.single_upset_every != 0 || hbm_.double_upset_every != 0),
      reads_until_single_(hbm_.single_upset_every),
      reads_until_double_(hbm_.double_upset_every),
      wakes_at_(NoTime) {
    channels_.reserve(Channels);
    Requester& requester = *this;
    for (unsigned i = 0; i < Channels; ++i) channels_.emplace_back(hbm_, i, requester, sink);
}

bool BankedStack::request(Payload& payload, Time at) {
    Response status = storage_.check(payload);
    if (status == ::tlm::TLM_OK_RESPONSE) status = access(payload, at);
    payload.set_response_status(status);
    if (status != ::tlm::TLM_OK_RESPONSE || (!payload.is_read() && !payload.is_write())) {
        port.respond(payload, at + (payload.is_read() ? read_tail_ : hbm_.write_latency));
        return true;
    }
    const std::uint64_t length = payload.get_data_length();
    (payload.is_read() ? traffic_.reads : traffic_.writes) += 1;
    (payload.is_read() ? traffic_.bytes_read : traffic_.bytes_written) += length;
    enqueue(payload.get_address(), length, payload.is_write(), new_slot(payload, at), at);
    newest_ = at;
    held_off_ = waiting() > BacklogBursts;
    return !held_off_;
}

// Applies the access to the contents. An access to a word that cannot be corrected is refused.
Response BankedStack::access(Payload& payload, Time at) {
    if (payload.is_read() && injects_) inject_some(payload);
    if (hbm_.ecc != 0 && upsets_.words() != 0) {
        const Upsets::Found found = decode_words(payload);
        counts_.corrected += found.corrected.size();
        counts_.uncorrected += found.uncorrected;
        for (const std::uint64_t word : found.corrected) enqueue(word, WordBytes, true, NoSlot, at);
        if (found.uncorrected != 0) return ::tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    storage_.access(payload);
    return ::tlm::TLM_OK_RESPONSE;
}

// A write with byte enables is decoded as a read: it may leave out bytes of any word.
Upsets::Found BankedStack::decode_words(const Payload& payload) {
    const std::uint64_t address = payload.get_address(), length = payload.get_data_length();
    if (payload.is_write() && payload.get_byte_enable_ptr() == nullptr)
        return upsets_.write(address, length, storage_.contents());
    return upsets_.read(address, length, storage_.contents());
}

// At regular numbers of reads, puts one or two wrong bits into one word of the read.
void BankedStack::inject_some(const Payload& payload) {
    const auto due = [](std::uint64_t every, std::uint64_t& left) {
        if (every == 0 || --left != 0) return false;
        left = every;
        return true;
    };
    const bool one = due(hbm_.single_upset_every, reads_until_single_);
    const bool two = due(hbm_.double_upset_every, reads_until_double_);
    if (!one && !two) return;
    const std::uint64_t address = payload.get_address() + random_.next() % payload.get_data_length();
    const auto first = static_cast<unsigned>(random_.next() % StoredBits);
    const auto apart = static_cast<unsigned>(1 + random_.next() % (StoredBits - 1));
    CodeWord bits = stored_bit(first);
    if (two) bits = bits ^ stored_bit((first + apart) % StoredBits);
    inject(address / WordBytes * WordBytes, bits);
}

// Without error correction the word is wrong from now on.
bool BankedStack::inject(std::uint64_t address, const CodeWord& bits) {
    if (hbm_.ecc != 0)
        upsets_.inject(address, bits);
    else
        invert(storage_.contents(), address, bits.data);
    return true;
}

std::uint32_t BankedStack::new_slot(Payload& payload, Time at) {
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t number = free_slots_.back();
    free_slots_.pop_back();
    slots_[number] = {&payload, at, 0, 0};
    return number;
}

void BankedStack::enqueue(std::uint64_t address, std::uint64_t length, bool write, std::uint32_t slot,
                          Time at) {
    ++sequence_;
    last_arrival_ = std::max(last_arrival_, cycle(at) + 1);
    std::uint64_t pieces = 0;
    mapping_.for_each_piece(address, length, [&](const Location& first, unsigned bursts) {
        channels_[first.channel].add(
            first.pseudo,
            {last_arrival_, sequence_, slot, first.row, static_cast<std::uint8_t>(first.bank),
             static_cast<std::uint8_t>(first.column), static_cast<std::uint8_t>(bursts), write});
        enqueued_ += bursts;
        ++pieces;
    });
    if (slot != NoSlot) slots_[slot].left = pieces;
    wake_at(at + horizon_);
}

void BankedStack::admitted(const Entry& entry, Cycle at) {
    if (entry.slot == NoSlot) return;
    if (--slots_[entry.slot].left == 0)
        answer(entry.slot, at * hbm_.tck + hbm_.write_latency, counts_.writes);
}

void BankedStack::moved(const Entry& entry, Cycle at) {
    if (entry.write) return;
    Slot& slot = slots_[entry.slot];
    slot.last = std::max(slot.last, at);
    if (--slot.left == 0) answer(entry.slot, slot.last * hbm_.tck + read_tail_, counts_.reads);
}

void BankedStack::answer(std::uint32_t number, Time at, LatencyCounts& counts) {
    const Slot& slot = slots_[number];
    const Time response = at + delay_.of(at);
    const Time latency = response - slot.at;
    ++counts.count;
    counts.total += latency;
    counts.most = std::max(counts.most, latency);
    answers_.push_back({response, slot.payload});
    free_slots_.push_back(number);
}

void BankedStack::advance() {
    const Cycle until = cycle(now());
    moved_ = 0;
    for (Channel& channel : channels_) {
        channel.advance(until);
        moved_ += channel.moved();
    }
    std::ranges::stable_sort(answers_, {}, &Answer::at);
    for (const Answer& answer : answers_) port.respond(*answer.payload, answer.at);
    answers_.clear();
}

void BankedStack::wake_at(Time at) {
    if (at >= wakes_at_) return;
    wakes_at_ = at;
    wake_.notify_at(at);
}

void BankedStack::wake() {
    wakes_at_ = NoTime;
    advance();
    if (waiting() != 0) wake_at(now() + horizon_);
    if (held_off_ && waiting() <= BacklogBursts) {
        held_off_ = false;
        port.accept(std::max(now(), newest_));
    }
}

bool BankedStack::report_to(CommandSink* sink) {
    advance();
    for (Channel& channel : channels_) channel.report_to(sink);
    return true;
}

std::optional<DramStatistics> BankedStack::dram() {
    advance();
    DramStatistics statistics = counts_;
    for (const Channel& channel : channels_) statistics.channels.push_back(channel.counts(cycle(now())));
    return statistics;
}

}  // namespace trnsim::tlm::hbm
