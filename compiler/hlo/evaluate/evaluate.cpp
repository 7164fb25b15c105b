#include "compiler/hlo/evaluate/evaluate.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "compiler/hlo/evaluate/collective.hpp"
#include "compiler/hlo/evaluate/context.hpp"

namespace trnsim::hlo::evaluate {

std::shared_ptr<Cells> Budget::allocate(const std::shared_ptr<Budget>& budget, std::size_t count) {
    const std::uint64_t bytes = std::uint64_t{count} * sizeof(Cell);
    if (bytes > budget->memory_)
        throw Error(fmt::format("needs {} bytes more, of which {} are left", bytes, budget->memory_));
    budget->memory_ -= bytes;
    return {new Cells(count), [budget, bytes](const Cells* cells) {
                budget->memory_ += bytes;
                delete cells;
            }};
}

void Budget::work(std::uint64_t operations) {
    if (operations > work_) throw Error("the module needs more operations than the evaluator's limit");
    work_ -= operations;
}

namespace {

constexpr std::uint64_t WorkOfInstruction = 64;  // beside that of its elements
constexpr std::size_t MaxCalls = 256;            // computations that call each other

using Devices = std::vector<std::int64_t>;
// The values of one instruction, by place in the list of devices.
using ByDevice = std::vector<Value>;

// An Error that names its instruction already.
struct Located : Error {
    using Error::Error;
};

Evaluate evaluation_of(Opcode opcode) {
    for (const auto find : {elementwise_evaluation, movement_evaluation, indexed_evaluation,
                            contraction_evaluation, reduction_evaluation, window_evaluation,
                            normalisation_evaluation, sorting_evaluation, random_evaluation}) {
        if (const Evaluate evaluate = find(opcode); evaluate != nullptr) return evaluate;
    }
    return nullptr;
}

Value literal_value(const Literal& literal) {
    if (!literal.shape.is_tuple()) return from_bytes(literal.shape, literal.data);
    std::vector<Value> parts;
    for (const Literal& part : literal.tuple) parts.push_back(literal_value(part));
    return tuple_of_values(std::move(parts));
}

Value number(std::int64_t value) {
    return array_of(ElementType::U32, {}, std::make_shared<Cells>(1, static_cast<Cell>(value)));
}

class Evaluator {
  public:
    Evaluator(const Module& module, const Options& options)
        : module_(module),
          topology_{options.replicas, options.partitions},
          budget_(std::make_shared<Budget>(options)) {}

    // Evaluates a computation on these devices, with the arguments of each.
    ByDevice run(const Computation& computation, const Devices& devices,
                 const std::vector<Arguments>& arguments) {
        const struct Depth {
            std::size_t& calls;
            ~Depth() { --calls; }
        } depth{++calls_};
        if (calls_ > MaxCalls)
            throw Error(fmt::format("computations call each other more than {} deep", MaxCalls));
        budget_->work(WorkOfInstruction * computation.instructions.size() * devices.size());
        std::vector<ByDevice> values(computation.instructions.size());
        const std::vector<std::vector<Position>>& dead = dead_after(computation);
        for (Position at = 0; at < computation.instructions.size(); ++at) {
            const Instruction& instruction = computation.instructions[at];
            try {
                values[at] = evaluate(instruction, devices, arguments, values);
            } catch (const Located&) {
                throw;
            } catch (const Error& error) {
                throw Located(text::message(where(module_, instruction) + ": " + error.what()));
            }
            for (const Position operand : dead[at]) values[operand] = {};
        }
        return std::move(values[computation.root]);
    }

    Value fold(const Instruction& instruction, std::span<const Value> operands) {
        return on_devices(instruction, {0}, {{operands.begin(), operands.end()}}).front();
    }

