#include "tools/bench/fast_benchmarks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "arch/activation/table_image.hpp"
#include "arch/config/config.hpp"
#include "isa/instruction.hpp"
#include "model/values/functional_core.hpp"
#include "tools/bench/openblas.hpp"

namespace trnsim::bench {
namespace {

namespace field = isa::field;
using fast::MemoryId;
using isa::Dtype;
using isa::Engine;
using isa::Instruction;
using isa::Opcode;

constexpr std::uint32_t Partitions = 128, Columns = 2048;  // size of the elementwise instructions
constexpr double Elements = double{Partitions} * Columns;
constexpr int Trials = 40;

struct Operand {
    std::uint32_t address;
    Dtype dtype;
};

Instruction shaped(Opcode opcode, std::uint32_t columns) {
    return Instruction(opcode)
        .set(field::Partitions, Partitions)
        .set(field::Count0, columns)
        .set(field::Count1, 1)
        .set(field::Count2, 1)
        .set(field::Count3, 1);
}
void set_dst(Instruction& i, Operand dst) {
    i.set(field::DstAddr, dst.address).set(field::DstDtype, dst.dtype).set_signed(field::DstStep0, 1);
}
void set_a(Instruction& i, Operand a) {
    i.set(field::AAddr, a.address).set(field::ADtype, a.dtype).set_signed(field::AStep0, 1);
}

void run(fast::FunctionalCore& core, Engine engine, const Instruction& instruction) {
    const fast::Issued issued = core.issue(engine, instruction.bytes());
    if (issued.refused) throw std::runtime_error("the fast core refuses an instruction of a benchmark");
    core.execute(*issued.operation);
}

// Fills every partition of SBUF with random fp32 values, which read as bf16 are normal values as well.
void fill(fast::FunctionalCore& core) {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> values(core.memories().partition_bytes(MemoryId::Sbuf) / sizeof(float));
    for (std::uint32_t partition = 0; partition < Partitions; ++partition) {
        for (float& value : values) {
            const float drawn = normal(random);
            std::uint32_t bits = 0;
            std::memcpy(&bits, &drawn, sizeof bits);
            bits = (bits & 0xffff0000) | bits >> 16;
            std::memcpy(&value, &bits, sizeof bits);
        }
        core.memories().write(
            {MemoryId::Sbuf, partition, 0},
            {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)});
    }
}

// Returns how many millions a second `action` does, `each` for each call; the best of the trials.
template <typename Action>
double best_rate(int trials, double each, Action action) {
    using Clock = std::chrono::steady_clock;
    double best = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const auto begin = Clock::now();
        action();
        best = std::max(best, 1e-6 * each / std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return best;
}

// Measures one instruction that is executed over and over.
double instruction_rate(fast::FunctionalCore& core, Engine engine, const Instruction& instruction) {
    return best_rate(Trials, Elements, [&] { run(core, engine, instruction); });
}

}  // namespace

// Measures the instructions of a matmul with tiles in SBUF already; several rows and columns of tiles
// stand for all.
Figure measure_fast_matmul(const Environment&) {
    constexpr std::uint32_t Size = 4096, Tile = 128, Bank = 512, Depth = Size / Tile;
    constexpr std::uint32_t StationaryBytes = Tile * 2, MovingBytes = Bank * 2, Slots = 4;
    constexpr std::uint32_t MovingBase = Slots * Depth * StationaryBytes;
    constexpr std::uint32_t ResultBase = MovingBase + Slots * Depth * MovingBytes;
    constexpr std::uint32_t Rows = Size / Tile, Banks = Size / Bank;
    fast::FunctionalCore core(config::load("trn1").core);
    fill(core);
    const auto matmul = [&] {
        for (std::uint32_t m = 0; m < Rows; ++m) {
            for (std::uint32_t n = 0; n < Banks; ++n) {
                const Operand sums{isa::window::PsumBase + n * Bank * 4, Dtype::Fp32};
                for (std::uint32_t k = 0; k < Depth; ++k) {
                    Instruction load = shaped(Opcode::LoadStationary, Tile);
                    set_a(load, {(m % Slots * Depth + k) * StationaryBytes, Dtype::Bf16});
                    run(core, Engine::Tensor, load);
                    Instruction multiply = shaped(Opcode::MultiplyMoving, Bank);
                    set_a(multiply, {MovingBase + (n % Slots * Depth + k) * MovingBytes, Dtype::Bf16});
                    set_dst(multiply, sums);
                    multiply.set(field::Columns, Tile).set(field::Accumulate, k != 0);
                    run(core, Engine::Tensor, multiply);
                }
                Instruction copy = shaped(Opcode::TensorCopy, Bank);
                set_a(copy, sums);
                set_dst(copy, {ResultBase, Dtype::Bf16});
                run(core, Engine::Vector, copy);
            }
        }
    };
    constexpr int MatmulTrials = 2;
    return {best_rate(MatmulTrials, double{Size} * Size * Size, matmul), sgemm_rate(Size, MatmulTrials)};
}

Figure measure_fast_vector(const Environment&) {
    fast::FunctionalCore core(config::load("trn1").core);
    fill(core);
    Instruction add = shaped(Opcode::TensorTensor, Columns);
    set_a(add, {0, Dtype::Fp32});
    set_dst(add, {std::uint64_t{2} * Columns * 4, Dtype::Fp32});
    add.set(field::BAddr, std::uint64_t{Columns} * 4)
        .set(field::BDtype, Dtype::Fp32)
        .set_signed(field::BStep0, 1);
    add.set(field::Op0, isa::AluOp::Add);
    std::vector<float> a(static_cast<std::size_t>(Elements), 1.0F), b = a, y = a;
    const double reference = best_rate(Trials, Elements, [&] {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[i] + b[i];
    });
    return {instruction_rate(core, Engine::Vector, add), reference};
}

Figure measure_fast_scalar(const Environment&) {
    fast::FunctionalCore core(config::load("trn1").core);
    fill(core);
    const std::vector<std::uint8_t> tables =
        activation::table_image(isa::ActivationSet::NaturalLogExpAndOthers);
    for (std::size_t i = 0; i < tables.size(); i += activation::BeatBytes)
        core.load_table_beat(std::span(tables).subspan(i, activation::BeatBytes));
    Instruction load(Opcode::ActTableLoad);
    load.set(field::TableSet, isa::ActivationSet::NaturalLogExpAndOthers).set(field::TableBeats, 1);
    run(core, Engine::Scalar, load);
    Instruction exp = shaped(Opcode::Activation, Columns);
    set_a(exp, {0, Dtype::Fp32});
    set_dst(exp, {Columns * 4, Dtype::Fp32});
    exp.set(field::ActFunction, isa::Activation::Exp).set_float(field::Scale, 1.0F);
    std::vector<float> a(static_cast<std::size_t>(Elements), 0.7F), y = a;
    const double reference = best_rate(Trials / 10, Elements, [&] {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::exp(a[i]);
    });
    return {instruction_rate(core, Engine::Scalar, exp), reference};
}

}  // namespace trnsim::bench
