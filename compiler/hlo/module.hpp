// A module of HLO as data: computations of instructions that refer to each other by position.
//
// Operands stand before their users and computations before those that call them, so neither graph has a cycle. A
// module is a value: a pass takes one and returns another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/hlo/attributes.hpp"
#include "compiler/hlo/opcode.hpp"

namespace trnsim::hlo {

using Position = std::uint32_t;  // of an instruction in its computation, of a computation in its module

struct Instruction {
    std::string name;
    Opcode opcode = Opcode::Parameter;
    Shape shape;
    std::int64_t id = 0;  // unique in the module; what files refer to
    std::vector<Position> operands, control_predecessors;
    std::vector<Position> called;  // computations
    Attributes attributes;
    Box<Metadata> metadata;
    Unknown unknown;
};

struct ProgramShape {
    std::vector<Shape> parameters;
    Shape result;
    std::vector<std::string> parameter_names;
    Unknown unknown;
};

struct Computation {
    std::string name;
    std::vector<Instruction> instructions;
    Box<ProgramShape> program_shape;  // as the file has it
    std::int64_t id = 0;
    Position root = 0;
    bool is_fusion = false;
    std::string execution_thread;
    Unknown unknown;

    const Instruction& root_instruction() const { return instructions[root]; }
    // Positions of the parameters by number. The verifier holds that each number from 0 appears once.
    std::vector<Position> parameters() const;
};

// A result that takes the memory of a parameter.
struct Alias {
    Integers output_index;
    std::int64_t parameter = 0;
    Integers parameter_index;
    std::int64_t kind = 0;  // 1 may, 2 must
    Unknown unknown;
};

struct AliasTable {
    std::vector<Alias> entries;
    Unknown unknown;
};

// A parameter whose memory any result may take.
struct Donor {
    std::int64_t parameter = 0;
    Integers parameter_index;
    Unknown unknown;
};

struct DonorTable {
    std::vector<Donor> entries;
    Unknown unknown;
};

struct FileLocation {
    std::int64_t file = 0, function = 0, line = 0, column = 0, end_line = 0,
                 end_column = 0;  // file, function: from 1
    Unknown unknown;
};

struct StackFrame {
    std::int64_t location = 0, parent = 0;  // from 1; 0: none
    Unknown unknown;
};

// The lines of the framework's program that instructions come from.
struct StackFrames {
    std::vector<std::string> files, functions;
    std::vector<FileLocation> locations;
    std::vector<StackFrame> frames;
    Unknown unknown;
};

struct Module {
    std::string name;
    std::string entry_name;
    std::vector<Computation> computations;
    Box<ProgramShape> program_shape;  // of the entry, as the file has it
    std::int64_t id = 0;
    Position entry = 0;
    Box<AliasTable> aliases;
    Box<DonorTable> donors;
    Box<Sharding> output_sharding;
    std::vector<Sharding> parameter_shardings;
    Box<StackFrames> stack_frames;
    Box<FrontendAttributes> frontend;
    Unknown unknown;

    const Computation& entry_computation() const { return computations[entry]; }
};

// Returns "model.py:105", or the name that the framework gave the operation, or nothing.
std::string source_of(const Module& module, const Metadata& metadata);
// Returns "%dot.3 (model.py:105)": how messages name an instruction.
std::string where(const Module& module, const Instruction& instruction);

// Gives instructions and computations new ids, from 1 in the order of the module.
void renumber(Module& module);

}  // namespace trnsim::hlo
