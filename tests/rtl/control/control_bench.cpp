#include "rtl/control/control_bench.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "Vcontrol.h"

namespace trnsim::test {

namespace {

constexpr std::uint32_t CsrCore = 0x2710800, SemRead = 0x2701000;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ value) * 0x9e3779b97f4a7c15ull + (hash >> 29);
}

}  // namespace

ControlBench::ControlBench(const BenchOptions& options)
    : memory(options.seed * 7 + 1, options.memory_ready, options.memory_latency),
      options_(options),
      dut_(std::make_unique<Vcontrol>()),
      random_(options.seed) {
    reset();
}

ControlBench::~ControlBench() {
    dut_->final();
}

void ControlBench::reset() {
    for (int step = 0; step < 4; ++step) {
        dut_->rst_ni = step == 3;
        dut_->clk_i = step % 2;
        dut_->eval();
    }
    dut_->clk_i = 0;
    dut_->eval();
    stream_ = {};
    working_ = {};
    semaphores_ = {};
    issued = completed = {};
}

void ControlBench::run_program(int engine, const Program& program, std::uint64_t address) {
    memory.load(address, program);
    const std::uint32_t base = 0x2710000 + engine * 0x100;
    write(base, static_cast<std::uint32_t>(address));
    write(base + 4, static_cast<std::uint32_t>(address >> 32));
    stream_[engine] = {.program = program, .running = true};
    issued[engine] = completed[engine] = 0;
    write(base + 8, 1);
}

bool ControlBench::finish(unsigned limit) {
    for (unsigned i = 0; i < limit; ++i) {
        bool over = true;
        for (int e = 0; e < Engines; ++e) {
            const bool halted = state(e) == isa::SeqState::Halted;
            over = over && working_[e].empty() && (!stream_[e].running || halted || error());
        }
        // Wait states of an error stop: what is in flight still completes.
        if (over && idle()) return true;
        cycle();
    }
    return false;
}

void ControlBench::cycles(unsigned count) {
    for (unsigned i = 0; i < count; ++i) cycle();
}

isa::Instruction ControlBench::head_of(int engine) const {
    std::array<std::uint8_t, isa::InstructionBytes> bytes;
    std::memcpy(bytes.data(), &dut_->dispatch_instr_o[engine * 16], bytes.size());
    return isa::Instruction(bytes);
}

void ControlBench::drive() {
    const MemoryOut& m = memory.drive();
    dut_->m_ar_ready_i = m.ar_ready;
    dut_->m_r_valid_i = m.r_valid;
    dut_->m_r_id_i = m.r_id;
    dut_->m_r_resp_i = m.r_resp;
    dut_->m_r_last_i = m.r_last;
    std::memcpy(&dut_->m_r_data_i[0], m.r_data.bytes().data(), isa::InstructionBytes);
    dut_->m_aw_ready_i = m.aw_ready;
    dut_->m_w_ready_i = m.w_ready;
    dut_->m_b_valid_i = m.b_valid;
    dut_->m_b_id_i = m.b_id;
    dut_->m_b_resp_i = m.b_resp;

    unsigned ready = 0, done = 0, busy = 0;
    for (int e = 0; e < Engines; ++e) {
        if (random_() % 100 < options_.engine_ready && !refuse[e]) ready |= 1u << e;
        if (!working_[e].empty()) busy |= 1u << e;
        if (!working_[e].empty() && working_[e].front() <= now_ && !hold[e]) done |= 1u << e;
    }
    dut_->dispatch_ready_i = ready;
    dut_->done_i = done;
    dut_->engine_busy_i = busy;

    if (!pending_ && traffic) {
        pending_ = traffic();
        pending_is_traffic_ = pending_.has_value();
    }
    dut_->sys_valid_i = pending_.has_value();
    if (pending_) {
        dut_->sys_we_i = pending_->write;
        dut_->sys_addr_i = pending_->address;
        dut_->sys_wdata_i = pending_->data;
    }

    dut_->clk_i = 0;
    dut_->eval();
    if (reject) {
        unsigned verdict = 0;
        for (int e = 0; e < Engines; ++e) verdict |= static_cast<unsigned>(reject(e, head_of(e))) << (5 * e);
        dut_->reject_i = verdict;
        dut_->eval();
    }
}

