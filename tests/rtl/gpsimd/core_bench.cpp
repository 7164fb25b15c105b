#include "tests/rtl/gpsimd/core_bench.hpp"

#include <algorithm>

namespace trnsim::test {

namespace {

constexpr std::size_t BeatWords = 16;
constexpr std::uint64_t SliceLatency = 4;
constexpr std::size_t Writers = 2;  // operations and loads write vector registers

}  // namespace

CoreBench::CoreBench(std::uint64_t seed, bool stalls, bool one_port)
    : slice_(SliceBytes / 4), random_(seed), stalls_(stalls), one_port_(one_port) {
    model_->rst_ni = 1;
    model_->clk_i = 0;
    model_->run_i = 0;
    model_->window_req_i = 0;
    model_->irq_i = 0;
    model_->read_ready_i = 0;
    model_->write_ready_i = 0;
    model_->read_rvalid_i = 0;
    clock();  // the reset has an edge at which registers take their values
    model_->rst_ni = 0;
    for (int k = 0; k < 4; ++k) clock();
    model_->rst_ni = 1;
    clock();
}

void CoreBench::clock() {
    model_->clk_i = 0;
    model_->eval();
    model_->clk_i = 1;
    model_->eval();
    ++cycles_;
}

void CoreBench::load(const std::vector<std::uint32_t>& words) {
    for (std::size_t at = 0; at < words.size(); at += BeatWords) {
        model_->window_req_i = 1;
        model_->window_write_i = 1;
        model_->window_beat_i = static_cast<std::uint16_t>(at / BeatWords);
        for (std::size_t k = 0; k < BeatWords; ++k) model_->window_wdata_i[k] = words[at + k];
        do {
            clock();
        } while (!model_->window_gnt_o);
    }
    model_->window_req_i = 0;
}

std::vector<std::uint32_t> CoreBench::read_tcm() {
    std::vector<std::uint32_t> words;
    model_->window_write_i = 0;
    for (std::uint32_t beat = 0; beat < TcmBytes / 64; ++beat) {
        model_->window_beat_i = static_cast<std::uint16_t>(beat);
        model_->window_req_i = 1;
        do {
            clock();
        } while (!model_->window_gnt_o);
        model_->window_req_i = 0;
        while (!model_->window_rvalid_o) clock();
        words.insert(words.end(), &model_->window_rdata_o[0], &model_->window_rdata_o[0] + BeatWords);
    }
    return words;
}

void CoreBench::start(std::uint32_t pc) {
    model_->boot_i = pc;
    model_->run_i = 1;
}

void CoreBench::serve_slice() {
    if (model_->read_valid_o && model_->read_ready_i) {
        Read read{cycles_ + SliceLatency + (stalls_ ? random_() % 8 : 0), model_->read_beat_o, {}};
        std::copy_n(slice_.begin() + static_cast<std::ptrdiff_t>(read.beat * BeatWords), BeatWords,
                    read.data.begin());
        reads_.push_back(read);
    }
    if (model_->write_valid_o && model_->write_ready_i) {
        for (std::size_t k = 0; k < BeatWords; ++k) {
            std::uint32_t mask = 0;
            for (std::size_t b = 0; b < 4; ++b)
                if (model_->write_strobe_o >> (4 * k + b) & 1) mask |= 0xffU << (8 * b);
            std::uint32_t& word = slice_[model_->write_beat_o * BeatWords + k];
            word = (word & ~mask) | (model_->write_wdata_o[k] & mask);
        }
    }
}

CoreBench::Cycle CoreBench::step() {
    model_->clk_i = 0;
    model_->read_ready_i = !stalls_ || random_() % 4 != 0;
    model_->write_ready_i = one_port_ ? model_->read_ready_i : !stalls_ || random_() % 4 != 0;
    model_->read_rvalid_i = !reads_.empty() && reads_.front().due <= cycles_;
    if (model_->read_rvalid_i) {
        std::copy_n(reads_.front().data.begin(), BeatWords, &model_->read_rdata_i[0]);
        reads_.pop_front();
    }
    model_->eval();

    Cycle cycle;
    cycle.retired = model_->retire_o;
    cycle.pc = model_->pc_o;
    cycle.insn = model_->insn_o;
    cycle.trapped = model_->trapped_o;
    cycle.waiting = model_->waiting_o;
    cycle.cause = model_->trap_cause_o;
    if (model_->alu_valid_o) cycle.writes[0] = {model_->alu_dest_o, model_->alu_value_o};
    if (model_->load_valid_o) cycle.writes[1] = {model_->load_dest_o, model_->load_value_o};
    if (model_->unit_valid_o) cycle.writes[2] = {model_->unit_dest_o, model_->unit_value_o};
    for (std::size_t part = 0; part < cycle.vector.size(); ++part) {
        Cycle::VectorPart& vector = cycle.vector[part];
        if (part < Writers && (model_->vector_write_o >> part & 1) != 0)
            vector.written = model_->vector_index_o[part];
        vector.done = (model_->vector_done_o >> part & 1) != 0;
        vector.beat = (model_->vector_beat_o >> part & 1) != 0;
    }
    cycle.vector_trapped = model_->vector_trap_o;
    serve_slice();

    model_->clk_i = 1;
    model_->eval();
    ++cycles_;
    return cycle;
}

VectorRegister CoreBench::vector_register(std::uint32_t index) const {
    VectorRegister value{};
    std::copy_n(&model_->vector_registers_o[index][0], Vlen / 32, value.begin());
    return value;
}

}  // namespace trnsim::test
