#include "compiler/hlo/verify.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/infer.hpp"
#include "compiler/hlo/limits.hpp"

namespace trnsim::hlo {
namespace {

// Throws Error for a shape that exceeds the limits or is not supported.
void check_shape(const Shape& shape, std::size_t depth, std::size_t& leaves) {
    if (depth > MaxDepth) throw Error(fmt::format("tuples lie more than {} deep in each other", MaxDepth));
    if (++leaves > MaxLeaves) throw Error(fmt::format("a tuple has more than {} elements", MaxLeaves));
    if (shape.type == ElementType::Invalid || shape.type == ElementType::Opaque)
        throw Error(fmt::format("a value of the type {} is refused: it has no elements", name(shape.type)));
    if (kind(shape.type) == Kind::Complex)
        throw Error(fmt::format("{} is refused: complex numbers are not supported", format(shape)));
    if (!shape.is_tuple() && !shape.tuple.empty())
        throw Error(fmt::format("{} has the elements of a tuple", name(shape.type)));
    for (const Shape& part : shape.tuple) check_shape(part, depth + 1, leaves);
    if (!shape.is_array() && !shape.dimensions.empty())
        throw Error(fmt::format("{} has dimensions", name(shape.type)));
    if (shape.rank() > MaxRank) throw Error(fmt::format("{} dimensions, at most {}", shape.rank(), MaxRank));
    if (std::ranges::any_of(shape.dimensions,
                            [](std::int64_t size) { return size < 0 || size > MaxElements; }) ||
        elements(shape) > MaxElements) {
        throw Error(
            fmt::format("{} is refused: an array has at most {} elements", format(shape), MaxElements));
    }
    if (std::ranges::any_of(shape.dynamic, [](std::uint8_t flag) { return flag != 0; }))
        throw Error(fmt::format("{} is refused: shapes have to be static", format(shape)));
    if (!shape.layout || shape.layout->minor_to_major.empty()) return;
    Integers sorted = shape.layout->minor_to_major;
    std::ranges::sort(sorted);
    bool permutes = sorted.size() == shape.rank();
    for (std::size_t i = 0; permutes && i < sorted.size(); ++i)
        permutes = sorted[i] == static_cast<std::int64_t>(i);
    if (!permutes)
        throw Error(fmt::format("the layout {{{}}} is no order of the dimensions of {}",
                                format(shape.layout->minor_to_major), format(shape)));
}

// The part of a shape that an index leads to; nullptr where there is none.
const Shape* part_of(const Shape& shape, const Integers& index) {
    const Shape* at = &shape;
    for (const std::int64_t i : index) {
        if (!at->is_tuple() || i < 0 || i >= static_cast<std::int64_t>(at->tuple.size())) return nullptr;
        at = &at->tuple[static_cast<std::size_t>(i)];
    }
    return at;
}

class Verifier {
  public:
    explicit Verifier(const Module& module) : module_(module) {}

    void run() {
        if (module_.computations.empty() || module_.entry >= module_.computations.size())
            throw Error("the module has no entry computation");
        std::size_t instructions = 0;
        for (position_ = 0; position_ < module_.computations.size(); ++position_) {
            instructions += module_.computations[position_].instructions.size();
            if (instructions > MaxInstructions)
                throw Error(fmt::format("there are more than {} instructions", MaxInstructions));
            check(module_.computations[position_]);
        }
        check_aliases();
    }

  private:
    void check(const Computation& computation) {
        if (!names_.insert(computation.name).second)
            throw Error(fmt::format("there are two computations %{}", computation.name));
        if (computation.root >= computation.instructions.size())
            throw Error(fmt::format("computation %{} has no root", computation.name));
        std::unordered_set<std::string> names;
        depths_.push_back(1);
        for (Position i = 0; i < computation.instructions.size(); ++i) {
            const Instruction& instruction = computation.instructions[i];
            try {
                if (!names.insert(instruction.name).second)
                    throw Error("there is another instruction of this name");
                if (!ids_.insert(instruction.id).second)
                    throw Error(fmt::format("its id {} is that of another instruction", instruction.id));
                check(computation, i);
            } catch (const Error& error) {
                throw Error(where(module_, instruction) + ": " + error.what());
            }
        }
        check_parameters(computation);
    }