  private:
    template <typename Function>
    auto with_operation(const Instruction& instruction, const Devices& devices,
                        std::span<const Value> operands, const Function& function) {
        const std::function<Value(const Computation&, std::vector<Value>)> call =
            [&](const Computation& computation, std::vector<Value> arguments) {
                return run(computation, {devices.front()}, {std::move(arguments)}).front();
            };
        return function(Operation{module_, instruction, operands, budget_, call});
    }

    // The instructions whose values have no user after each instruction.
    const std::vector<std::vector<Position>>& dead_after(const Computation& computation) {
        auto& dead = dead_[&computation];
        if (!dead.empty()) return dead;
        const std::size_t count = computation.instructions.size();
        std::vector<Position> last(count);
        std::iota(last.begin(), last.end(), Position{0});
        for (Position at = 0; at < count; ++at) {
            for (const Position operand : computation.instructions[at].operands) last[operand] = at;
        }
        dead.resize(count);
        for (Position at = 0; at < count; ++at) {
            if (at != computation.root) dead[last[at]].push_back(at);
        }
        return dead;
    }

    ByDevice evaluate(const Instruction& instruction, const Devices& devices,
                      const std::vector<Arguments>& arguments, const std::vector<ByDevice>& values) {
        if (instruction.opcode == Opcode::Parameter) {
            ByDevice result;
            for (const Arguments& of_device : arguments)
                result.push_back(
                    of_device[static_cast<std::size_t>(instruction.attributes.parameter_number)]);
            return result;
        }
        std::vector<std::vector<Value>> operands(devices.size());
        for (std::size_t d = 0; d < devices.size(); ++d) {
            for (const Position operand : instruction.operands) operands[d].push_back(values[operand][d]);
        }
        return on_devices(instruction, devices, operands);
    }

    ByDevice on_devices(const Instruction& instruction, const Devices& devices,
                        const std::vector<std::vector<Value>>& operands) {
        switch (instruction.opcode) {
            case Opcode::While:
                return loop(instruction, devices, operands);
            case Opcode::Conditional:
                return branch(instruction, devices, operands);
            case Opcode::Call:
            case Opcode::Fusion:
                return run(module_.computations[instruction.called.front()], devices, operands);
            default:
                break;
        }
        if (info(instruction.opcode).family == Family::Collective) {
            return with_operation(instruction, devices, operands.front(), [&](const Operation& operation) {
                return evaluate_collective(topology_, devices, operands, operation);
            });
        }
        ByDevice results;
        for (std::size_t d = 0; d < devices.size(); ++d)
            results.push_back(on_device(instruction, devices[d], operands[d]));
        return results;
    }

    Value on_device(const Instruction& instruction, std::int64_t device, const std::vector<Value>& operands) {
        switch (instruction.opcode) {
            case Opcode::Constant:
                return literal_value(*instruction.attributes.literal);
            case Opcode::Tuple:
                return tuple_of_values(operands);
            case Opcode::GetTupleElement:
                return operands.front().tuple[static_cast<std::size_t>(instruction.attributes.tuple_index)];
            case Opcode::AddDependency:
            case Opcode::Copy:
            case Opcode::Domain:
            case Opcode::OptimizationBarrier:
                return operands.front();
            case Opcode::AfterAll:
                return {ElementType::Token, {}, nullptr, {}};
            case Opcode::PartitionId:
                return number(device % topology_.partitions);
            case Opcode::ReplicaId:
                return number(device / topology_.partitions);
            default:
                break;
        }
        const Evaluate evaluate = evaluation_of(instruction.opcode);
        if (evaluate == nullptr)
            throw Error(
                fmt::format("{} is refused: the evaluator does not have it", name(instruction.opcode)));
        return with_operation(instruction, {device}, operands, evaluate);
    }

