#include "model/core/fast/gpsimd_dispatch.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "firmware/include/trnsim/mailbox.hpp"
#include "isa/core_window.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {
namespace {

using isa::Opcode;
namespace field = isa::field;
using u32 = std::uint32_t;

using firmware::Mailbox;

constexpr u32 MailboxOffset = TRNSIM_MAILBOX_BASE - TRNSIM_TCM_BASE;
constexpr u32 ArgumentsWord = offsetof(Mailbox, arguments) / WordBytes, MostWords = 12;
constexpr u32 FirstGiven = 128 / 8;  // byte of an instruction at which its first word is
constexpr u32 MostCount = 1023;

constexpr u32 word(std::size_t offset) {
    return static_cast<u32>(offset / WordBytes);
}
// Words in the second beat.
constexpr u32 PartitionBytesWord = word(offsetof(Mailbox, partition_bytes)) - GpsimdDispatch::BeatWords,
              PartitionsWord = word(offsetof(Mailbox, partitions)) - GpsimdDispatch::BeatWords;

}  // namespace

isa::Error check_gpsimd(const InstructionBytes& bytes, unsigned cores) {
    using isa::Error;
    if (opcode_of(bytes) == Opcode::GpsimdArguments) {
        const u32 words = get32(bytes, field::Words);
        const bool fits = words != 0 && words <= MostWords &&
                          get32(bytes, field::FirstWord) + words <= firmware::ArgumentWords;
        return fits ? Error::None : Error::UnsupportedOperand;
    }
    const u32 mask = get32(bytes, field::CoreMask);
    if (mask == 0 || mask >> cores != 0) return Error::UnsupportedOperand;
    if (opcode_of(bytes) != Opcode::GpsimdStart) return Error::None;
    const u32 boot = get32(bytes, field::Boot);
    if (boot - TRNSIM_TCM_BASE >= TRNSIM_TCM_BYTES) return Error::AddressRange;
    return boot % WordBytes != 0 ? Error::AddressAlign : Error::None;
}

isa::GpsimdState GpsimdDispatch::state(unsigned core, bool halted, bool waiting) const {
    using isa::GpsimdState;
    if ((trapped_ >> core & 1) != 0) return GpsimdState::Trapped;
    return waiting ? GpsimdState::Waiting : halted ? GpsimdState::Halted : GpsimdState::Running;
}

u32 GpsimdDispatch::requests() const {
    if (!active()) return 0;
    return state_ == State::Number ? mask_ & 1U << number_ : pending_;
}

u32 GpsimdDispatch::beat() const {
    return state_ == State::Read ? MailboxOffset / BeatBytes : beat_ + step_;
}

bool GpsimdDispatch::is_answer(const Words& mailbox) const {
    if (opcode_ == Opcode::GpsimdStart)
        return mailbox[word(offsetof(Mailbox, magic))] == firmware::MailboxMagic;
    return mailbox[word(offsetof(Mailbox, completed))] == request_ &&
           mailbox[word(offsetof(Mailbox, status))] == 0;
}

void GpsimdDispatch::accept(const InstructionBytes& bytes) {
    opcode_ = opcode_of(bytes);
    step_ = number_ = 0;
    count_ = 0;
    state_ = State::Write;
    data_ = {};
    strobe_ = {};
    if (opcode_ == Opcode::GpsimdArguments) {
        mask_ = pending_ = (1U << sizes_.cores) - 1;
        const u32 first = get32(bytes, field::FirstWord), words = get32(bytes, field::Words);
        for (u32 k = 0; k < words; ++k) {
            const u32 place = first % BeatWords + k;
            std::memcpy(&data_[place / BeatWords][place % BeatWords], &bytes[FirstGiven + WordBytes * k],
                        WordBytes);
            strobe_[place / BeatWords] |= 1U << place % BeatWords;
        }
        last_ = strobe_[1] != 0 ? 1 : 0;
        beat_ = (MailboxOffset + WordBytes * ArgumentsWord) / BeatBytes + first / BeatWords;
        return;
    }
    mask_ = pending_ = get32(bytes, field::CoreMask);
    beat_ = MailboxOffset / BeatBytes;
    if (opcode_ == Opcode::GpsimdStart) {
        state_ = State::Halt;
        boot_ = get32(bytes, field::Boot);
        run_ &= ~mask_;
        return;
    }
    last_ = 1;
    request_ = request_ == ~0U ? 1 : request_ + 1;
    const auto put = [this](unsigned beat, u32 place, u32 value) {
        data_[beat][place] = value;
        strobe_[beat] |= 1U << place;
    };
    put(0, word(offsetof(Mailbox, request)), request_);
    put(0, word(offsetof(Mailbox, command)), get32(bytes, field::Operation));
    put(0, word(offsetof(Mailbox, cores)), static_cast<u32>(std::popcount(mask_)));
    put(1, PartitionBytesWord, sizes_.partition_bytes);
    put(1, PartitionsWord, sizes_.partitions);
}

