#include "tests/rtl/gpsimd/blocks/dispatch_bench.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>

#include "isa/isa_tables.hpp"

namespace trnsim::test {

namespace {

constexpr std::uint64_t MostCycles = 20'000;

}  // namespace

std::uint32_t mailbox_address(std::uint32_t core) {
    return isa::window::GpsimdTcmBase + core * isa::window::GpsimdTcmStride + 4 * MailboxWord;
}

// Returns whether the core has not finished its present action.
bool DispatchedCore::busy() {
    if (at_ == behaviour.moments.size() && behaviour.for_ever) at_ = 0;
    if (at_ < behaviour.moments.size()) {
        pc_ = behaviour.moments[at_].pc;
        trapped_ = behaviour.moments[at_].traps;
        ++at_;
        return true;
    }
    pc_ += 4;
    return left_-- > 0;
}

void DispatchedCore::step(std::uint64_t cycle, bool run, bool irq, std::uint32_t boot) {
    trapped_ = keeps_trapping;
    if (!run && ran_) enter(State::Halting, behaviour.halts);
    if (run && !ran_) {
        EXPECT_TRUE(halted()) << "started before it has halted";
        enter(State::Starting, behaviour.starts);
        ++starts;
        booted_at = boot;
    }
    ran_ = run;
    switch (state_) {
        case State::Halting:
            if (left_-- == 0) state_ = State::Halted;
            break;
        case State::Starting:
            if (busy() || !behaviour.waits) break;
            write(MailboxField::Magic, behaviour.magic);
            state_ = State::Waiting;
            waits_since = cycle;
            break;
        case State::Waiting:
            if (irq && behaviour.leaves_wfi) enter(State::Waking, behaviour.wakes);
            break;
        case State::Waking:
            EXPECT_TRUE(irq) << "the interrupt stays until the core wakes";
            if (left_-- > 0) break;
            enter(State::Working, behaviour.works);
            ++wakes;
            break;
        case State::Working:
            if (busy() || !behaviour.waits) break;
            write(MailboxField::Completed, words[MailboxField::Request] ^ behaviour.request_changed);
            write(MailboxField::Answer, behaviour.status);
            state_ = State::Waiting;
            waits_since = cycle;
            break;
        case State::Halted:
            break;
    }
}

DispatchBench::DispatchBench() {
    for (DispatchedCore& core : cores)
        for (std::uint32_t place = 0; place < MailboxWords; ++place)
            core.write(place, static_cast<std::uint32_t>(random_()));
    model_.rst_ni = 1;
    model_.eval();
    reset();
}

void DispatchBench::reset() {
    model_.rst_ni = 0;
    for (int k = 0; k < 4; ++k) step();
    model_.rst_ni = 1;
    under_way_ = request = irq_ = 0;
}

void DispatchBench::step() {
    unsigned halted = 0, waiting = 0, trapped = 0, answered = 0;
    model_.tcm_gnt_i = 0;
    for (std::uint32_t k = 0; k < Cores; ++k) {
        halted |= static_cast<unsigned>(cores[k].halted()) << k;
        waiting |= static_cast<unsigned>(cores[k].waiting()) << k;
        trapped |= static_cast<unsigned>(cores[k].trapped()) << k;
        answered |= static_cast<unsigned>(answers_[k][2].has_value()) << k;
        model_.pc_i[k] = cores[k].pc();
        // Without an answer the lines of a memory may be anything.
        for (std::uint32_t w = 0; w < BeatWords; ++w)
            model_.tcm_rdata_i[BeatWords * k + w] =
                answers_[k][2] ? (*answers_[k][2])[w] : static_cast<std::uint32_t>(random_());
    }
    model_.halted_i = static_cast<std::uint8_t>(halted);
    model_.waiting_i = static_cast<std::uint8_t>(waiting);
    model_.trapped_i = static_cast<std::uint8_t>(trapped);
    model_.tcm_rvalid_i = static_cast<std::uint8_t>(answered);
    model_.clk_i = 0;
    model_.eval();
    unsigned taken = 0;
    for (std::uint32_t k = 0; k < Cores; ++k)
        taken |= static_cast<unsigned>(random_() % 100 < taken_percent) << k;
    model_.tcm_gnt_i = static_cast<std::uint8_t>(taken & model_.tcm_req_o);
    model_.eval();

    if (model_.rst_ni != 0) {
        EXPECT_TRUE(model_.tcm_active_o != 0 || model_.tcm_req_o == 0);
        EXPECT_EQ(model_.busy_o != 0, under_way_ != 0 && model_.fault_o == 0);
        if (model_.done_o != 0) {
            EXPECT_EQ(under_way_, 1u) << "nothing is under way";
            --under_way_;
        }
    }
    serve();
    for (std::uint32_t k = 0; k < Cores; ++k)
        cores[k].step(cycle_, (model_.run_o >> k & 1) != 0, (model_.irq_o >> k & 1) != 0, model_.boot_o);
    if (irq_ == 0 && model_.irq_o != 0) {
        interrupt_at = cycle_;
        if (at_interrupt) at_interrupt();
    }
    irq_ = model_.irq_o;
    interrupted |= irq_;

    model_.clk_i = 1;
    model_.eval();
    ++cycle_;
}

// Plays the memories: data comes three cycles after the request.
void DispatchBench::serve() {
    for (std::uint32_t k = 0; k < Cores; ++k) {
        auto& answers = answers_[k];
        answers = {std::nullopt, answers[0], answers[1]};
        if ((model_.tcm_gnt_i >> k & 1) == 0) continue;
        ++beats;
        const std::uint32_t first = model_.tcm_beat_o * BeatWords - MailboxWord;
        ASSERT_LE(first, MailboxWords - BeatWords) << "outside of the mailbox";
        if (model_.tcm_write_o == 0) answers[0].emplace();
        for (std::uint32_t w = 0; w < BeatWords; ++w) {
            std::uint32_t& word = cores[k].words[first + w];
            if (model_.tcm_write_o == 0) {
                (*answers[0])[w] = word;
                continue;
            }
            const auto strobe = model_.tcm_strobe_o >> 4 * w & 0xf;
            EXPECT_TRUE(strobe == 0 || strobe == 0xf);
            if (strobe != 0) word = model_.tcm_wdata_o[w];
        }
    }
}

std::uint64_t DispatchBench::issue(const isa::Instruction& instruction) {
    std::memcpy(&model_.instr_i, instruction.bytes().data(), isa::InstructionBytes);
    model_.instr_valid_i = 1;
    model_.clk_i = 0;
    model_.eval();
    for (const std::uint64_t limit = cycle_ + MostCycles; model_.instr_ready_o == 0;) {
        if (cycle_ > limit) throw std::runtime_error("an instruction is not taken");
        step();
        model_.clk_i = 0;
        model_.eval();
    }
    interrupted = 0;
    beats = 0;
    issued_at_ = cycle_;
    // The end may be reported in the same cycle.
    step();
    if (model_.fault_o == 0) ++under_way_;
    model_.instr_valid_i = 0;
    for (auto& word : std::span(&model_.instr_i[0], isa::InstructionBytes / 4))
        word = static_cast<std::uint32_t>(random_());
    return issued_at_;
}

std::optional<std::uint64_t> DispatchBench::finish() {
    while (under_way_ != 0) {
        step();
        if (model_.fault_o != 0) return std::nullopt;
        if (cycle_ > issued_at_ + MostCycles) {
            ADD_FAILURE() << "an instruction does not end";
            return std::nullopt;
        }
    }
    return cycle_ - 1 - issued_at_;
}

isa::Error DispatchBench::reject(const isa::Instruction& instruction) {
    std::memcpy(&model_.instr_i, instruction.bytes().data(), isa::InstructionBytes);
    model_.eval();
    return static_cast<isa::Error>(model_.reject_o);
}

void DispatchBench::expect_arguments(const isa::Instruction& instruction) {
    static constexpr std::size_t FirstBit = 128;
    const auto bytes = instruction.bytes();
    for (std::uint64_t k = 0; k < instruction.get(isa::field::Words); ++k) {
        std::uint32_t word = 0;
        std::memcpy(&word, &bytes[FirstBit / 8 + 4 * k], sizeof word);
        for (DispatchedCore& core : cores)
            core.expected[MailboxField::Arguments + instruction.get(isa::field::FirstWord) + k] = word;
    }
}

void DispatchBench::expect_command(std::uint32_t mask, std::uint32_t operation) {
    request = request == 0xffffffff ? 1 : request + 1;
    for (std::uint32_t k = 0; k < Cores; ++k) {
        if ((mask >> k & 1) == 0) continue;
        auto& expected = cores[k].expected;
        expected[MailboxField::Request] = request;
        expected[MailboxField::Command] = operation;
        expected[MailboxField::Number] = k;
        expected[MailboxField::Count] = static_cast<std::uint32_t>(std::popcount(mask));
        expected[MailboxField::PartitionBytes] = SbufBytes;
        expected[MailboxField::Partitions] = Lanes;
    }
}

void DispatchBench::check_mailboxes() {
    for (std::uint32_t k = 0; k < Cores; ++k)
        for (std::uint32_t place = 0; place < MailboxWords; ++place)
            ASSERT_EQ(cores[k].words[place], cores[k].expected[place]) << "core " << k << " word " << place;
}

void DispatchBench::start() {
    EXPECT_TRUE(run(gpsimd::start(All, TRNSIM_CODE_BASE)));
}

}  // namespace trnsim::test
