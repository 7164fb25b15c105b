#include "tests/rtl/vector/vector_bench.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "Vvector_engine.h"
#include "tests/common/model.hpp"
#include "tests/rtl/vector/vector_instructions.hpp"

namespace trnsim::test {
namespace {

// A write of one row: the enabled bytes of the masked partitions.
void write_row(Row& row, const std::uint32_t* data, unsigned enable, const std::uint32_t* mask) {
    std::uint32_t bytes = 0;
    for (unsigned k = 0; k < 4; ++k) bytes |= enable >> k & 1 ? 0xffu << (8 * k) : 0;
    for (unsigned i = 0; i < Lanes; ++i) {
        const std::uint32_t taken = mask[i / 32] >> (i % 32) & 1 ? bytes : 0;
        row[i] = (row[i] & ~taken) | (data[i] & taken);
    }
}

// Read data as it may look after another engine has used the port.
void poison(std::uint32_t* data) {
    std::fill_n(data, Lanes, 0xdeadbeef);
}

}  // namespace

VectorBench::VectorBench() : top_(std::make_unique<Model<Vvector_engine>>()) {
    top_->rst_ni = 1;
    top_->eval();  // so that the reset has an edge
    top_->rst_ni = 0;
    top_->eval();
    clock_edge();
    top_->rst_ni = 1;
}

VectorBench::~VectorBench() {
    top_->final();
}

void VectorBench::clock_edge() {
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
}

void VectorBench::set_rounding(bool stochastic, std::uint32_t seed) {
    top_->sr_enable_i = stochastic;
    top_->sr_seed_i = seed;
    top_->sr_seed_valid_i = 1;
    top_->instr_valid_i = 0;
    top_->eval();
    clock_edge();
    top_->sr_seed_valid_i = 0;
}

void VectorBench::offer(const isa::Instruction& instruction) {
    std::memcpy(&top_->instr_i[0], instruction.bytes().data(), isa::InstructionBytes);
}

isa::Error VectorBench::reject(const isa::Instruction& instruction) {
    top_->instr_valid_i = 0;
    offer(instruction);
    top_->eval();
    return static_cast<isa::Error>(top_->reject_o);
}

RunResult VectorBench::run(std::span<const isa::Instruction> instructions, World world,
                           std::mt19937_64& random) {
    RunResult result;
    std::uint64_t accepted = 0, done = 0, expected_writes = 0, quiet = 0;
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
        if (top_->instr_valid_i && top_->reject_o)
            throw std::runtime_error("rejected: " + std::to_string(top_->reject_o));
        if (top_->done_o) {
            expected_writes += result_rows(instructions[done], top_->sr_enable_i);
            if (result.writes < expected_writes) throw std::runtime_error("done before the last write");
            if (result.writes > expected_writes + 1)
                throw std::runtime_error("done long after the last write");
            if (done >= result.times.size()) throw std::runtime_error("done without an instruction");
            result.times[done++].done = result.cycles;
        }
        const bool accepts = top_->instr_valid_i && top_->instr_ready_o;
        const bool sbuf_read = top_->sbuf_re_o, psum_read = top_->psum_re_o;
        const std::uint32_t sbuf_row = top_->sbuf_raddr_o, psum_row = top_->psum_raddr_o;
        const bool sbuf_free = !top_->sbuf_gnt_i, psum_free = !top_->psum_gnt_i;
        quiet = sbuf_read || psum_read || top_->sbuf_we_o || top_->psum_we_o ? 0 : quiet + 1;
        if (quiet > 20000) throw std::runtime_error("nothing happens");
        if (sbuf_read || psum_read) result.first_read = std::min(result.first_read, result.cycles);
        result.reads += sbuf_read + psum_read;
        result.writes += top_->sbuf_we_o + top_->psum_we_o;

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
            poison(&top_->sbuf_rdata_i[0]);
        if (psum_read)
            std::copy(psum_data.begin(), psum_data.end(), &top_->psum_rdata_i[0]);
        else if (psum_free)
            poison(&top_->psum_rdata_i[0]);
        if (accepts) {
            result.times.push_back({.accepted = result.cycles});
            top_->instr_valid_i = 0;
            ++accepted;
        }
        ++result.cycles;
    }
    return result;
}

}  // namespace trnsim::test
