#include "model/dma/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace trnsim::tlm::dma {
namespace {

// Usual delays of a perturbed engine, fs.
constexpr Time StartUnit = 100'000'000, GapUnit = 4'000'000, ResponseUnit = 20'000'000,
               FetchUnit = 40'000'000;

}  // namespace

Engine::Engine(const sc_core::sc_module_name& name, unsigned number, unsigned rings,
               const EngineTiming& timing, trace::Sink* sink, OnError on_error, perturb::Seed seed,
               addresses::CoreId core)
    : sc_module(name),
      port("port", [this](protocol::Transaction& transaction, Time at) { take_response(transaction, at); }),
      number_(number),
      core_(core),
      timing_(timing),
      sink_(sink),
      on_error_(std::move(on_error)),
      rings_(rings) {
    const perturb::Agent agent(seed, fmt::format("dma {}", number_));
    perturbed_ = {.start = {agent, "start", StartUnit},
                  .read = {agent, "read", GapUnit},
                  .write = {agent, "write", GapUnit},
                  .read_response = {agent, "read response", ResponseUnit},
                  .write_response = {agent, "write response", ResponseUnit},
                  .fetch = {agent, "fetch", FetchUnit},
                  .train = {agent, "train"}};
}

void Engine::take_response(protocol::Transaction& transaction, Time at) {
    perturb::Delay* const delays[] = {&perturbed_.read_response, &perturbed_.write_response,
                                      &perturbed_.fetch, &perturbed_.fetch,
                                      &perturbed_.read_response};  // by Kind
    const std::uint64_t kind = transaction.tag & KindMask;
    at += delays[kind]->of(at) + (kind == WriteAccess ? tail_of(transaction) : 0);
    transaction.acquire();
    arrivals_.push(at, &transaction);
    wake_.notify_at(at);
}

bool Engine::idle() const {
    return packets_.empty() && std::all_of(rings_.begin(), rings_.end(), [](const Ring& r) {
               return r.m2s.pending() == 0 && r.s2m.pending() == 0;
           });
}

bool Engine::quiet() const {
    return reads_ == 0 && writes_ == 0 && fetches_ == 0;
}

void Engine::reset() {
    for (const Slot& slot : slots_) {
        if (!slot.hole) slot.data->release();
    }
    first_slot_ += slots_.size();
    slots_.clear();
    buffered_ = 0;
    if (!packets_.empty()) statistics_.busy_time += now() - busy_since_;
    first_packet_ += packets_.size();
    packets_.clear();
    computing_ = 0;
    writing_ = first_packet_;
    reading_ = false;
    read_ = write_ = {};
    read_elements_ = {};
    results_ = {};
    element_unit_.begin_packet();
    rounding_ = {};
    read_free_ = write_free_ = 0;
    for (Ring& ring : rings_) ring = {};
    granted_ = turn_ = 0;
    ready_ = 0;
    fetch_due_ = false;
    error_ = {};
    stopped_ = false;
}

checkpoint::DmaEngineState Engine::save() const {
    checkpoint::DmaEngineState state{rounding_.stochastic ? 1U : 0U, rounding_.seed, {}, {}};
    for (const Ring& ring : rings_) {
        state.m2s.push_back(ring.m2s.save());
        state.s2m.push_back(ring.s2m.save());
    }
    return state;
}

void Engine::load(const checkpoint::DmaEngineState& state) {
    const auto check = [this](const std::vector<checkpoint::RingState>& rings) {
        if (rings.size() != rings_.size())
            throw checkpoint::Error(
                fmt::format("{} DMA rings in the checkpoint, expected {}", rings.size(), rings_.size()));
        for (const checkpoint::RingState& ring : rings) {
            if (ring.size > MaxRingSize || ring.place >= std::max(ring.size, 1U))
                throw checkpoint::Error(fmt::format("descriptor {} of a DMA ring of {} in the checkpoint",
                                                    ring.place, ring.size));
        }
    };
    check(state.m2s);
    check(state.s2m);
    rounding_ = {.stochastic = state.rounding_control != 0, .seed = state.rounding_seed};
    for (std::size_t i = 0; i < rings_.size(); ++i) {
        rings_[i].m2s.load(state.m2s[i]);
        rings_[i].s2m.load(state.s2m[i]);
    }
}

