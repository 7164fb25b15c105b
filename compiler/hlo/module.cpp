#include "compiler/hlo/module.hpp"

#include <algorithm>
#include <limits>

#include "base/text/printable.hpp"

namespace trnsim::hlo {
namespace {

template <typename T>
const T* at(const std::vector<T>& list, std::int64_t number) {
    if (number < 1 || number > static_cast<std::int64_t>(list.size())) return nullptr;
    return &list[static_cast<std::size_t>(number - 1)];
}

}  // namespace

std::vector<Position> Computation::parameters() const {
    std::vector<Position> positions;
    for (Position i = 0; i < instructions.size(); ++i) {
        if (instructions[i].opcode != Opcode::Parameter) continue;
        const std::int64_t number = instructions[i].attributes.parameter_number;
        if (number < 0 || number >= static_cast<std::int64_t>(instructions.size())) continue;
        if (positions.size() <= static_cast<std::size_t>(number)) {
            positions.resize(static_cast<std::size_t>(number) + 1, std::numeric_limits<Position>::max());
        }
        positions[static_cast<std::size_t>(number)] = i;
    }
    return positions;
}

std::string source_of(const Module& module, const Metadata& metadata) {
    if (!metadata.source_file.empty()) {
        return metadata.source_file + ":" + std::to_string(metadata.source_line);
    }
    if (module.stack_frames) {
        const StackFrames& stack = *module.stack_frames;
        const StackFrame* frame = at(stack.frames, metadata.stack_frame);
        const FileLocation* location = frame != nullptr ? at(stack.locations, frame->location) : nullptr;
        const std::string* file = location != nullptr ? at(stack.files, location->file) : nullptr;
        if (file != nullptr) return *file + ":" + std::to_string(location->line);
    }
    return metadata.op_name;
}

std::string where(const Module& module, const Instruction& instruction) {
    std::string text = "%" + instruction.name;
    if (instruction.metadata) {
        const std::string source = source_of(module, *instruction.metadata);
        if (!source.empty()) text += " (" + source + ")";
    }
    return text::printable(text);
}

void renumber(Module& module) {
    std::int64_t instruction_id = 0, computation_id = 0;
    for (Computation& computation : module.computations) {
        computation.id = ++computation_id;
        for (Instruction& instruction : computation.instructions) instruction.id = ++instruction_id;
    }
}

}  // namespace trnsim::hlo