    // Each device leaves the loop where its own condition says so.
    ByDevice loop(const Instruction& instruction, const Devices& devices,
                  const std::vector<std::vector<Value>>& operands) {
        const Computation &body = module_.computations[instruction.called[0]],
                          &condition = module_.computations[instruction.called[1]];
        std::vector<Arguments> state = operands;
        std::vector<std::size_t> inside(devices.size());
        std::iota(inside.begin(), inside.end(), std::size_t{0});
        while (true) {
            const ByDevice goes_on = run(condition, chosen(devices, inside), chosen(state, inside));
            std::vector<std::size_t> next;
            for (std::size_t i = 0; i < inside.size(); ++i) {
                if (goes_on[i].scalar() != 0) next.push_back(inside[i]);
            }
            inside = std::move(next);
            if (inside.empty()) break;
            ByDevice result = run(body, chosen(devices, inside), chosen(state, inside));
            for (std::size_t i = 0; i < inside.size(); ++i) state[inside[i]] = {std::move(result[i])};
        }
        ByDevice results;
        for (Arguments& arguments : state) results.push_back(std::move(arguments.front()));
        return results;
    }

    ByDevice branch(const Instruction& instruction, const Devices& devices,
                    const std::vector<std::vector<Value>>& operands) {
        const auto last = static_cast<std::int64_t>(instruction.called.size()) - 1;
        std::map<std::int64_t, std::vector<std::size_t>> by_branch;
        for (std::size_t d = 0; d < devices.size(); ++d) {
            const auto selector = static_cast<std::int64_t>(operands[d][0].scalar());
            const bool is_pred = operands[d][0].type == ElementType::Pred;
            // The first branch is that of true; an index outside selects the last.
            const std::int64_t index = is_pred ? 1 - selector : selector;
            by_branch[index < 0 || index > last ? last : index].push_back(d);
        }
        ByDevice results(devices.size());
        for (const auto& [index, places] : by_branch) {
            std::vector<Arguments> arguments;
            for (const std::size_t place : places)
                arguments.push_back({operands[place][static_cast<std::size_t>(index) + 1]});
            ByDevice of_branch =
                run(module_.computations[instruction.called[static_cast<std::size_t>(index)]],
                    chosen(devices, places), arguments);
            for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(of_branch[i]);
        }
        return results;
    }

    template <typename T>
    static std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& places) {
        std::vector<T> result;
        for (const std::size_t place : places) result.push_back(all[place]);
        return result;
    }

    const Module& module_;
    Topology topology_;
    std::shared_ptr<Budget> budget_;
    std::size_t calls_ = 0;
    std::unordered_map<const Computation*, std::vector<std::vector<Position>>> dead_;
};

void check_arguments(const Module& module, const Arguments& arguments) {
    const Computation& entry = module.entry_computation();
    const auto parameters = entry.parameters();
    if (arguments.size() != parameters.size())
        throw Error(fmt::format("{} arguments, expected {}", arguments.size(), parameters.size()));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Shape& expected = entry.instructions[parameters[i]].shape;
        const Shape found = shape_of(arguments[i]);
        if (!is_compatible(found, expected))
            throw Error(fmt::format("argument {} is {}, expected {}", i, format(found), format(expected)));
    }
}

}  // namespace

std::vector<Value> run(const Module& module, std::span<const Arguments> devices, const Options& options) {
    if (options.replicas < 1 || options.partitions < 1 ||
        static_cast<std::int64_t>(devices.size()) != options.replicas * options.partitions) {
        throw Error(fmt::format("arguments of {} devices for {} replicas of {} partitions", devices.size(),
                                options.replicas, options.partitions));
    }
    for (const Arguments& arguments : devices) check_arguments(module, arguments);
    Devices numbers(devices.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    return Evaluator(module, options)
        .run(module.entry_computation(), numbers, {devices.begin(), devices.end()});
}

Value run(const Module& module, const Arguments& arguments, const Options& options) {
    return run(module, std::span(&arguments, 1), options).front();
}

Value fold(const Module& module, const Instruction& instruction, std::span<const Value> operands,
           const Options& options) {
    return Evaluator(module, options).fold(instruction, operands);
}

}  // namespace trnsim::hlo::evaluate
