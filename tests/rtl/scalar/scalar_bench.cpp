#include "tests/rtl/scalar/scalar_bench.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "Vscalar_engine.h"
#include "arch/activation/table_image.hpp"
#include "tests/common/model.hpp"
#include "tests/rtl/lanes/row_ports.hpp"
#include "tests/rtl/scalar/scalar_model.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t TableStride = 1 << 20;  // bytes between the tables of two sets

// Returns a load of tables with their address and size.
isa::Instruction with_tables(isa::Instruction instruction) {
    if (instruction.opcode() != isa::Opcode::ActTableLoad) return instruction;
    const std::uint64_t set = instruction.get(isa::field::TableSet);
    const auto image = activation::table_image(static_cast<isa::ActivationSet>(set));
    return instruction.set(isa::field::TableAddress, set * TableStride)
        .set(isa::field::TableBeats, image.size() / activation::BeatBytes);
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
    top_->clk_i = top_->table_clk_i = 1;
    top_->eval();
    top_->clk_i = top_->table_clk_i = 0;
}

// Answers a request for tables: a beat a cycle, then done until the request has gone.
void ScalarBench::load_tables() {
    if (!top_->table_request_o) {
        tables_.clear();
        table_bytes_ = 0;
    } else if (tables_.empty()) {
        tables_ =
            activation::table_image(static_cast<isa::ActivationSet>(top_->table_address_o / TableStride));
    }
    top_->table_we_i = top_->table_request_o && table_bytes_ < tables_.size();
    if (top_->table_we_i) {
        std::memcpy(&top_->table_beat_i[0], &tables_[table_bytes_], activation::BeatBytes);
        table_bytes_ += activation::BeatBytes;
    } else {
        top_->table_done_i = top_->table_request_o;
    }
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
        draw_grants(*top_, world.grant, random);
        if (!top_->instr_valid_i && accepted < instructions.size() && random() % 256 < world.offer) {
            offer(with_tables(instructions[accepted]));
            top_->instr_valid_i = 1;
        }
        load_tables();
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
        const RowAccesses accesses = serve_rows(*top_, memories, [&] { clock_edge(); });
        quiet = accesses.reads + accesses.writes != 0 ? 0 : quiet + 1;
        if (quiet > 20000) throw std::runtime_error("nothing happens");
        writes += accesses.writes;
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
