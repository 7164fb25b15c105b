#include "compiler/hlo/infer.hpp"

#include <algorithm>

#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {

const Shape& Site::array(std::size_t at) const {
    const Shape& shape = operand(at);
    check(shape.is_array(), fmt::format("operand {} is {}, expected an array", at, format(shape)));
    return shape;
}

const Computation& Site::called(std::size_t at) const {
    check(at < instruction.called.size(),
          fmt::format("calls {} computations, expected more", instruction.called.size()));
    return module.computations[instruction.called[at]];
}

bool contains(const Integers& values, std::int64_t value) {
    return std::ranges::find(values, value) != values.end();
}

std::size_t checked_dimension(std::int64_t dimension, std::size_t rank, std::string_view what) {
    if (dimension < 0 || dimension >= static_cast<std::int64_t>(rank))
        Site::fail(fmt::format("{} {} is none of {} dimensions", what, dimension, rank));
    return static_cast<std::size_t>(dimension);
}

void check_dimensions(const Integers& dimensions, std::size_t rank, std::string_view what, bool sorted) {
    std::vector<bool> seen(rank, false);
    for (const std::int64_t dimension : dimensions) {
        const std::size_t at = checked_dimension(dimension, rank, what);
        if (seen[at]) Site::fail(fmt::format("{} has the dimension {} twice", what, dimension));
        seen[at] = true;
    }
    if (sorted && !std::ranges::is_sorted(dimensions))
        Site::fail(fmt::format("{} {{{}}} does not rise", what, format(dimensions)));
}

std::vector<Shape> parameter_shapes(const Computation& computation) {
    std::vector<Shape> shapes;
    for (const Position at : computation.parameters()) {
        if (at < computation.instructions.size()) shapes.push_back(computation.instructions[at].shape);
    }
    return shapes;
}

void check_computation(const Computation& computation, const std::vector<Shape>& parameters,
                       const Shape& result, std::string_view what) {
    const std::vector<Shape> found = parameter_shapes(computation);
    if (found.size() != parameters.size()) {
        Site::fail(fmt::format("{} %{} has {} parameters, expected {}", what, computation.name, found.size(),
                               parameters.size()));
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!is_compatible(found[i], parameters[i])) {
            Site::fail(fmt::format("parameter {} of {} %{} is {}, expected {}", i, what, computation.name,
                                   format(found[i]), format(parameters[i])));
        }
    }
    const Shape& root = computation.root_instruction().shape;
    if (!is_compatible(root, result))
        Site::fail(fmt::format("the result of {} %{} is {}, expected {}", what, computation.name,
                               format(root), format(result)));
}

Shape infer_shape(const Module& module, const Computation& computation, const Instruction& instruction) {
    const OpcodeInfo& opcode = info(instruction.opcode);
    if (const std::string_view reason = refusal(opcode.family); !reason.empty())
        Site::fail(fmt::format("{} is refused: {}", opcode.name, reason));
    const auto operands = static_cast<int>(instruction.operands.size());
    if (operands < opcode.fewest || (opcode.most >= 0 && operands > opcode.most)) {
        const std::string expected = opcode.most < 0 ? fmt::format("at least {}", opcode.fewest)
                                     : opcode.most == opcode.fewest
                                         ? std::to_string(opcode.most)
                                         : fmt::format("{} to {}", opcode.fewest, opcode.most);
        Site::fail(fmt::format("{} has {} operands, expected {}", opcode.name, operands, expected));
    }
    const Site site{module, computation, instruction};
    for (const auto find :
         {elementwise_rule, movement_rule, contraction_rule, reduction_rule, control_rule, collective_rule}) {
        if (const Rule rule = find(instruction.opcode); rule != nullptr) return rule(site);
    }
    Site::fail(fmt::format("{} has no shape rule", opcode.name));
}

}  // namespace trnsim::hlo
