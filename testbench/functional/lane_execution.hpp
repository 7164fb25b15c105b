// The execution of one instruction of the Vector or Scalar engine: its operands by row, immediates, results.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "testbench/functional/lane_state.hpp"
#include "testbench/functional/operand.hpp"

namespace trnsim::functional {

using Values = std::vector<float>;        // values of one row, in element order
using Bits = std::vector<std::uint32_t>;  // storage bits, right-aligned

// Results reach memory with commit(): every lane reads before any writes, and the result is the same as with
// the engines' element-by-element order.
class LaneExecution {
  public:
    // The instruction has been accepted (refusal.hpp). Throws Error for more elements than an instruction may
    // have here.
    LaneExecution(isa::Engine engine, const isa::Instruction& instruction, const target::Core& target,
                  LaneState& state, CoreMemory& memory);

    const isa::Instruction& instruction;
    const target::Core& target;
    LaneState& state;
    std::uint32_t partitions;  // rows, and lanes at work
    Operand dst, a, b;         // operands that the instruction has

    std::uint32_t quadrant() const { return static_cast<std::uint32_t>(target.partitions) / 4; }

    Bits bits(const Operand& operand, std::uint32_t row) const;
    Values values(const Operand& operand, std::uint32_t row) const;

    // Return the constant, or the row's element of the [partitions,1] operand, which is 0 where the engine
    // does not read it; fp32 subnormals read as zero.
    float immediate(const isa::Field& value, const isa::Field& is_vector, std::uint32_t row,
                    isa::Dtype dtype = isa::Dtype::Fp32) const;
    std::uint32_t immediate_bits(const isa::Field& value, const isa::Field& is_vector, std::uint32_t row,
                                 isa::Dtype dtype = isa::Dtype::Fp32) const;
    // Returns the type of a [partitions,1] operand by its field.
    isa::Dtype immediate_type(const isa::Field& dtype) const;

    // Converts fp32 to dst's type with the instruction's rounding, in lane `row`.
    std::uint32_t narrow(float value, std::uint32_t row);
    // Store results of a row of dst: values are narrowed, bits are written as they are.
    void put(std::uint32_t row, const Values& values);
    void put_bits(std::uint32_t row, const Bits& bits);
    void put_element(std::uint32_t row, std::size_t index, std::uint32_t bits);

    void commit();

  private:
    struct Write {
        std::uint32_t address, bits;
    };
    // The engine reads this immediate.
    bool reads(const isa::Field& value) const;
    // Drops the results that later ones replace, so that they need no more memory than their places.
    void drop_replaced();

    static constexpr std::size_t DropAt = std::size_t{1} << 22;
    std::array<bool, 2> reads_immediates_;
    CoreMemory& memory_;
    std::vector<Write> writes_;
    std::size_t drop_at_ = DropAt;
};

}  // namespace trnsim::functional
