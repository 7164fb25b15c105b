// HloModuleProto to Module and back: ids become positions, opcodes their numbers.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/schema.hpp"

namespace trnsim::hlo {
namespace {

using Positions = std::unordered_map<std::int64_t, Position>;

// Returns the positions of these ids. `what` is "operand", for messages.
std::vector<Position> resolved(const Integers& ids, const Positions& positions, std::string_view what,
                               const std::string& place) {
    std::vector<Position> found;
    found.reserve(ids.size());
    for (const std::int64_t id : ids) {
        const auto at = positions.find(id);
        if (at == positions.end()) {
            throw Error(fmt::format("{}: its {} with the id {} does not stand before it", place, what, id));
        }
        found.push_back(at->second);
    }
    return found;
}

class Importer {
  public:
    explicit Importer(ModuleFields& fields) : fields_(fields), module_(fields.module) {}

    void run() {
        Positions computations;
        std::size_t instructions = 0;
        for (ComputationFields& computation : fields_.computations) {
            instructions += computation.instructions.size();
            if (instructions > MaxInstructions)
                throw Error(fmt::format("there are more than {} instructions", MaxInstructions));
            add(computation, computations);
        }
        const auto entry = computations.find(fields_.entry);
        if (entry == computations.end())
            throw Error(fmt::format("there is no entry computation with the id {}", fields_.entry));
        module_.entry = entry->second;
    }

  private:
    void add(ComputationFields& fields, Positions& computations) {
        Computation computation = std::move(fields.computation);
        Positions positions;
        for (InstructionFields& instruction : fields.instructions) {
            complete(instruction, positions, computations);
            const auto position = static_cast<Position>(computation.instructions.size());
            if (!positions.emplace(instruction.instruction.id, position).second) {
                throw Error(fmt::format("{}: its id {} is that of another instruction",
                                        where(module_, instruction.instruction), instruction.instruction.id));
            }
            computation.instructions.push_back(std::move(instruction.instruction));
        }
        const auto root = positions.find(fields.root);
        if (root == positions.end())
            throw Error(
                fmt::format("computation %{} has no root with the id {}", computation.name, fields.root));
        computation.root = root->second;
        if (!computations.emplace(computation.id, static_cast<Position>(module_.computations.size()))
                 .second) {
            throw Error(fmt::format("computation %{}: its id {} is that of another one", computation.name,
                                    computation.id));
        }
        module_.computations.push_back(std::move(computation));
    }

    void complete(InstructionFields& fields, const Positions& positions,
                  const Positions& computations) const {
        Instruction& instruction = fields.instruction;
        const std::string place = where(module_, instruction);
        const auto opcode = find_opcode(fields.opcode);
        if (!opcode) throw Error(fmt::format("{}: there is no opcode '{}'", place, fields.opcode));
        instruction.opcode = *opcode;
        instruction.operands = resolved(fields.operands, positions, "operand", place);
        instruction.control_predecessors =
            resolved(fields.control_predecessors, positions, "control predecessor", place);
        instruction.called = resolved(fields.called, computations, "computation", place);
    }

    ModuleFields& fields_;
    Module& module_;
};

ComputationFields exported(const Module& module, const Computation& computation) {
    ComputationFields fields;
    fields.computation = computation;
    fields.root = computation.root_instruction().id;
    for (Instruction& instruction : fields.computation.instructions) {
        InstructionFields& out = fields.instructions.emplace_back();
        out.opcode = name(instruction.opcode);
        for (const Position at : instruction.operands)
            out.operands.push_back(computation.instructions[at].id);
        for (const Position at : instruction.control_predecessors)
            out.control_predecessors.push_back(computation.instructions[at].id);
        for (const Position at : instruction.called) out.called.push_back(module.computations[at].id);
        out.instruction = std::move(instruction);
    }
    fields.computation.instructions.clear();
    return fields;
}

}  // namespace

Module parse_proto(std::string_view bytes) {
    wire::Budget budget{MaxMessages};
    wire::MessageReader reader(bytes, budget, 0);
    ModuleFields fields;
    transfer(reader, fields);
    Importer(fields).run();
    return std::move(fields.module);
}

std::string serialise(const Module& module) {
    ModuleFields fields;
    for (const Computation& computation : module.computations)
        fields.computations.push_back(exported(module, computation));
    fields.entry = module.entry_computation().id;
    fields.module = module;
    fields.module.computations.clear();
    std::string bytes;
    wire::MessageWriter writer(bytes);
    transfer(writer, fields);
    writer.finish();
    return bytes;
}

}  // namespace trnsim::hlo
