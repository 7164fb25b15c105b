#include "compiler/hlo/evaluate/scalar_program.hpp"

#include <algorithm>

namespace trnsim::hlo::evaluate {
namespace {

constexpr std::size_t Batch = 1024;  // elements of a column

bool is_translatable(const Computation& computation) {
    return std::ranges::all_of(computation.instructions, [&](const Instruction& i) {
        const bool is_root = &i == &computation.root_instruction();
        switch (i.opcode) {
            case Opcode::Parameter:
            case Opcode::Constant:
                return i.shape.is_scalar();
            case Opcode::Tuple:
                return is_root;
            default:
                return is_elementwise(i.opcode) && i.shape.is_scalar();
        }
    });
}

}  // namespace

ScalarProgram::ScalarProgram(const Operation& operation, const Computation& computation)
    : operation_(operation), computation_(computation) {
    translated_ = is_translatable(computation);
    if (translated_) translate(computation);
}

void ScalarProgram::translate(const Computation& computation) {
    columns_ = computation.instructions.size();
    storage_.resize(columns_);
    for (std::size_t at = 0; at < columns_; ++at) {
        const Instruction& i = computation.instructions[at];
        switch (i.opcode) {
            case Opcode::Parameter:
                parameters_.emplace_back(at, static_cast<std::size_t>(i.attributes.parameter_number));
                break;
            case Opcode::Constant:
                constants_.emplace_back(
                    at, from_bytes(i.attributes.literal->shape, i.attributes.literal->data).scalar());
                break;
            case Opcode::Tuple:
                results_.assign(i.operands.begin(), i.operands.end());
                break;
            default: {
                Step step{&i, {i.operands.begin(), i.operands.end()}, {}, at};
                for (const Position operand : i.operands)
                    step.types.push_back(computation.instructions[operand].shape.type);
                steps_.push_back(std::move(step));
            }
        }
    }
    const Instruction& root = computation.root_instruction();
    if (root.opcode != Opcode::Tuple) results_ = {computation.root};
    if (root.opcode == Opcode::Add && is_real(root.shape.type) && steps_.size() == 1 &&
        parameters_.size() == 2) {
        adds_real_numbers_ = root.operands[0] != root.operands[1];
    }
}

void ScalarProgram::run(const std::vector<const Cell*>& parameters, const std::vector<Cell*>& results,
                        std::size_t count) {
    operation_.work(count * std::max<std::size_t>(computation_.instructions.size(), 1));
    if (!translated_) {
        call_each(parameters, results, count);
        return;
    }
    for (std::size_t begin = 0; begin < count; begin += Batch)
        run_steps(parameters, results, begin, std::min(Batch, count - begin));
}

void ScalarProgram::run_steps(const std::vector<const Cell*>& parameters, const std::vector<Cell*>& results,
                              std::size_t begin, std::size_t count) {
    std::vector<const Cell*> column(columns_, nullptr);
    for (const auto& [at, number] : parameters_) column[at] = parameters[number] + begin;
    for (const auto& [at, value] : constants_) {
        if (storage_[at].size() < count) storage_[at].assign(count, value);
        column[at] = storage_[at].data();
    }
    constexpr bool NoScalars[3] = {};
    for (const Step& step : steps_) {
        Cells& out = storage_[step.result];
        if (out.size() < count) out.resize(count);
        const Cell* operands[3] = {};
        for (std::size_t i = 0; i < step.operands.size(); ++i) operands[i] = column[step.operands[i]];
        compute(*step.instruction, step.types, operands, NoScalars, out.data(), count);
        column[step.result] = out.data();
    }
    for (std::size_t i = 0; i < results_.size(); ++i)
        std::copy_n(column[results_[i]], count, results[i] + begin);
}

void ScalarProgram::call_each(const std::vector<const Cell*>& parameters, const std::vector<Cell*>& results,
                              std::size_t count) {
    const auto positions = computation_.parameters();
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<Value> arguments;
        for (std::size_t p = 0; p < positions.size(); ++p) {
            auto cells = operation_.allocate(std::size_t{1});
            cells->front() = parameters[p][i];
            arguments.push_back(
                array_of(computation_.instructions[positions[p]].shape.type, {}, std::move(cells)));
        }
        const Value result = operation_.call(computation_, std::move(arguments));
        for (std::size_t r = 0; r < results.size(); ++r) {
            results[r][i] = result.type == ElementType::Tuple ? result.tuple[r].scalar() : result.scalar();
        }
    }
}

}  // namespace trnsim::hlo::evaluate
