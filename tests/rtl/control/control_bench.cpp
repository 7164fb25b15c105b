#include "rtl/control/control_bench.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "Vcontrol.h"
#include "tests/common/model.hpp"

namespace trnsim::test {

namespace {

constexpr std::uint32_t CsrCore = 0x2710800, SemRead = 0x2701000;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ value) * 0x9e3779b97f4a7c15ull + (hash >> 29);
}

}  // namespace

ControlBench::ControlBench(const BenchOptions& options)
    : memory(options.seed * 7 + 1, options.memory_ready, options.memory_latency),
      window(options.seed * 7 + 2, options.memory_ready, options.memory_latency),
      options_(options),
      dut_(std::make_unique<Model<Vcontrol>>()),
      random_(options.seed) {
    reset();
}

ControlBench::~ControlBench() {
    dut_->final();
}

void ControlBench::reset() {
    dut_->sys_valid_i = 0;
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
    window.reset();
    issued = completed = {};
}

void ControlBench::run_program(int engine, const Program& program, std::uint64_t address) {
    memory.load(address, program);
    const std::uint32_t base = 0x2710000 + engine * 0x100;
    write(base, static_cast<std::uint32_t>(address));
    write(base + 4, static_cast<std::uint32_t>(address >> 32));
    write(base + 0x18, static_cast<std::uint32_t>(program.size()));
    start_program(engine, program);
}

void ControlBench::start_program(int engine, const Program& program) {
    stream_[engine] = {.model = ProgramModel(program), .in_flight = {}, .running = true};
    issued[engine] = completed[engine] = 0;
    write(0x2710008 + engine * 0x100, 1);
}

