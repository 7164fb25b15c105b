#include "arch/checkpoint/shape.hpp"

#include <fmt/format.h>

namespace trnsim::checkpoint {
namespace {

constexpr std::size_t TableRows = 16384, TableBanks = 8, ExponentWords = 512;
constexpr std::size_t WordBytes = 4, VectorRegisters = 32;

void expect(const char* what, std::size_t found, std::size_t expected) {
    if (found != expected)
        throw Error(fmt::format("{} of {} in the checkpoint, expected {}", what, found, expected));
}

void check_generators(const char* what, const GeneratorState& state, std::size_t lanes) {
    for (const std::vector<std::uint32_t>& word : state) expect(what, word.size(), lanes);
}

}  // namespace

void check_shape(const CoreState& state, const Shape& shape) {
    const std::size_t lanes = shape.partitions;
    expect("bytes of SBUF", state.sbuf.size(), lanes * shape.sbuf_partition);
    expect("bytes of PSUM", state.psum.size(), lanes * shape.psum_partition);
    expect("marks of sums", state.sums.size(), state.psum.size() / WordBytes);
    if (!state.sbuf_written.empty())
        expect("marks of written words", state.sbuf_written.size(), state.sbuf.size() / WordBytes);
    expect("marks of written words of PSUM", state.psum_written.size(),
           state.sbuf_written.empty() ? 0 : state.psum.size() / WordBytes);
    for (const StationaryState& tile : state.stationaries) {
        const std::size_t words = tile.valid ? std::size_t{tile.rows} * tile.columns : 0;
        if (tile.valid && (tile.rows == 0 || tile.rows > shape.array_rows || tile.columns == 0 ||
                           tile.columns > shape.array_columns))
            throw Error(
                fmt::format("a stationary operand of {} x {} in the checkpoint, expected at most {} x {}",
                            tile.rows, tile.columns, shape.array_rows, shape.array_columns));
        expect("words of a stationary operand", tile.high.size(), words);
        expect("low parts of a stationary operand", tile.low_parts.size(), tile.low ? words : 0);
    }
    for (const LaneEngineState* engine : {&state.vector, &state.scalar}) {
        expect("accumulators", engine->accumulators.size(), lanes);
        check_generators("generators of rounding", engine->rounding, lanes);
    }
    check_generators("generators of rng", state.random, lanes);
    expect("words of activation tables", state.tables.rows.size(), TableRows * TableBanks);
    expect("exponents of activation tables", state.tables.exponents.size(), ExponentWords);
    expect("GpSimd cores", state.gpsimd.cores.size(), shape.gpsimd_cores);
    for (const GpsimdCoreState& core : state.gpsimd.cores) {
        expect("bytes of vector registers", core.vectors.size(), VectorRegisters * shape.gpsimd_vlen / 8);
        expect("bytes of tightly coupled memory", core.memory.size(), shape.gpsimd_memory);
    }
}

}  // namespace trnsim::checkpoint
