#include "model/values/tensor_engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "arch/numerics/format.hpp"
#include "model/values/kernels/kernels.hpp"
#include "model/values/stream.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::Dtype;
using kernels::BlockColumns;
using kernels::BlockElements;

namespace {

bool has_low_parts(const Operation& operation) {
    return operation.a.dtype == Dtype::Fp32 && operation.instruction.get(field::Onezero) == 0;
}

struct alignas(kernels::Padding) Buffers {
    std::array<float, kernels::RowPitch> values, low, finite_high, high;
};

std::size_t blocks_of(std::size_t count, std::size_t block) {
    return (count + block - 1) / block;
}

// Copies the values of a row to their blocks; blocks are `pitch` values apart.
void place(const float* values, std::size_t count, std::size_t block, std::size_t pitch, float* to) {
    for (std::size_t i = 0; i < count; i += block, to += pitch)
        std::memcpy(to, values + i, std::min(block, count - i) * sizeof(float));
}

// Writes the results of a pass to elements of PSUM that are not adjacent; one place may occur several times.
bool carry(const Operation& operation, Memories& memories, const float* chains, bool accumulate) {
    const auto elements = static_cast<std::size_t>(operation.elements);
    std::vector<std::int32_t> offsets(elements);
    Walk(operation.dst).next(offsets);
    bool nan = false;
    for (std::uint32_t column = 0; column < operation.dst.partitions; ++column) {
        std::uint8_t* first = memories.byte(operation.dst.row(column));
        for (std::size_t i = 0; i < elements; ++i) {
            float value = chains[column * elements + i], old = 0;
            if (accumulate) {
                std::memcpy(&old, first + offsets[i], sizeof old);
                value = old + value;
            }
            if (std::isnan(value)) {
                value = std::bit_cast<float>(numerics::CanonicalNan);
                nan = true;
            }
            std::memcpy(first + offsets[i], &value, sizeof value);
        }
    }
    return nan;
}

}  // namespace

Effects TensorEngine::execute(const Operation& operation, Memories& memories) {
    if (operation.opcode == isa::Opcode::MultiplyMoving) return multiply(operation, memories);
    load(operation, memories);
    return {};
}

void TensorEngine::forget() {
    row_tile_ = column_tile_ = false;
    for (Stationary& stationary : stationaries_) stationary.valid = false;
}

void TensorEngine::load(const Operation& operation, Memories& memories) {
    const bool row_tile = operation.instruction.get(field::RowTile) != 0;
    const bool column_tile = operation.instruction.get(field::ColumnTile) != 0;
    if (row_tile != row_tile_ || column_tile != column_tile_) forget();
    row_tile_ = row_tile;
    column_tile_ = column_tile;
    Stationary& stationary = stationaries_[tile_of(operation.instruction, memories, core_)];
    const bool split = operation.a.size == 4;
    const auto columns = static_cast<std::size_t>(operation.elements);
    stationary.valid = true;
    stationary.wide = split;
    stationary.low = has_low_parts(operation);
    stationary.rows = operation.partitions;
    stationary.columns = columns;
    const std::size_t pitch = stationary.rows * BlockColumns;
    std::array<float*, Parts> parts{};
    for (std::size_t part = split ? 0 : Parts - 1; part < Parts; ++part)
        parts[part] = stationary.parts[part].resized(blocks_of(columns, BlockColumns) * pitch);
    Stream elements(operation.a, memories);
    elements.next(columns);
    Buffers buffers;
    for (std::uint32_t row = 0; row < operation.partitions; ++row) {
        elements.widen(row, buffers.values.data());
        const float* high = buffers.values.data();
        if (split) {
            kernels::split(high, buffers.low.data(), buffers.finite_high.data(), buffers.high.data(),
                           columns);
            place(buffers.low.data(), columns, BlockColumns, pitch, parts[0] + row * BlockColumns);
            place(buffers.finite_high.data(), columns, BlockColumns, pitch, parts[1] + row * BlockColumns);
            high = buffers.high.data();
        }
        place(high, columns, BlockColumns, pitch, parts[2] + row * BlockColumns);
    }
}

// The destination of results: PSUM itself, or rows that are then carried to PSUM element by element.
struct TensorEngine::Results {
    const Operation& operation;
    Memories& memories;
    Effects effects{};

    std::size_t columns() const { return operation.dst.partitions; }
    std::size_t elements() const { return static_cast<std::size_t>(operation.elements); }