void Engine::work() {
    time_ = now();
    take_grants();
    take_arrivals();
    fetch();
    bool progress = !halted();
    while (progress && !halted()) {
        progress = compute_step();
        progress = write_step() || progress;
        progress = read_step() || progress;
    }
    fetch();  // into the new room
    finish_packets();
    schedule();
}

// Sets the wake-up to the next known event; events that are not known yet wake the engine themselves.
void Engine::schedule() {
    Time next = std::numeric_limits<Time>::max();
    if (!arrivals_.empty()) next = std::min(next, arrivals_.next());
    if (read_free_ > time_) next = std::min(next, read_free_);
    if (write_free_ > time_) next = std::min(next, write_free_);
    for (const Ring& ring : std::span(rings_).first(granted_ == 0 ? 0 : rings_.size())) {
        if (!ring.grants.empty()) next = std::min(next, ring.grants.front().at);
    }
    if (next != std::numeric_limits<Time>::max()) wake_.notify_at(next);
}

void Engine::ring_doorbell(unsigned number, std::uint32_t m2s, std::uint32_t s2m) {
    if (halted()) return;
    Ring& ring = rings_[number];
    if (m2s > ring.m2s.room() || s2m > ring.s2m.room()) {
        fail(ErrorCode::RingSetup, number, ring.m2s.tail() & PointerIndexMask, 0,
             fmt::format("doorbell for {} m2s and {} s2m descriptors, expected at most {} and {}", m2s, s2m,
                         ring.m2s.room(), ring.s2m.room()));
        return;
    }
    ring.m2s.add(m2s);
    ring.s2m.add(s2m);
    const Time lead = std::min(timing_.read_lead, timing_.start_latency);
    ++granted_;
    fetch_due_ = true;
    ring.grants.push_back({start_of(now(), now() + timing_.start_latency - lead), m2s, s2m});
    wake_.notify(sc_core::SC_ZERO_TIME);
}

// A perturbed engine may also begin earlier than usual.
Time Engine::start_of(Time doorbell, Time usual) {
    if (!perturbed_.start.perturbed()) return usual;
    return perturbed_.start.between(doorbell, usual) + perturbed_.start.of(usual);
}

void Engine::take_grants() {
    if (granted_ == 0) return;
    for (Ring& ring : rings_) {
        for (; !ring.grants.empty() && ring.grants.front().at <= time_; ring.grants.pop_front()) {
            ring.m2s_ready += ring.grants.front().m2s;
            ready_ += ring.grants.front().m2s;
            ring.s2m_ready += ring.grants.front().s2m;
            --granted_;
        }
    }
}

void Engine::take_arrivals() {
    while (arrivals_.due(time_)) {
        protocol::Transaction& transaction = *arrivals_.pop();
        ++progress_;
        arrive(transaction);
    }
}

void Engine::arrive(protocol::Transaction& transaction) {
    struct Row {
        ErrorCode code;
        const char* what;
    };
    static constexpr Row Rows[] = {{ErrorCode::Read, "read refused"},
                                   {ErrorCode::Write, "write refused"},
                                   {ErrorCode::DescriptorFetch, "descriptor fetch refused"},
                                   {ErrorCode::DescriptorFetch, "descriptor fetch refused"},
                                   {ErrorCode::Read, "read of an index refused"}};
    const auto kind = static_cast<Kind>(transaction.tag & KindMask);
    const auto ring = static_cast<unsigned>(transaction.tag >> RingBit & RingMask);
    const std::uint64_t sequence = transaction.tag >> SequenceBit;
    const bool good = transaction.is_response_ok();
    if (!good) {
        fail(Rows[kind].code, ring, static_cast<std::uint32_t>(transaction.detail), transaction.sent_to,
             fmt::format("{} ({})", Rows[kind].what, transaction.get_response_string()));
    }
    const std::span<const std::uint8_t> bytes(transaction.get_data_ptr(), transaction.get_data_length());
    if (kind == ReadAccess) {
        reads_ -= bursts_of(transaction);
        slots_[sequence - first_slot_].data = &transaction;
        return;  // released when written
    }
    if (kind == WriteAccess) {
        const unsigned bursts = bursts_of(transaction);
        writes_ -= bursts;
        packets_[sequence - first_packet_].writes -= bursts;
        return transaction.release();
    }
    if (kind == IndexAccess) {
        --reads_;
        if (good)
            packets_[sequence / MaxIndices - first_packet_].indices.arrived(
                static_cast<unsigned>(sequence % MaxIndices), bytes);
        return transaction.release();
    }
    --fetches_;
    if (good) {
        (kind == FetchM2s ? rings_[ring].m2s : rings_[ring].s2m).arrived(sequence, bytes);
    }
    transaction.release();
}