u32 GpsimdDispatch::stuck(const In& in) const {
    u32 cores = 0;
    for (unsigned k = 0; k < sizes_.cores; ++k) cores |= u32{in.pc[k] == trap_pc_[k]} << k;
    return cores & in.trapped & same_;
}

u32 GpsimdDispatch::failing(const In& in) const {
    switch (state_) {
        case State::Latency:
            return count_reached(sizes_.issue_latency) ? mask_ & ~in.waiting : 0;
        case State::Run:
            return mask_ & (stuck(in) | (count_reached(figure(Figure::GpsimdWakeLimit)) ? irq_ : 0));
        case State::Boot:
            return mask_ & stuck(in);
        case State::Read:
            return answered_ == mask_ ? bad_ : 0;
        default:
            return 0;
    }
}

void GpsimdDispatch::edge(const In& in) {
    const u32 failed = failing(in);
    const bool issued = count_reached(sizes_.issue_latency);
    done_ = false;
    trapped_ |= in.trapped;
    for (unsigned k = 0; k < sizes_.cores; ++k) {
        if ((in.trapped >> k & 1) != 0) {
            same_ |= 1U << k;
            trap_pc_[k] = in.pc[k];
        } else if (in.pc[k] != trap_pc_[k]) {
            same_ &= ~(1U << k);
        }
    }
    if (count_ < MostCount) ++count_;
    edge_state(in, issued);
    if (failed == 0) return;
    done_ = false;
    state_ = State::Failed;
    irq_ = 0;
    run_ &= ~mask_;
    const auto core = static_cast<u32>(std::countr_zero(failed));
    fault_ = {isa::Error::GpsimdFault,
              isa::window::GpsimdTcmBase + core * isa::window::GpsimdTcmStride + MailboxOffset};
}

void GpsimdDispatch::edge_state(const In& in, bool issued) {
    const u32 ungranted = pending_ & ~in.granted;
    switch (state_) {
        case State::Idle:
            if (in.accepted != nullptr) accept(*in.accepted);
            break;
        case State::Write:
            pending_ = ungranted;
            if (ungranted != 0) break;
            pending_ = mask_;
            if (step_ != last_) {
                step_ = 1;
                break;
            }
            step_ = 0;
            done_ = opcode_ == Opcode::GpsimdArguments;
            state_ = done_ ? State::Idle : State::Number;
            data_[0][word(offsetof(Mailbox, core))] = 0;
            strobe_[0] = 1U << word(offsetof(Mailbox, core));
            break;
        case State::Number:
            if ((mask_ >> number_ & 1) != 0 && (in.granted >> number_ & 1) == 0) break;
            if (number_ + 1 == sizes_.cores) state_ = State::Latency;
            ++number_;
            data_[0][word(offsetof(Mailbox, core))] = number_;
            break;
        case State::Latency:
            if (!issued) break;
            irq_ = mask_;
            count_ = 0;
            state_ = State::Run;
            break;
        case State::Run: {
            const u32 waiting_for = mask_ & (irq_ | ~in.waiting);
            irq_ &= in.waiting;
            if (waiting_for != 0) break;
            pending_ = mask_;
            answered_ = 0;
            state_ = State::Read;
            break;
        }
        case State::Halt:
            if ((mask_ & ~in.halted) != 0) break;
            run_ |= mask_;
            trapped_ &= ~mask_;
            state_ = State::Boot;
            break;
        case State::Boot:
            if ((mask_ & ~in.waiting) != 0) break;
            pending_ = mask_;
            answered_ = 0;
            state_ = State::Read;
            break;
        case State::Read: {
            const bool all = answered_ == mask_;
            if (all) {
                done_ = bad_ == 0;
                trapped_ &= ~(mask_ & ~bad_);
                state_ = State::Idle;
            }
            pending_ = ungranted;
            answered_ |= in.answered;
            bad_ = (bad_ & ~in.answered) | (in.wrong & in.answered);
            break;
        }
        case State::Failed:
            break;
    }
}

}  // namespace trnsim::tlm::core_fast
