// Writes the cases: operands once, as fields of the instruction and as tiles of the builder's call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isa/operands.hpp"
#include "testbench/refusals/cases.hpp"

namespace trnsim::refusals {

struct Place {
    target::Memory memory = target::Memory::Sbuf;
    std::uint32_t partition = 0, offset = 0;
    isa::Dtype dtype = isa::Dtype::Fp32;
    isa::Steps step{1, 0, 0, 0};  // elements, innermost first
};

struct Operands {
    std::uint32_t partitions = 1;
    isa::Counts count{8, 1, 1, 1};
    // If not 0, operands of the instruction that have this number of elements.
    std::uint32_t dst_elements = 0, b_elements = 0, dst_partitions = 0;
    Place dst{.offset = 0x2000}, a{.offset = 0}, b{.offset = 0x1000};
};

struct Tiles {
    builder::Tile dst, a, b;
};
Tiles tiles_of(const Operands& operands);

// An instruction and the call of the builder that makes it.
struct Kind {
    isa::Instruction instruction;
    std::function<void(builder::KernelBuilder&, const Tiles&)> call;  // empty: there is none
};

class Writer {
  public:
    explicit Writer(const target::Core& target) : target(target) {}

    const target::Core& target;
    std::uint32_t partitions() const { return static_cast<std::uint32_t>(target.partitions); }
    std::uint32_t quadrant() const { return partitions() / 4; }
    // Operands of a quarter of the partitions, each in memory of its own.
    Operands operands() const { return {.partitions = quadrant()}; }

    // Returns the instruction with the fields of its operands.
    isa::Instruction filled(const isa::Instruction& instruction, const Operands& operands) const;

    // Add a case: of operands of a kind, or of any instruction.
    Case& add(std::string name, isa::Engine engine, isa::Error error, const Kind& kind,
              const Operands& operands);
    Case& add(std::string name, isa::Engine engine, isa::Error error, const isa::Instruction& instruction,
              Call call = {});

    std::vector<Case> take() { return std::move(cases_); }

  private:
    std::vector<Case> cases_;
};

void add_sequencer_cases(Writer& writer);
void add_tensor_cases(Writer& writer);
void add_vector_cases(Writer& writer);
void add_scalar_cases(Writer& writer);
void add_control_cases(Writer& writer);
void add_gpsimd_cases(Writer& writer);

}  // namespace trnsim::refusals