void Engine::fetch() {
    if (halted() || !std::exchange(fetch_due_, false)) return;
    for (unsigned i = 0; i < rings_.size(); ++i) {
        fetch(i, rings_[i].m2s, FetchM2s);
        fetch(i, rings_[i].s2m, FetchS2m);
    }
}

void Engine::fetch(unsigned ring, DescriptorQueue& queue, Kind kind) {
    if (!queue.wants_fetch()) return;
    while (const auto next = queue.next_fetch(timing_.prefetch)) {
        auto& transaction = pool_.make(::tlm::TLM_READ_COMMAND, next->address, next->count * DescriptorBytes);
        transaction.tag = make_tag(kind, ring, next->sequence);
        transaction.detail = next->index;
        ++fetches_;
        statistics_.descriptor_bytes += std::uint64_t{next->count} * DescriptorBytes;
        port.send(transaction, time_);
    }
}

void Engine::finish_packets() {
    while (!packets_.empty() && packets_.front().written && packets_.front().writes == 0) {
        const Packet packet = packets_.front();
        packets_.pop_front();
        computing_ -= packet.computes;
        ++first_packet_;
        ++statistics_.packets;
        Ring& ring = rings_[packet.ring];
        --ring.packets;
        if (sink_ != nullptr) {
            sink_->packet({.chip = core_.chip,
                           .core = core_.core,
                           .engine = number_,
                           .ring = packet.ring,
                           .start = packet.start,
                           .end = time_,
                           .bytes = packet.bytes,
                           .descriptors = packet.descriptors,
                           .source = packet.source,
                           .destination = packet.destination});
        }
        if (ring.packets == 0 && ring.m2s.pending() == 0 && ring.s2m.pending() != 0) {
            fail(ErrorCode::LengthMismatch, packet.ring, ring.s2m.front_index(), 0,
                 fmt::format("{} s2m descriptors beyond the packets, expected none", ring.s2m.pending()));
        }
        if (packets_.empty()) statistics_.busy_time += time_ - busy_since_;
    }
}

void Engine::fail(ErrorCode code, unsigned ring, std::uint32_t descriptor, std::uint64_t address,
                  const std::string& what) {
    if (halted()) return;
    const std::string place = address == 0 ? "" : fmt::format(", address 0x{:x}", address);
    error_ = {
        code, ring, descriptor, address,
        fmt::format("DMA engine {} ring {} descriptor {}{}: {}", number_, ring, descriptor, place, what)};
    if (on_error_) on_error_(error_);
}

std::string Engine::state() const {
    return fmt::format("DMA engine {}: {} packets, {} reads and {} writes under way", number_,
                       packets_.size(), reads_, writes_);
}

bool Engine::write(unsigned ring_number, RingRegister reg, std::uint32_t value) {
    if (reg != RingRegister::Doorbell) return write_setup(rings_[ring_number], ring_number, reg, value);
    ring_doorbell(ring_number, value & 0xffff, value >> 16);
    return true;
}

