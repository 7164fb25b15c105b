#include "runtime/loader/expected_moves.hpp"

#include <array>

#include "arch/numerics/arithmetic.hpp"
#include "runtime/loader/dma_decoder.hpp"

namespace trnsim::test {
namespace {

// Returns the place of element `number` in four dimensions, from the first element; after the last one it
// starts over.
std::int64_t place_of(const std::array<std::int64_t, 4>& step, const std::array<std::uint32_t, 4>& count,
                      std::uint64_t number) {
    std::int64_t place = 0;
    for (std::size_t dim = 0; dim < 4; ++dim) {
        place += step[dim] * static_cast<std::int64_t>(number % count[dim]);
        number /= count[dim];
    }
    return place;
}

std::uint64_t elements_of(const neff::Pattern& pattern) {
    std::uint64_t elements = 1;
    for (const std::uint32_t count : pattern.count) elements *= count;
    return elements;
}

unsigned code_of(isa::AluOp op) {
    switch (op) {
        case isa::AluOp::Multiply:
            return 3;
        case isa::AluOp::Min:
            return 4;
        case isa::AluOp::Max:
            return 5;
        default:
            return 2;
    }
}

}  // namespace

std::uint64_t element_address(const neff::Pattern& pattern, const Bases& bases, std::uint64_t iteration,
                              std::uint64_t number) {
    using Space = neff::Pattern::Space;
    const std::uint64_t base = pattern.place == Space::Core    ? bases.window
                               : pattern.place == Space::Image ? bases.images[pattern.tensor]
                                                               : bases.tensors[pattern.tensor];
    return base + pattern.offset +
           static_cast<std::uint64_t>(place_of(pattern.iteration_step, pattern.iteration_count, iteration) +
                                      place_of(pattern.step, pattern.count, number));
}

void move_elements(PlainMemory& memory, const neff::Transfer& transfer, const Bases& bases,
                   std::uint64_t iteration) {
    const std::uint64_t elements = elements_of(transfer.from);
    const std::uint64_t row = transfer.indirect ? elements / elements_of(transfer.indirect->index) : elements;
    for (std::uint64_t number = 0; number < elements; ++number) {
        std::uint64_t from = element_address(transfer.from, bases, iteration, number);
        std::uint64_t to = element_address(transfer.to, bases, iteration, number);
        if (transfer.indirect) {
            const neff::Indirect& indirect = *transfer.indirect;
            const auto index = static_cast<std::int32_t>(
                memory.load(element_address(indirect.index, bases, iteration, number / row), 4));
            if (index < indirect.first || index > indirect.last) continue;
            const std::int64_t rows = std::int64_t{index} - indirect.first;
            (indirect.scatter ? to : from) += static_cast<std::uint64_t>(rows * indirect.step);
        }
        if (transfer.combination) {
            const isa::Dtype dtype = transfer.combination->dtype;
            const float moved = numerics::multiply(1, load_element(memory, from, dtype));
            store_element(
                memory, to, dtype,
                combined(code_of(transfer.combination->op), load_element(memory, to, dtype), moved));
            continue;
        }
        for (std::uint32_t b = 0; b < transfer.element_bytes; ++b)
            memory.write(to + b, memory.read(from + b));
    }
}

}  // namespace trnsim::test
