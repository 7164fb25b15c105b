// Random instructions of the Vector or Scalar engine on a few small buffers: shapes, steps, types, sources,
// destinations, operations. Many read the results of the instruction before.
#pragma once

#include <optional>
#include <random>
#include <span>
#include <vector>

#include "testbench/random_programs/vector_instructions.hpp"

namespace trnsim::random_programs {

// The memory that instructions may touch. The strides of partitions are those of area.hpp.
struct Geometry {
    unsigned lanes;
    std::vector<Area> buffers;
    unsigned quadrant() const { return lanes / 4; }
};

// The types that the operands of a kind may have.
enum class Types : std::uint8_t {
    Any,         // each operand has a type of its own
    Bits,        // integers of one width
    Predicate,   // a has an integer type, b the type of dst
    SelectingB,  // b has an integer type
    Pairs,       // bf16
    Same,        // a and dst have the same type
    Random,      // dst has an integer type
    Indices,     // dst has u16 or u32
};

// Shape of the result.
enum class Result : std::uint8_t { Elements, Reduced, Fixed, Turned };

class LaneGenerator;

// A row of the table of an engine's instructions (vector_kinds.hpp, scalar_kinds.hpp).
struct Kind {
    isa::Instruction (*make)(LaneGenerator& g, const Tensors& t);
    bool reads_a = true, reads_b = false;
    Types types = Types::Any;
    Result result = Result::Elements;
    unsigned fixed = 0;        // elements of a fixed result
    unsigned multiple = 1;     // count0 is a multiple of it
    unsigned most = 1u << 16;  // elements
    unsigned least = 1;
    unsigned b_elements = 0;  // number of elements of b if it has its own
    bool whole_quadrants = false;
    bool blocks = false;  // takes whole blocks of transpose_block, or one that is smaller
};

class LaneGenerator {
  public:
    // All references must outlive the generator.
    LaneGenerator(const std::vector<Kind>& kinds, const Geometry& geometry, std::mt19937_64& random)
        : kinds_(kinds), geometry_(geometry), random_(random) {}

    isa::Instruction instruction();

    // Helpers for the kinds.
    const Geometry& geometry() const { return geometry_; }
    std::uint32_t word();  // often a special value
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    template <typename List>
    auto any(const List& list) {
        return list[pick(static_cast<unsigned>(std::size(list)))];
    }
    Operation operation();
    // Returns a constant or a [partitions,1] operand of any of the types.
    Immediate immediate(const Tensors& t, std::span<const isa::Dtype> types = std::array{isa::Dtype::Fp32});
    unsigned axes() const { return axes_; }                   // axes of a reduction
    isa::ActivationSet table_set = isa::ActivationSet::None;  // the set that was loaded last

  private:
    const Area& any_buffer(bool sbuf_only);
    bool within_a_buffer(const RandomOperand& operand, const Counts& count) const;
    Counts counts();
    unsigned start_partition(unsigned partitions);
    // Chooses a random pattern of these counts within a buffer, from dense to as wide as the buffer allows.
    // Returns false if it does not fit.
    bool choose_pattern(unsigned partitions, const Counts& count, RandomOperand& operand);
    void choose_types(Types types, Tensors& t);
    bool choose_shape(const Kind& kind, Tensors& t, bool follows);
    // Chooses a destination anywhere, often exactly at a source or some elements off. Returns false if it
    // overlaps a source so that the result is undefined.
    bool choose_destination(const Kind& kind, Tensors& t, const Counts& count, unsigned partitions);
    bool choose_operands(const Kind& kind, Tensors& t);

    const std::vector<Kind>& kinds_;
    const Geometry& geometry_;
    std::mt19937_64& random_;
    std::optional<Tensors> last_;  // the instruction before, with the shape of its result
    unsigned axes_ = 1;
};

}  // namespace trnsim::random_programs