bool Engine::write_setup(Ring& ring, unsigned number, RingRegister reg, std::uint32_t value) {
    const bool s2m = reg >= RingRegister::S2mBaseLow;
    DescriptorQueue& queue = s2m ? ring.s2m : ring.m2s;
    const auto plain = static_cast<RingRegister>(static_cast<std::uint32_t>(reg) - (s2m ? 0x20 : 0));
    if (plain > RingRegister::M2sSize) return false;
    if (ring.m2s.pending() != 0 || ring.s2m.pending() != 0 || ring.packets != 0) {
        fail(ErrorCode::Busy, number, 0, 0, "base or size written while the ring has work");
        return true;
    }
    const bool low = plain == RingRegister::M2sBaseLow;
    if (plain == RingRegister::M2sSize ? value == 0 || value > MaxRingSize : low && value % RingAlign != 0) {
        fail(ErrorCode::RingSetup, number, 0, 0,
             fmt::format("ring base or size 0x{:x}, expected a multiple of {} or 1 to {}", value, RingAlign,
                         MaxRingSize));
        return true;
    }
    if (plain == RingRegister::M2sSize) {
        queue.size = value;
    } else {
        const std::uint64_t other = queue.base & (low ? 0xffffffff00000000 : 0xffffffff);
        queue.base = other | (low ? std::uint64_t{value} : std::uint64_t{value} << 32);
    }
    queue.reset();
    return true;
}

bool Engine::write(EngineRegister reg, std::uint32_t value) {
    if (reg == EngineRegister::SrSeed) {
        rounding_.seed = value;
    } else if (reg == EngineRegister::SrControl && value <= 1) {
        rounding_.stochastic = value != 0;
    } else {
        return false;
    }
    return true;
}

bool Engine::read(EngineRegister reg, std::uint32_t& value) const {
    const struct {
        EngineRegister reg;
        std::uint32_t value;
    } rows[] = {
        {EngineRegister::Error, static_cast<std::uint32_t>(error_.code)},
        {EngineRegister::ErrorRing, error_.ring},
        {EngineRegister::ErrorDescriptor, error_.descriptor},
        {EngineRegister::ErrorAddressLow, static_cast<std::uint32_t>(error_.address)},
        {EngineRegister::ErrorAddressHigh, static_cast<std::uint32_t>(error_.address >> 32)},
        {EngineRegister::SrControl, rounding_.stochastic ? 1U : 0U},
        {EngineRegister::SrSeed, rounding_.seed},
    };
    const auto* row =
        std::find_if(std::begin(rows), std::end(rows), [&](const auto& r) { return r.reg == reg; });
    if (row == std::end(rows)) return false;
    value = row->value;
    return true;
}

bool Engine::read(unsigned ring_number, RingRegister reg, std::uint32_t& value) const {
    const Ring& ring = rings_[ring_number];
    const auto high = [](std::uint64_t base) { return static_cast<std::uint32_t>(base >> 32); };
    const bool busy = ring.m2s.pending() != 0 || ring.s2m.pending() != 0 || ring.packets != 0;
    const struct {
        RingRegister reg;
        std::uint32_t value;
    } rows[] = {
        {RingRegister::M2sBaseLow, static_cast<std::uint32_t>(ring.m2s.base)},
        {RingRegister::M2sBaseHigh, high(ring.m2s.base)},
        {RingRegister::M2sSize, ring.m2s.size},
        {RingRegister::M2sHead, ring.m2s.head()},
        {RingRegister::M2sTail, ring.m2s.tail()},
        {RingRegister::S2mBaseLow, static_cast<std::uint32_t>(ring.s2m.base)},
        {RingRegister::S2mBaseHigh, high(ring.s2m.base)},
        {RingRegister::S2mSize, ring.s2m.size},
        {RingRegister::S2mHead, ring.s2m.head()},
        {RingRegister::S2mTail, ring.s2m.tail()},
        {RingRegister::Status, (busy ? 1U : 0U) | (error_.code != ErrorCode::None ? 2U : 0U)},
    };
    const auto* row =
        std::find_if(std::begin(rows), std::end(rows), [&](const auto& r) { return r.reg == reg; });
    if (row == std::end(rows)) return false;
    value = row->value;
    return true;
}

}  // namespace trnsim::tlm::dma