    void check(const Computation& computation, Position at) {
        const Instruction& instruction = computation.instructions[at];
        for (const auto* list : {&instruction.operands, &instruction.control_predecessors}) {
            for (const Position operand : *list) {
                if (operand >= at) throw Error("an operand does not stand before it");
            }
        }
        for (const Position called : instruction.called) {
            if (called >= position_) throw Error("a computation that it calls does not stand before its own");
            depths_.back() = std::max(depths_.back(), depths_[called] + 1);
            if (depths_.back() > MaxCallDepth)
                throw Error(fmt::format("computations call each other more than {} deep", MaxCallDepth));
        }
        std::size_t leaves = 0;
        // Opcodes are refused before the types that only they have.
        if (const std::string_view reason = refusal(info(instruction.opcode).family); !reason.empty()) {
            throw Error(fmt::format("{} is refused: {}", name(instruction.opcode), reason));
        }
        check_shape(instruction.shape, 0, leaves);
        const Shape inferred = infer_shape(module_, computation, instruction);
        if (!is_compatible(inferred, instruction.shape)) {
            throw Error(
                text::shortened(fmt::format("{} has the shape {}, expected {}", name(instruction.opcode),
                                            format(instruction.shape), format(inferred))));
        }
    }

    static void check_parameters(const Computation& computation) {
        std::set<std::int64_t> numbers;
        for (const Instruction& instruction : computation.instructions) {
            if (instruction.opcode != Opcode::Parameter) continue;
            const std::int64_t number = instruction.attributes.parameter_number;
            if (number < 0 || !numbers.insert(number).second)
                throw Error(
                    fmt::format("computation %{} has no single parameter {}", computation.name, number));
        }
        if (!numbers.empty() && *numbers.rbegin() + 1 != static_cast<std::int64_t>(numbers.size())) {
            throw Error(fmt::format("computation %{} has {} parameters and one with the number {}",
                                    computation.name, numbers.size(), *numbers.rbegin()));
        }
    }

    const Shape* parameter(std::int64_t number, const Integers& index) const {
        const Computation& entry = module_.entry_computation();
        const auto parameters = entry.parameters();
        if (number < 0 || number >= static_cast<std::int64_t>(parameters.size())) return nullptr;
        return part_of(entry.instructions[parameters[static_cast<std::size_t>(number)]].shape, index);
    }

    void check_aliases() const {
        std::set<std::pair<std::int64_t, Integers>> given;
        std::set<Integers> results;
        if (module_.aliases) {
            for (const Alias& alias : module_.aliases->entries) {
                const Shape* from = parameter(alias.parameter, alias.parameter_index);
                const Shape* to =
                    part_of(module_.entry_computation().root_instruction().shape, alias.output_index);
                const std::string text =
                    fmt::format("the alias of result {{{}}} and parameter {} {{{}}}",
                                format(alias.output_index), alias.parameter, format(alias.parameter_index));
                if (from == nullptr || to == nullptr) throw Error(text + " names nothing that is there");
                if (!is_compatible(*from, *to))
                    throw Error(fmt::format("{} joins {} and {}", text, format(*to), format(*from)));
                if (!results.insert(alias.output_index).second ||
                    !given.emplace(alias.parameter, alias.parameter_index).second)
                    throw Error(text + " is not the only one");
            }
        }
        if (module_.donors) {
            for (const Donor& donor : module_.donors->entries) {
                const std::string text = fmt::format("the donor parameter {} {{{}}}", donor.parameter,
                                                     format(donor.parameter_index));
                if (parameter(donor.parameter, donor.parameter_index) == nullptr)
                    throw Error(text + " is not there");
                if (!given.emplace(donor.parameter, donor.parameter_index).second)
                    throw Error(text + " gives its memory twice");
            }
        }
    }

    const Module& module_;
    Position position_ = 0;  // of the computation that is checked
    std::unordered_set<std::string> names_;
    std::unordered_set<std::int64_t> ids_;
    std::vector<std::size_t> depths_;  // by computation
};

}  // namespace

void verify(const Module& module) {
    try {
        Verifier(module).run();
    } catch (const Error& error) {
        throw Error(text::message(error.what()));  // names may have any bytes
    }
}

}  // namespace trnsim::hlo