bool ControlBench::finish(unsigned limit) {
    for (unsigned i = 0; i < limit; ++i) {
        bool over = true;
        for (int e = 0; e < Engines; ++e) {
            const bool halted = state(e) == isa::SeqState::Halted;
            over = over && working_[e].empty() && (!stream_[e].running || halted || error());
        }
        // Wait states of an error stop: instructions in flight still complete.
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

    if (active_) hold_back();

    drive_window();
    if (!pending_ && traffic) {
        pending_ = traffic();
        if (pending_) requester_ = Requester::Traffic;
    }
    dut_->sys_valid_i = pending_.has_value();
    if (pending_) {
        dut_->sys_we_i = pending_->write;
        dut_->sys_addr_i = pending_->address;
        dut_->sys_wdata_i = pending_->data;
    }
    dut_->sys_own_i = requester_ == Requester::Window;

    dut_->clk_i = 0;
    dut_->eval();
    if (reject) {
        unsigned verdict = 0;
        for (int e = 0; e < Engines; ++e) verdict |= static_cast<unsigned>(reject(e, head_of(e))) << (5 * e);
        dut_->reject_i = verdict;
        dut_->eval();
    }
}

// Sets the hold inputs. They come from registers of the same clock, so they change only when it may not stop.
void ControlBench::hold_back() {
    const auto bits = [this](int count) {
        unsigned vector = 0;
        for (int i = 0; i < count; ++i)
            vector |= unsigned{options_.held != 0 && random_() % 100 < options_.held} << i;
        return vector;
    };
    dut_->hold_issue_i = bits(Engines);
    dut_->hold_done_i = bits(Engines);
    dut_->hold_semaphores_i = bits(1);
}

void ControlBench::next_head(Stream& stream) {
    stream.model.advance(stream.loaded.value_or(0));
    stream.wait_seen = stream.begun = false;
    stream.loaded.reset();
}

void ControlBench::check_issue(int engine) {
    Stream& stream = stream_[engine];
    const unsigned pc = stream.model.pc();
    ASSERT_FALSE(stream.model.past_the_end()) << "engine " << engine << " ran past its program";
    const isa::Instruction expected = stream.model.effective();
    EXPECT_EQ(dut_->issue_pc_o[engine], pc);
    EXPECT_EQ(head_of(engine), expected) << "engine " << engine << " pc " << pc;
    if (is_control(expected) && !is_scalar(expected)) {
        EXPECT_FALSE(stream.begun) << "engine " << engine << " pc " << pc << " issued twice";
        stream.begun = true;
        return;
    }
    EXPECT_TRUE(stream.wait_seen) << "engine " << engine << " pc " << pc << " did not wait";
    stream.in_flight.push_back(expected);
    next_head(stream);
    longest_queue[engine] = std::max<unsigned>(longest_queue[engine], stream.in_flight.size());
    if (is_scalar(expected)) return;
    ++issued[engine];
    working_[engine].push_back(now_ + 1 + random_() % options_.engine_latency);
}

void ControlBench::check_completion(int engine) {
    Stream& stream = stream_[engine];
    isa::Instruction instruction;
    if (stream.in_flight.empty()) {
        const unsigned pc = stream.model.pc();
        ASSERT_FALSE(stream.model.past_the_end());
        instruction = stream.model.effective();
        EXPECT_TRUE(is_control(instruction)) << "completed before it was handed over";
        EXPECT_TRUE(stream.wait_seen) << "engine " << engine << " pc " << pc << " did not wait";
        EXPECT_TRUE(stream.begun) << "engine " << engine << " pc " << pc << " completed unissued";
        EXPECT_EQ(uses_window(instruction), stream.loaded.has_value()) << "engine " << engine << " pc " << pc;
        next_head(stream);
    } else {
        instruction = stream.in_flight.front();
        stream.in_flight.pop_front();
    }
    ++completed[engine];
    if (instruction.get(isa::field::UpdateMode) != 0) {
        std::uint32_t& value = semaphores_[instruction.get(isa::field::UpdateSem)];
        value = updated(instruction, value);
        ++updates_this_cycle_;
    }
}

// Control instructions except branch and register_alu look at their semaphore once everything before them has
// completed.
void ControlBench::look_at_waits() {
    for (int e = 0; e < Engines; ++e) {
        Stream& stream = stream_[e];
        if (stream.model.past_the_end()) continue;
        const isa::Instruction instruction = stream.model.effective();
        if (instruction.info() == nullptr) continue;
        if (is_control(instruction) && !is_scalar(instruction) && !stream.in_flight.empty()) continue;
        stream.wait_seen = stream.wait_seen ||
                           wait_satisfied(instruction, semaphores_[instruction.get(isa::field::WaitSem)]);
    }
}

void ControlBench::drive_window() {
    const WindowOut& w = window.drive();
    dut_->w_aw_ready_i = w.aw_ready;
    dut_->w_w_ready_i = w.w_ready;
    dut_->w_ar_ready_i = w.ar_ready;
    dut_->w_b_valid_i = w.b_valid;
    dut_->w_r_valid_i = w.r_valid;
    dut_->w_b_resp_i = dut_->w_r_resp_i = w.resp;
    dut_->w_r_data_i = w.r_data;
    if (!pending_ && window.forwarded()) {
        const WindowAccess& access = *window.forwarded();
        pending_ = Access{access.write, access.address, access.data};
        requester_ = Requester::Window;
    }
}

// Checks that every access belongs to a head that has begun, with the address and the word of the model.
void ControlBench::sample_window() {
    if (dut_->w_b_valid_i || dut_->w_r_valid_i) {
        const std::uint32_t address = window.current().address;
        const auto owner = std::ranges::find_if(stream_, [&](const Stream& stream) {
            return stream.begun && !stream.loaded && uses_window(stream.model.effective()) &&
                   stream.model.effective().get(isa::field::Address) == address &&
                   (stream.model.effective().opcode() == isa::Opcode::RegisterStore) ==
                       window.current().write;
        });
        ASSERT_NE(owner, stream_.end()) << "nobody wanted address " << std::hex << address;
        if (window.current().write) {
            EXPECT_EQ(window.current().data, owner->model.store_data());
        }
        owner->loaded = dut_->w_r_data_i;
    }
    window.clock({.aw_valid = dut_->w_aw_valid_o != 0,
                  .w_valid = dut_->w_w_valid_o != 0,
                  .ar_valid = dut_->w_ar_valid_o != 0,
                  .address = dut_->w_addr_o,
                  .w_data = dut_->w_w_data_o});
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

    sample_window();
    if (dut_->sr_seed_valid_o) seeds.push_back(dut_->sr_seed_o);

    std::uint64_t hash = dut_->idle_o;
    for (const std::uint64_t value :
         {std::uint64_t{dut_->m_ar_valid_o}, std::uint64_t{dut_->m_ar_addr_o}, std::uint64_t{dut_->m_ar_id_o},
          std::uint64_t{dut_->m_aw_valid_o}, std::uint64_t{dut_->m_aw_addr_o},
          std::uint64_t{dut_->m_w_valid_o}, std::uint64_t{dut_->m_w_data_o[0]},
          std::uint64_t{dut_->w_ar_valid_o}, std::uint64_t{dut_->w_aw_valid_o}, std::uint64_t{dut_->w_addr_o},
          std::uint64_t{dut_->dispatch_valid_o}, std::uint64_t{dut_->state_o}, std::uint64_t{dut_->issued_o},
          std::uint64_t{dut_->completed_o}, std::uint64_t{dut_->error_o}, std::uint64_t{dut_->sys_ready_o},
          std::uint64_t{dut_->sys_rdata_o}, std::uint64_t{dut_->sys_error_o},
          std::uint64_t{dut_->sr_seed_valid_o}}) {
        hash = mix(hash, value);
    }
    trace.push_back(hash);
    if (dut_->idle_o) {
        EXPECT_FALSE(accepted || dut_->m_r_valid_i || dut_->m_b_valid_i || dut_->done_i || dut_->issued_o ||
                     dut_->completed_o || dut_->w_ar_valid_o || dut_->w_aw_valid_o || dut_->w_w_valid_o ||
                     dut_->w_b_valid_i || dut_->w_r_valid_i || (dut_->m_ar_valid_o && dut_->m_ar_ready_i) ||
                     (dut_->m_aw_valid_o && dut_->m_aw_ready_i) || (dut_->m_w_valid_o && dut_->m_w_ready_i))
            << "idle with a handshake";
    }
}

void ControlBench::cycle() {
    drive();
    sample();
    const bool accepted = dut_->sys_valid_i && dut_->sys_ready_o;
    const MemoryIn in{
        .ar_valid = dut_->m_ar_valid_o != 0,
        .aw_valid = dut_->m_aw_valid_o != 0,
        .w_valid = dut_->m_w_valid_o != 0,
        .ar_id = dut_->m_ar_id_o,
        .ar_len = dut_->m_ar_len_o,
        .aw_id = dut_->m_aw_id_o,
        .aw_size = dut_->m_aw_size_o,
        .ar_addr = dut_->m_ar_addr_o,
        .aw_addr = dut_->m_aw_addr_o,
        .w_data = {dut_->m_w_data_o[0], dut_->m_w_data_o[1], dut_->m_w_data_o[2], dut_->m_w_data_o[3]}};
    active_ = !dut_->idle_o;
    if (active_ || !options_.stop_clock) {
        dut_->clk_i = 1;
        dut_->eval();
        ++clocked_;
    }
    memory.clock(in);
    ++now_;
    if (accepted) {
        const Answer answer{dut_->sys_rdata_o, dut_->sys_error_o != 0};
        if (requester_ == Requester::Test) answer_ = answer;
        if (requester_ == Requester::Window) window.answer(answer.data, answer.error);
        pending_.reset();
    }
}

void ControlBench::clock_only() {
    dut_->w_b_valid_i = dut_->w_r_valid_i = 0;
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
    requester_ = Requester::Test;
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
