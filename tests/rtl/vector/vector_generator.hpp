// Random Vector instructions on a few small buffers: shapes, steps, types, sources, destinations, operations.
// Many read what the one before has written.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "tests/rtl/vector/vector_instructions.hpp"
#include "tests/rtl/vector/vector_reference.hpp"

namespace trnsim::test {

class Generator {
  public:
    explicit Generator(std::mt19937_64& random) : random_(random) {}

    static const std::vector<Area>& buffers();

    isa::Instruction instruction();

  private:
    struct Kind;
    static const std::vector<Kind>& kinds();

    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    template <typename List>
    auto any(const List& list) {
        return list[pick(static_cast<unsigned>(std::size(list)))];
    }
    Operation operation();
    Immediate immediate(const Tensors& t);
    isa::ReduceCmd command() { return static_cast<isa::ReduceCmd>(1 + pick(3)); }

    Counts counts();
    unsigned start_partition(unsigned partitions);
    // A random pattern of these counts within a buffer, wide or dense; false if it does not fit.
    bool choose_pattern(unsigned partitions, const Counts& count, Operand& operand);
    // A destination in a buffer or partitions of its own or, element by element, exactly where a dense source
    // is.
    bool choose_destination(const Kind& kind, Tensors& t, const Counts& count, unsigned partitions);
    bool choose_operands(const Kind& kind, Tensors& t);

    std::mt19937_64& random_;
    std::optional<Tensors> last_;  // the instruction before, its shape that of its result
    unsigned axes_ = 1;            // of a reduction
};

}  // namespace trnsim::test
