// The eight largest elements, and finding eight values.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "arch/numerics/format.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {
namespace {

constexpr std::size_t Eight = 8;

// Returns a key that ascends with the value: -0 is below +0, NaN above infinity.
std::uint32_t order_key(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return bits >> 31 != 0 ? ~bits : bits | 1U << 31;
}
float value_of(std::uint32_t key) {
    return std::bit_cast<float>(key >> 31 != 0 ? key & ~(1U << 31) : ~key);
}

struct Wanted {
    alignas(kernels::Padding) std::array<float, kernels::RowPitch> values;
    std::array<bool, Eight> done;
};

// Returns the eight values of each row, before anything is written.
std::unique_ptr<std::vector<Wanted>> wanted_of(LaneRun& run) {
    auto wanted = std::make_unique<std::vector<Wanted>>(run.operation.partitions);
    run.b->next(Eight);
    for (std::uint32_t row = 0; row < run.operation.partitions; ++row) {
        run.b->widen(row, (*wanted)[row].values.data());
        (*wanted)[row].done.fill(false);
    }
    return wanted;
}

}  // namespace

void max8(LaneRun& run) {
    std::vector<std::array<std::uint32_t, Eight>> largest(run.operation.partitions);  // keys, descending
    alignas(kernels::Padding) Row values;
    run.each_group([&](const Group& group) {
        for (std::uint32_t row = group.first; row < group.first + group.rows; ++row) {
            auto& keys = largest[row];
            run.a->widen(row, values.data());
            for (std::size_t i = 0; i < group.count; ++i) {
                const std::uint32_t key = order_key(values[i]);
                const bool room = group.done + i < Eight;
                if (!room && key <= keys.back()) continue;
                std::size_t place = room ? group.done + i : Eight - 1;
                for (; place > 0 && keys[place - 1] < key; --place) keys[place] = keys[place - 1];
                keys[place] = key;
            }
        }
    });
    if (run.operation.elements != Eight) run.dst->next(Eight);
    for (std::uint32_t first = 0; first < run.operation.partitions; first += kernels::Lanes) {
        const std::uint32_t rows = std::min<std::uint32_t>(kernels::Lanes, run.operation.partitions - first);
        run.prepare_draws(first, rows, Eight);
        for (std::uint32_t row = first; row < first + rows; ++row) {
            std::ranges::transform(largest[row], values.begin(), value_of);
            run.put(row, values.data());
        }
    }
}

void find_index8(LaneRun& run) {
    const auto wanted = wanted_of(run);
    alignas(kernels::Padding) std::array<std::uint32_t, kernels::RowPitch> bits;
    std::vector<std::array<std::uint32_t, Eight>> found(run.operation.partitions);
    for (auto& row : found) row.fill(~0U);
    alignas(kernels::Padding) Row values;
    Stream elements(run.operation.a, run.memories);
    for (std::uint64_t done = 0; done < run.operation.elements; done += kernels::ChunkElements) {
        const auto count = static_cast<std::size_t>(
            std::min<std::uint64_t>(kernels::ChunkElements, run.operation.elements - done));
        elements.next(count);
        for (std::uint32_t row = 0; row < run.operation.partitions; ++row) {
            elements.widen(row, values.data());
            for (std::size_t k = 0; k < Eight; ++k) {
                if (found[row][k] != ~0U) continue;
                const float *begin = values.data(), *end = begin + count;
                const float* place = std::find(begin, end, (*wanted)[row].values[k]);
                if (place == end) continue;
                found[row][k] = static_cast<std::uint32_t>(done) + static_cast<std::uint32_t>(place - begin);
            }
        }
    }
    run.dst->next(Eight);
    std::array<std::uint8_t, Eight * sizeof(std::uint32_t) + kernels::Padding> results;
    for (std::uint32_t row = 0; row < run.operation.partitions; ++row) {
        std::ranges::copy(found[row], bits.begin());
        kernels::narrow_bits(run.operation.dst.size, bits.data(), results.data(), Eight);
        run.put(row, results.data());
    }
}

void match_replace8(LaneRun& run) {
    const Operation& o = run.operation;
    if (o.raw_copy()) run.write_raw();
    const auto wanted = wanted_of(run);
    alignas(kernels::Padding) Row values;
    alignas(kernels::Padding) std::array<std::uint8_t, 4 * kernels::ChunkElements + kernels::Padding> kept;
    Stream elements(o.a, run.memories);
    for (std::uint64_t done = 0; done < o.elements; done += kernels::ChunkElements) {
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kernels::ChunkElements, o.elements - done));
        elements.next(count);
        run.dst->next(count);
        for (std::uint32_t first = 0; first < o.partitions; first += kernels::Lanes) {
            const std::uint32_t rows = std::min<std::uint32_t>(kernels::Lanes, o.partitions - first);
            run.prepare_draws(first, rows, count);
            for (std::uint32_t row = first; row < first + rows; ++row) {
                Wanted& eight = (*wanted)[row];
                const std::uint32_t replacement = numerics::from_fp32(run.imm0(row), o.dst.dtype);
                elements.widen(row, values.data());
                if (o.raw_copy()) std::memcpy(kept.data(), elements.elements(row), count * o.a.size);
                for (std::size_t i = 0; i < count; ++i) {
                    std::size_t match = Eight;
                    while (match > 0 && (eight.done[match - 1] || eight.values[match - 1] != values[i]))
                        --match;
                    if (match == 0) continue;
                    eight.done[match - 1] = true;
                    values[i] = run.imm0(row);
                    std::memcpy(kept.data() + i * o.dst.size, &replacement, o.dst.size);
                }
                if (o.raw_copy()) {
                    run.put(row, kept.data());
                } else {
                    run.put(row, values.data());
                }
            }
        }
    }
}

}  // namespace trnsim::fast
