#include "tests/rtl/vector/vector_bench.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "Vvector_engine.h"
#include "tests/common/model.hpp"
#include "tests/rtl/lanes/row_ports.hpp"
#include "tests/rtl/vector/vector_instructions.hpp"

namespace trnsim::test {

VectorBench::VectorBench() : top_(std::make_unique<Model<Vvector_engine>>()) {
    top_->rst_ni = 1;
    top_->eval();  // the reset needs an edge
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
        draw_grants(*top_, world.grant, random);
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
        const RowAccesses accesses = serve_rows(*top_, memories, [&] { clock_edge(); });
        quiet = accesses.reads + accesses.writes != 0 ? 0 : quiet + 1;
        if (quiet > 20000) throw std::runtime_error("nothing happens");
        if (accesses.reads != 0) result.first_read = std::min(result.first_read, result.cycles);
        result.reads += accesses.reads;
        result.writes += accesses.writes;
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