void ControlBench::check_issue(int engine) {
    Stream& stream = stream_[engine];
    ASSERT_LT(stream.head, stream.program.size()) << "engine " << engine << " ran past its program";
    const isa::Instruction& expected = stream.program[stream.head];
    EXPECT_EQ(dut_->issue_pc_o[engine], stream.head);
    EXPECT_EQ(head_of(engine), expected) << "engine " << engine << " pc " << stream.head;
    if (is_control(expected)) {
        EXPECT_FALSE(stream.begun) << "engine " << engine << " pc " << stream.head << " issued twice";
        stream.begun = true;
        return;
    }
    EXPECT_TRUE(stream.wait_seen) << "engine " << engine << " pc " << stream.head << " did not wait";
    ++issued[engine];
    ++stream.head;
    stream.wait_seen = false;
    working_[engine].push_back(now_ + 1 + random_() % options_.engine_latency);
    longest_queue[engine] = std::max<unsigned>(longest_queue[engine], stream.head - completed[engine]);
}

void ControlBench::check_completion(int engine) {
    Stream& stream = stream_[engine];
    ASSERT_LT(completed[engine], stream.program.size());
    const isa::Instruction& instruction = stream.program[completed[engine]];
    if (is_control(instruction)) {
        EXPECT_EQ(completed[engine], stream.head) << "control instruction overtook";
        EXPECT_TRUE(stream.wait_seen) << "engine " << engine << " pc " << stream.head << " did not wait";
        EXPECT_TRUE(stream.begun) << "engine " << engine << " pc " << stream.head << " completed unissued";
        ++stream.head;
        stream.wait_seen = stream.begun = false;
    } else {
        EXPECT_LT(completed[engine], stream.head) << "completed before it was handed over";
    }
    ++completed[engine];
    if (instruction.get(isa::field::UpdateMode) != 0) {
        std::uint32_t& value = semaphores_[instruction.get(isa::field::UpdateSem)];
        value = updated(instruction, value);
        ++updates_this_cycle_;
    }
}

// A control instruction looks at its semaphore once everything before it has completed.
void ControlBench::look_at_waits() {
    for (int e = 0; e < Engines; ++e) {
        Stream& stream = stream_[e];
        if (stream.head >= stream.program.size()) continue;
        const isa::Instruction& instruction = stream.program[stream.head];
        if (instruction.info() == nullptr) continue;
        if (is_control(instruction) && completed[e] != stream.head) continue;
        stream.wait_seen = stream.wait_seen ||
                           wait_satisfied(instruction, semaphores_[instruction.get(isa::field::WaitSem)]);
    }
}

void ControlBench::sample() {
    const bool accepted = dut_->sys_valid_i && dut_->sys_ready_o;
    look_at_waits();
    updates_this_cycle_ = 0;
    for (int e = 0; e < Engines; ++e) {
        if (dut_->done_i >> e & 1) working_[e].pop_front();
        if (dut_->completed_o >> e & 1) check_completion(e);
        if (dut_->issued_o >> e & 1) check_issue(e);
        ++cycles_in_state[e][static_cast<unsigned>(state(e))];
    }
    if (accepted && pending_->write && pending_->address >= SemRead + 0x400 &&
        pending_->address < SemRead + 0x1000) {
        std::uint32_t& value = semaphores_[pending_->address / 4 % 256];
        const unsigned alias = (pending_->address - SemRead) / 0x400;
        if (alias == 1) value = pending_->data;
        if (alias == 2 && value + pending_->data >= value) value += pending_->data;
        if (alias == 3 && value >= pending_->data) value -= pending_->data;
        ++updates_this_cycle_;
    }
    EXPECT_LE(updates_this_cycle_, 1u);
    if (expect_no_error) {
        ASSERT_FALSE(dut_->error_o);
    }

    if (dut_->sr_seed_valid_o) seeds.push_back(dut_->sr_seed_o);

    std::uint64_t hash = dut_->idle_o;
    for (const std::uint64_t value :
         {std::uint64_t{dut_->m_ar_valid_o}, std::uint64_t{dut_->m_ar_addr_o}, std::uint64_t{dut_->m_ar_id_o},
          std::uint64_t{dut_->m_aw_valid_o}, std::uint64_t{dut_->m_aw_addr_o},
          std::uint64_t{dut_->m_w_valid_o}, std::uint64_t{dut_->m_w_data_o},
          std::uint64_t{dut_->dispatch_valid_o}, std::uint64_t{dut_->state_o}, std::uint64_t{dut_->issued_o},
          std::uint64_t{dut_->completed_o}, std::uint64_t{dut_->error_o}, std::uint64_t{dut_->sys_ready_o},
          std::uint64_t{dut_->sys_rdata_o}, std::uint64_t{dut_->sys_error_o},
          std::uint64_t{dut_->sr_seed_valid_o}}) {
        hash = mix(hash, value);
    }
    trace.push_back(hash);
    if (dut_->idle_o) {
        EXPECT_FALSE(accepted || dut_->m_r_valid_i || dut_->m_b_valid_i || dut_->done_i || dut_->issued_o ||
                     dut_->completed_o || (dut_->m_ar_valid_o && dut_->m_ar_ready_i) ||
                     (dut_->m_aw_valid_o && dut_->m_aw_ready_i) || (dut_->m_w_valid_o && dut_->m_w_ready_i))
            << "idle with a handshake";
    }
}

