// Operands over the whole range of every field: steps of 16 signed bits, offsets up to the end of a
// partition, as many short matmuls under way as the engine takes.
#include <memory>

#include "tensor_bench.hpp"

namespace trnsim::test {
namespace {

// Returns steps as wide as `limit` elements allow, often the widest; where a dimension has one element the
// step is random.
Pattern wide_pattern(std::mt19937_64& random, const std::array<unsigned, 4>& count, int limit) {
    Pattern p{count, {}, 0, 0};
    for (std::size_t d = 0; d < 4; ++d) {
        if (count[d] == 1) {
            p.step[d] = static_cast<std::int16_t>(random());
            continue;
        }
        const int turns = static_cast<int>(count[d]) - 1;
        const int most = std::min((limit - 1 - (p.high - p.low)) / turns, 32767);
        p.step[d] = random() % 3 == 0 ? most : static_cast<int>(random() % static_cast<unsigned>(most + 1));
        if (random() % 2) p.step[d] = -p.step[d];
        (p.step[d] < 0 ? p.low : p.high) += p.step[d] * turns;
    }
    return p;
}

// Returns an offset at which the pattern lies within `limit` elements, at either end of them or between.
int wide_place(std::mt19937_64& random, const Pattern& p, int limit) {
    const int places = limit - (p.high - p.low);
    const std::array<int, 3> choices{0, places - 1,
                                     static_cast<int>(random() % static_cast<unsigned>(places))};
    return choices[random() % choices.size()] - p.low;
}

// Returns a pattern with no element of PSUM twice: the steps of a dense pattern times a factor that fits into
// the bank.
Pattern spread_pattern(std::mt19937_64& random, const std::array<unsigned, 4>& count) {
    Pattern p = random_pattern(random, count, static_cast<int>(BankWords), true);
    const int reach = p.high - p.low;
    const int factor =
        reach == 0 ? 1 : 1 + static_cast<int>(random() % static_cast<unsigned>((BankWords - 1) / reach));
    for (std::size_t d = 0; d < 4; ++d)
        p.step[d] = count[d] == 1 ? static_cast<std::int16_t>(random()) : p.step[d] * factor;
    p.low *= factor;
    p.high *= factor;
    return p;
}

TEST(TensorRange, AnyStepAnywhere) {
    std::mt19937_64 random = generator();
    auto bench = std::make_unique<Bench>(cfg::SbufBytes);
    fill_random(bench->model, random);
    bench->fill();
    const int matmuls = static_cast<int>((Rows > 64 ? 40 : 400) * scale());
    for (int n = 0; n < matmuls; ++n) {
        const bool tile = random() % 2;
        const unsigned group = tile ? random() % 2 : 0, partition = group * (Rows / 2);
        const unsigned rows = 1 + random() % (tile ? Rows / 2 : Rows);
        const Dtype dtype = Formats[random() % Formats.size()];
        const unsigned size = numerics::storage_bytes(dtype);
        const int limit = static_cast<int>(cfg::SbufBytes / size);
        const auto columns_of = random() % 2 ? std::array{1u + unsigned(random() % Columns), 1u, 1u, 1u}
                                             : random_count(random, Columns);
        const Pattern stationary = wide_pattern(random, columns_of, limit);
        const unsigned columns = columns_of[0] * columns_of[1] * columns_of[2] * columns_of[3];
        Instruction i =
            shaped(Opcode::LoadStationary, columns_of)
                .set(field::Partitions, rows)
                .set(field::RowTile, tile)
                .set(field::ADtype, dtype)
                .set(field::AAddr,
                     sbuf_address(partition,
                                  static_cast<unsigned>(wide_place(random, stationary, limit)) * size));
        set_steps(i, ASteps, stationary.step);
        bench->issue(i);
        const auto count = random_count(random, 24);
        const Pattern from = wide_pattern(random, count, limit);
        const Pattern to = spread_pattern(random, count);
        const unsigned bank = random() % cfg::PsumBanks;
        const auto word =
            bank * BankWords + static_cast<unsigned>(wide_place(random, to, static_cast<int>(BankWords)));
        i = shaped(Opcode::MultiplyMoving, count)
                .set(field::Partitions, rows)
                .set(field::Columns, columns)
                .set(field::RowTile, tile)
                .set(field::Accumulate, random() % 2)
                .set(field::ADtype, dtype)
                .set(field::AAddr,
                     sbuf_address(partition, static_cast<unsigned>(wide_place(random, from, limit)) * size))
                .set(field::DstDtype, Dtype::Fp32)
                .set(field::DstAddr, psum_address(0, word));
        set_steps(i, ASteps, from.step);
        set_steps(i, DstSteps, to.step);
        bench->issue(i);
        if (HasFatalFailure()) return;
    }
    bench->drain();
    bench->compare("wide operands");
}

// Four steps of a stationary operand of 8 columns take more than 16 bits.
TEST(TensorRange, StationaryColumnsFarApart) {
    auto bench = std::make_unique<Bench>(cfg::SbufBytes);
    std::mt19937_64 random = generator();
    fill_random(bench->model, random);
    bench->fill();
    unsigned word = 0;
    for (const int step : {8191, 8192, -8192}) {
        bench->issue(
            load(Dtype::Fp8E4m3, Rows, 8, 0, step < 0 ? 7 * 8192 : 0).set_signed(field::AStep0, step));
        bench->issue(matmul(Dtype::Fp8E4m3, Rows, 8, 16, 0, 0, word));
        word += 16;
    }
    bench->drain();
    bench->compare("columns far apart");
}

// The engine counts 16 matmuls under way: otherwise an assertion of the RTL ends the run.
TEST(TensorRange, AsManyMatmulsUnderWayAsItTakes) {
    auto bench = std::make_unique<Bench>();
    std::mt19937_64 random = generator();
    fill_random(bench->model, random);
    bench->fill();
    for (const unsigned group : {0u, 1u}) {
        const unsigned partition = group * (Rows / 2);
        bench->issue(load(Dtype::Bf16, Rows / 2, 1, partition).set(field::RowTile, 1));
        for (unsigned n = 0; n < 40; ++n) {
            bench->issue(
                matmul(Dtype::Bf16, Rows / 2, 1, 1, partition, 2 * n, 64 * group + n).set(field::RowTile, 1));
        }
    }
    bench->drain();
    bench->compare("short matmuls");
}

}  // namespace
}  // namespace trnsim::test
