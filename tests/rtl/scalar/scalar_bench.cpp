#include "tests/rtl/scalar/scalar_bench.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "Vscalar_engine.h"
#include "tests/common/model.hpp"
#include "tests/rtl/scalar/scalar_model.hpp"

namespace trnsim::test {
namespace {

// A write of one row: the enabled bytes of the masked partitions.
void write_row(Row& row, const std::uint32_t* data, unsigned enable, const std::uint32_t* mask) {
    std::uint32_t bytes = 0;
    for (unsigned k = 0; k < 4; ++k) bytes |= (enable >> k & 1) != 0 ? 0xffu << (8 * k) : 0;
    for (unsigned i = 0; i < Lanes; ++i) {
        const std::uint32_t taken = (mask[i / 32] >> (i % 32) & 1) != 0 ? bytes : 0;
        row[i] = (row[i] & ~taken) | (data[i] & taken);
    }
}

}  // namespace

ScalarBench::ScalarBench() : top_(std::make_unique<Model<Vscalar_engine>>()) {
    // The first evaluation sees no edges.
    top_->eval();
    clock_edge();
    top_->eval();
    top_->rst_ni = 1;
    top_->eval();
}

ScalarBench::~ScalarBench() {
    top_->final();
}

void ScalarBench::clock_edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
}

void ScalarBench::offer(const isa::Instruction& instruction) {
    std::memcpy(&top_->instr_i[0], instruction.bytes().data(), isa::InstructionBytes);
}

isa::Error ScalarBench::reject(const isa::Instruction& instruction) {
    top_->instr_valid_i = 0;
    offer(instruction);
    top_->eval();
    return static_cast<isa::Error>(top_->reject_o);
}

void ScalarBench::seed(std::uint32_t seed) {
    top_->sr_seed_valid_i = 1;
    top_->sr_seed_i = seed;
    top_->eval();
    clock_edge();
    top_->sr_seed_valid_i = 0;
}

void ScalarBench::sr_enable(bool enable) {
    top_->sr_enable_i = enable;
}

std::vector<ScalarTimes> ScalarBench::run(std::span<const isa::Instruction> instructions, ScalarWorld world,
                                          std::mt19937_64& random) {
    std::vector<ScalarTimes> times;
    std::uint64_t cycle = 0, accepted = 0, done = 0, writes = 0, expected_writes = 0, quiet = 0;
    while (done < instructions.size() || top_->busy_o) {
        top_->sbuf_gnt_i = random() % 256 < world.grant;
        top_->psum_gnt_i = random() % 256 < world.grant;
        top_->sbuf_hold_i = random() % 256 >= world.grant;
        top_->psum_hold_i = random() % 256 >= world.grant;
        if (!top_->instr_valid_i && accepted < instructions.size() && random() % 256 < world.offer) {
            offer(instructions[accepted]);
            top_->instr_valid_i = 1;
        }
        top_->eval();
        const bool accepts = top_->instr_valid_i && top_->instr_ready_o;
        if (accepts && top_->reject_o)
            throw std::runtime_error("rejected: " + std::to_string(top_->reject_o));
        if (top_->done_o) {
            if (done >= times.size()) throw std::runtime_error("done without an instruction");
            expected_writes += elements(instructions[done]);
            if (writes < expected_writes) throw std::runtime_error("done before the last write");
            times[done++].done = cycle;
        }
        const bool sbuf_read = top_->sbuf_re_o, psum_read = top_->psum_re_o;
        const std::uint32_t sbuf_row = top_->sbuf_raddr_o, psum_row = top_->psum_raddr_o;
        const bool sbuf_free = !top_->sbuf_gnt_i, psum_free = !top_->psum_gnt_i;
        quiet = sbuf_read || psum_read || top_->sbuf_we_o || top_->psum_we_o ? 0 : quiet + 1;
        if (quiet > 20000) throw std::runtime_error("nothing happens");
        writes += top_->sbuf_we_o + top_->psum_we_o;

        // Read data changes after the edge; a read takes what the memory held before this cycle's write.
        const Row sbuf_data = sbuf_read ? memories.sbuf.at(sbuf_row) : Row{};
        const Row psum_data = psum_read ? memories.psum.at(psum_row) : Row{};
        if (top_->sbuf_we_o)
            write_row(memories.sbuf.at(top_->sbuf_waddr_o), &top_->sbuf_wdata_o[0], top_->sbuf_be_o,
                      &top_->sbuf_wmask_o[0]);
        if (top_->psum_we_o)
            write_row(memories.psum.at(top_->psum_waddr_o), &top_->psum_wdata_o[0], top_->psum_be_o,
                      &top_->psum_wmask_o[0]);
        clock_edge();
        if (sbuf_read)
            std::copy(sbuf_data.begin(), sbuf_data.end(), &top_->sbuf_rdata_i[0]);
        else if (sbuf_free)
            std::fill_n(&top_->sbuf_rdata_i[0], Lanes, 0xdeadbeef);
        if (psum_read)
            std::copy(psum_data.begin(), psum_data.end(), &top_->psum_rdata_i[0]);
        else if (psum_free)
            std::fill_n(&top_->psum_rdata_i[0], Lanes, 0xdeadbeef);
        if (accepts) {
            times.push_back({.accepted = cycle});
            top_->instr_valid_i = 0;
            ++accepted;
        }
        ++cycle;
    }
    return times;
}

}  // namespace trnsim::test
