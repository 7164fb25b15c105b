#include "model/core/fast/gpsimd_engine.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/core_window.hpp"

namespace trnsim::tlm::core_fast {
namespace {

using u32 = std::uint32_t;

u32 bit_at(bool value, unsigned place) {
    return u32{value} << place;
}
u32 core_of(const GpsimdBeat& beat) {
    return (beat.address - isa::window::GpsimdTcmBase) / isa::window::GpsimdTcmStride;
}

}  // namespace

GpsimdEngine::GpsimdEngine(const config::Core& core, Functional& functional)
    : bus_bytes_(static_cast<u32>(core.bus.data_bits / 8)),
      dispatch_({gpsimd_cores(core.partitions), core.gpsimd.issue_latency,
                 static_cast<u32>(core.sbuf_partition), static_cast<u32>(core.partitions)}),
      parts_(std::max(bus_bytes_ / BeatBytes, 1U)) {
    const unsigned count = gpsimd_cores(core.partitions);
    cores_.reserve(count);
    for (unsigned k = 0; k < count; ++k)
        cores_.push_back(
            std::make_unique<GpsimdCore>(static_cast<u32>(core.gpsimd.vlen), k, functional.slice(k)));
    sample();
}

// Returns the accesses to the windows of the cores in this cycle: the engine goes before the bus.
GpsimdEngine::Access GpsimdEngine::access(const GpsimdBeat& beat) const {
    Access access;
    const bool own = dispatch_.active();
    if (own) {
        access.requests = reading_ ? 0 : dispatch_.requests();
        access.write = dispatch_.writes();
    } else if (beat.request != answered_ && !reading_) {
        access.requests = 1U << core_of(beat);
        access.write = beat.write;
    }
    for (unsigned k = 0; k < cores(); ++k) {
        access.granted |= access.requests & bit_at(cores_[k]->window_granted(), k);
        access.answered |= bit_at(cores_[k]->window_answers(), k);
    }
    return access;
}

// Returns the cores with a mailbox that does not have the answer that the instruction asks for.
u32 GpsimdEngine::wrong(u32 answered) const {
    u32 wrong = 0;
    for (; answered != 0; answered &= answered - 1) {
        const auto k = static_cast<unsigned>(std::countr_zero(answered));
        GpsimdDispatch::Words mailbox;
        std::memcpy(mailbox.data(), &tcm(k)[TRNSIM_MAILBOX_BASE - TRNSIM_TCM_BASE], sizeof(mailbox));
        wrong |= bit_at(!dispatch_.is_answer(mailbox), k);
    }
    return wrong;
}

void GpsimdEngine::edge(const InstructionBytes* accepted, const GpsimdBeat& beat, const PortGrant& grant) {
    const bool own = dispatch_.active();
    const Access access = this->access(beat);
    GpsimdDispatch::In in{accepted, halted_, waiting_, trapped_, {}, 0, 0, 0};
    for (unsigned k = 0; k < cores(); ++k) in.pc[k] = cores_[k]->pc();
    if (own && !reading_) in.granted = access.granted;
    if (!reading_) in.answered = access.answered;
    in.wrong = wrong(in.answered);

    const bool slice_ready = slices_.ready();
    const u32 slice_answers = slices_.answers(), run = dispatch_.run(), irq = dispatch_.irq();
    slices_.edge(reads_, wanted(), grant);
    if (own && access.write) write_own(in.granted);
    edge_access(beat, access, own);
    for (unsigned k = 0; k < cores(); ++k) {
        const auto has = [k](u32 bits) { return (bits >> k & 1) != 0; };
        const GpsimdCore::In pins{has(run),     has(irq),    dispatch_.boot(),  has(access.requests),
                                  access.write, slice_ready, has(slice_answers)};
        if (cores_[k]->needs_edge(pins)) cores_[k]->edge(pins);
    }
    dispatch_.edge(in);
    sample();
}

void GpsimdEngine::write_own(u32 cores) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(dispatch_.data().data());
    for (; cores != 0; cores &= cores - 1) {
        const auto k = static_cast<unsigned>(std::countr_zero(cores));
        for (u32 words = dispatch_.strobe(); words != 0; words &= words - 1) {
            const auto offset = WordBytes * static_cast<u32>(std::countr_zero(words));
            write_tcm(k, BeatBytes * dispatch_.beat() + offset, {bytes + offset, WordBytes});
        }
    }
}

void GpsimdEngine::edge_access(const GpsimdBeat& beat, const Access& access, bool own) {
    if (beat.request == answered_) return;
    const u32 core = core_of(beat);
    const bool taken = !own && !reading_ && (access.granted >> core & 1) != 0;
    const bool arrived = reading_ && (access.answered >> core & 1) != 0;
    if (taken && !beat.write) reading_ = true;
    if (arrived) reading_ = false;
    if (!(taken && beat.write) && !arrived) return;
    move_part(beat);
    part_ = part_ + 1 == parts_ ? 0 : part_ + 1;
    if (part_ == 0) answered_ = beat.request;
}

// Moves a part of the beat, to the memory or from it.
void GpsimdEngine::move_part(const GpsimdBeat& beat) {
    const u32 core = core_of(beat), bytes = std::min(bus_bytes_, BeatBytes), first = part_ * bytes;
    const u32 offset = (beat.address - isa::window::GpsimdTcmBase) % isa::window::GpsimdTcmStride + first;
    if (!beat.write) {
        std::memcpy(reinterpret_cast<std::uint8_t*>(answer_.data()) + first, &tcm(core)[offset], bytes);
        return;
    }
    const auto* data = reinterpret_cast<const std::uint8_t*>(beat.data.data.data());
    constexpr u32 StrobeBits = 32;
    const auto strobe = [&](u32 byte) {
        return (beat.data.strobe[byte / StrobeBits] >> byte % StrobeBits & 1) != 0;
    };
    for (u32 at = first; at < first + bytes; ++at) {
        u32 end = at;
        while (end < first + bytes && strobe(end)) ++end;
        if (end != at) write_tcm(core, offset + at - first, {data + at, end - at});
        at = std::max(at, end);
    }
}

void GpsimdEngine::sample() {
    halted_ = waiting_ = trapped_ = reads_ = writes_ = 0;
    awake_ = false;
    for (unsigned k = 0; k < cores(); ++k) {
        const GpsimdCore& core = *cores_[k];
        halted_ |= bit_at(core.halted(), k);
        waiting_ |= bit_at(core.waiting(), k);
        trapped_ |= bit_at(core.trapped(), k);
        reads_ |= bit_at(core.reads_slice(), k);
        writes_ |= bit_at(core.writes_slice(), k);
        awake_ = awake_ || core.awake();
    }
}

}  // namespace trnsim::tlm::core_fast