void ControlBench::cycle() {
    drive();
    sample();
    const bool accepted = dut_->sys_valid_i && dut_->sys_ready_o;
    const MemoryIn in{.ar_valid = dut_->m_ar_valid_o != 0,
                      .aw_valid = dut_->m_aw_valid_o != 0,
                      .w_valid = dut_->m_w_valid_o != 0,
                      .ar_id = dut_->m_ar_id_o,
                      .ar_len = dut_->m_ar_len_o,
                      .aw_id = dut_->m_aw_id_o,
                      .ar_addr = dut_->m_ar_addr_o,
                      .aw_addr = dut_->m_aw_addr_o,
                      .w_data = dut_->m_w_data_o};
    if (!(dut_->idle_o && options_.stop_clock)) {
        dut_->clk_i = 1;
        dut_->eval();
        ++clocked_;
    }
    memory.clock(in);
    ++now_;
    if (accepted) {
        if (!pending_is_traffic_) answer_ = Answer{dut_->sys_rdata_o, dut_->sys_error_o != 0};
        pending_.reset();
    }
}

void ControlBench::clock_only() {
    dut_->m_r_valid_i = dut_->m_b_valid_i = dut_->done_i = dut_->sys_valid_i = 0;
    dut_->m_ar_ready_i = dut_->m_aw_ready_i = dut_->m_w_ready_i = dut_->dispatch_ready_i = 0;
    for (const int level : {0, 1}) {
        dut_->clk_i = level;
        dut_->eval();
    }
}

Answer ControlBench::access(const Access& access) {
    while (pending_) cycle();
    pending_ = access;
    pending_is_traffic_ = false;
    answer_.reset();
    for (int i = 0; i < 100 && !answer_; ++i) cycle();
    EXPECT_TRUE(answer_) << "no answer from the core window";
    return answer_.value_or(Answer{0, true});
}

std::uint32_t ControlBench::read(std::uint32_t address) {
    const Answer answer = access({false, address, 0});
    EXPECT_FALSE(answer.error) << std::hex << address;
    return answer.data;
}

void ControlBench::write(std::uint32_t address, std::uint32_t data) {
    EXPECT_FALSE(access({true, address, data}).error) << std::hex << address;
}

Fault ControlBench::fault() {
    return {static_cast<isa::Error>(read(CsrCore + 4)), read(CsrCore + 8), read(CsrCore + 12),
            read(CsrCore + 16), read(CsrCore + 20)};
}

bool ControlBench::error() const {
    return dut_->error_o;
}
bool ControlBench::idle() const {
    return dut_->idle_o;
}
isa::SeqState ControlBench::state(int engine) const {
    return static_cast<isa::SeqState>(dut_->state_o >> (3 * engine) & 7);
}

}  // namespace trnsim::test