    // Marks the words as sums and notes results added to words that were none.
    void mark(bool accumulate) {
        std::vector<std::int32_t> offsets(elements());
        Walk(operation.dst).next(offsets);
        std::vector<std::uint8_t> unfounded(elements());
        std::optional<MemoryAddress> first;
        std::size_t first_element = elements();
        for (std::uint32_t column = 0; column < columns(); ++column) {
            const MemoryAddress row = operation.dst.row(column);
            std::uint8_t* marks = memories.sums(row.partition);
            if (operation.dst.dense) {
                std::uint8_t* begin = marks + row.offset / 4;
                const bool founded = !accumulate || std::memchr(begin, 0, elements()) == nullptr;
                if (founded) {
                    std::memset(begin, 1, elements());
                    continue;
                }
            }
            for (std::size_t i = 0; i < elements(); ++i) {
                const std::uint32_t offset = row.offset + static_cast<std::uint32_t>(offsets[i]);
                if (accumulate && marks[offset / 4] == 0) {
                    unfounded[i] = 1;
                    if (i < first_element) {
                        first_element = i;
                        first = MemoryAddress{row.memory, row.partition, offset};
                    }
                }
                marks[offset / 4] = 1;
            }
        }
        effects.unfounded += static_cast<std::uint32_t>(std::ranges::count(unfounded, 1));
        if (first && !effects.fault)
            effects.fault = {isa::Error::PsumAccumulate, memories.window_address(*first)};
    }
};

Effects TensorEngine::multiply(const Operation& operation, Memories& memories) {
    struct Pass {
        Part stationary, moving;
    };
    static constexpr std::array<Pass, 4> Passes{{{Part::Low, Part::Low},
                                                 {Part::Low, Part::FiniteHigh},
                                                 {Part::FiniteHigh, Part::Low},
                                                 {Part::High, Part::High}}};
    const Stationary& stationary = stationaries_[tile_of(operation.instruction, memories, core_)];
    const bool low = has_low_parts(operation), split = operation.a.size == 4;
    const std::size_t rows = operation.partitions, columns = operation.dst.partitions;
    const auto elements = static_cast<std::size_t>(operation.elements);
    const std::size_t pitch = rows * BlockElements;

    // The moving operand.
    std::array<float*, Parts> parts{};
    for (std::size_t part = split ? 0 : Parts - 1; part < Parts; ++part)
        parts[part] = moving_[part].resized(blocks_of(elements, BlockElements) * pitch);
    Buffers buffers;
    Stream stream(operation.a, memories);
    for (std::size_t done = 0; done < elements; done += kernels::ChunkElements) {
        const std::size_t count = std::min(kernels::ChunkElements, elements - done);
        const std::size_t first = done / BlockElements * pitch;
        stream.next(count);
        for (std::uint32_t row = 0; row < rows; ++row) {
            float* high = parts[2] + first + row * BlockElements;
            if (!split) {
                kernels::widen_blocks(operation.a.dtype, stream.elements(row), high, pitch, count);
                continue;
            }
            stream.widen(row, buffers.values.data());
            kernels::split(buffers.values.data(), buffers.low.data(), buffers.finite_high.data(),
                           buffers.high.data(), count);
            place(buffers.low.data(), count, BlockElements, pitch, parts[0] + first + row * BlockElements);
            place(buffers.finite_high.data(), count, BlockElements, pitch,
                  parts[1] + first + row * BlockElements);
            place(buffers.high.data(), count, BlockElements, pitch, high);
        }
    }

    Results results{operation, memories};
    bool accumulate = operation.instruction.get(field::Accumulate) != 0;
    results.mark(accumulate);
    std::vector<float> chains(operation.dst.dense ? 0 : columns * elements);
    for (const Pass& pass : Passes) {
        if ((pass.stationary == Part::Low && !stationary.low) || (pass.moving == Part::Low && !low)) continue;
        const float* weights = stationary.parts[static_cast<std::size_t>(pass.stationary)].data();
        const float* moving = parts[static_cast<std::size_t>(pass.moving)];
        const std::size_t out_pitch =
            operation.dst.dense ? memories.pitch(MemoryId::Psum) / sizeof(float) : elements;
        float* out = operation.dst.dense ? reinterpret_cast<float*>(memories.byte(operation.dst.row(0)))
                                         : chains.data();
        for (std::size_t n = 0; n < elements; n += BlockElements) {
            for (std::size_t m = 0; m < columns; m += BlockColumns) {
                results.effects.nan |= kernels::multiply(
                    weights + m * stationary.rows, moving + n * rows, rows,
                    std::min(BlockColumns, columns - m), std::min(BlockElements, elements - n),
                    accumulate && operation.dst.dense, out + m * out_pitch + n, out_pitch);
            }
        }
        if (!operation.dst.dense)
            results.effects.nan |= carry(operation, memories, chains.data(), accumulate);
        accumulate = true;
    }
    if (core_.psum_strict == 0) results.effects.fault = {};
    return results.effects;
}

}  // namespace trnsim::fast
