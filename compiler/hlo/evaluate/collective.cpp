#include "compiler/hlo/evaluate/collective.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "compiler/hlo/evaluate/kernels.hpp"
#include "compiler/hlo/evaluate/scalar_program.hpp"
#include "compiler/hlo/groups.hpp"

namespace trnsim::hlo::evaluate {
namespace {

using Devices = std::vector<std::int64_t>;

// Returns the groups as lists of devices, from the lists of ids and what these mean.
std::vector<Devices> device_groups(const Topology& t, const Instruction& instruction) {
    const GroupMode mode = group_mode(instruction);
    std::vector<Integers> ids = replica_groups(instruction.attributes);
    const std::int64_t count = mode == GroupMode::Devices      ? t.replicas * t.partitions
                               : mode == GroupMode::Partitions ? t.partitions
                                                               : t.replicas;
    if (ids.empty()) {
        ids.emplace_back(static_cast<std::size_t>(count));
        std::iota(ids.front().begin(), ids.front().end(), std::int64_t{0});
    }
    for (const Integers& group : ids) {
        for (const std::int64_t id : group) {
            if (id >= count) throw Error(fmt::format("the replica groups have the id {} of {}", id, count));
        }
    }
    std::vector<Devices> groups;
    for (const Integers& group : ids) {
        switch (mode) {
            case GroupMode::Devices:
                groups.emplace_back(group.begin(), group.end());
                break;
            case GroupMode::Replicas:
                for (std::int64_t p = 0; p < t.partitions; ++p) {
                    Devices& devices = groups.emplace_back();
                    for (const std::int64_t id : group) devices.push_back(id * t.partitions + p);
                }
                break;
            case GroupMode::Partitions:
                for (std::int64_t r = 0; r < t.replicas; ++r) {
                    Devices& devices = groups.emplace_back();
                    for (const std::int64_t id : group) devices.push_back(r * t.partitions + id);
                }
                break;
            default: {
                Devices& devices = groups.emplace_back();
                for (const std::int64_t id : group) {
                    for (std::int64_t p = 0; p < t.partitions; ++p) devices.push_back(id * t.partitions + p);
                }
            }
        }
    }
    return groups;
}

class Collective {
  public:
    Collective(const Topology& topology, const Devices& devices,
               const std::vector<std::vector<Value>>& operands, const Operation& operation)
        : topology_(topology), operands_(operands), o_(operation), results_(devices.size()) {
        for (std::size_t i = 0; i < devices.size(); ++i) places_[devices[i]] = i;
    }

    std::vector<Value> run() {
        if (o_.instruction.opcode == Opcode::CollectivePermute) {
            permute();
            return std::move(results_);
        }
        std::size_t reached = 0;
        for (const Devices& group : device_groups(topology_, o_.instruction)) {
            Devices here;
            for (const std::int64_t device : group) {
                if (places_.contains(device)) here.push_back(device);
            }
            if (here.empty()) continue;
            if (here.size() != group.size()) throw Error("not all devices of a group reach it");
            reached += group.size();
            exchange(group);
        }
        if (o_.instruction.opcode == Opcode::CollectiveBroadcast) {
            for (std::size_t i = 0; i < results_.size(); ++i) {
                if (!results_[i].cells) results_[i] = zeros(operands_[i][0]);
            }
        } else if (reached != places_.size()) {
            throw Error("a device is in no replica group");
        }
        return std::move(results_);
    }

  private:
    const Value& operand(std::int64_t device, std::size_t n) const {
        return operands_[places_.at(device)][n];
    }
    void set(std::int64_t device, std::vector<Value> values) {
        results_[places_.at(device)] =
            o_.shape().is_tuple() ? tuple_of_values(std::move(values)) : std::move(values.front());
    }
    Value zeros(const Value& like) const {
        auto cells = o_.allocate(like.size());
        std::ranges::fill(*cells, Cell{0});
        return array_of(like.type, like.dimensions, std::move(cells));
    }

    void exchange(const Devices& group) {
        const std::size_t count = o_.operands.size();
        const auto dimension = o_.attributes().dimensions.empty()
                                   ? 0
                                   : static_cast<std::size_t>(o_.attributes().dimensions.front());
        const bool splits = !o_.attributes().dimensions.empty();
        if (o_.instruction.opcode == Opcode::AllToAll && !splits) {
            if (count != group.size())
                throw Error(fmt::format("exchanges {} operands in a group of {}", count, group.size()));
            for (std::size_t me = 0; me < group.size(); ++me) {
                std::vector<Value> values;
                for (const std::int64_t device : group) values.push_back(operand(device, me));
                set(group[me], std::move(values));
            }
            return;
        }
        std::vector<std::vector<Value>> results(group.size());
        for (std::size_t n = 0; n < count; ++n) {
            std::vector<Value> inputs;
            for (const std::int64_t device : group) inputs.push_back(operand(device, n));
            std::vector<Value> outputs;
            switch (o_.instruction.opcode) {
                case Opcode::AllReduce:
                    outputs.assign(group.size(), reduced(inputs));
                    break;
                case Opcode::AllGather:
                    outputs.assign(group.size(), concatenated(inputs, dimension));
                    break;
                case Opcode::ReduceScatter:
                    outputs = parts(reduced(inputs), dimension, group.size());
                    break;
                case Opcode::CollectiveBroadcast:
                    outputs.assign(group.size(), inputs.front());
                    break;
                default:
                    outputs = exchanged(inputs, dimension);
                    break;
            }
            for (std::size_t me = 0; me < group.size(); ++me) {
                const Shape& expected = o_.shape().is_tuple() ? o_.shape().tuple[n] : o_.shape();
                if (outputs[me].dimensions != expected.dimensions) {
                    throw Error(fmt::format("a group of {} devices gives {}, expected {}", group.size(),
                                            format(shape_of(outputs[me])), format(expected)));
                }
                results[me].push_back(std::move(outputs[me]));
            }
        }
        for (std::size_t me = 0; me < group.size(); ++me) set(group[me], std::move(results[me]));
    }

    // In the order of the group. Sums of real numbers are rounded once.
    Value reduced(const std::vector<Value>& inputs) const {
        Instruction step = o_.called(0).root_instruction();
        const ElementType type = inputs.front().type;
        step.shape.type = type;
        const Kernel kernel = kernel_of(step, type);
        if (kernel == nullptr || step.operands.size() != 2)
            throw Error(
                "reduces with a computation of more than one instruction, which is refused: it is not "
                "supported");
        auto sum = o_.allocate(inputs.front().size());
        std::ranges::copy(*inputs.front().cells, sum->begin());
        o_.work(sum->size() * inputs.size());
        for (std::size_t i = 1; i < inputs.size(); ++i) {
            const Cell* const both[] = {sum->data(), inputs[i].cells->data()};
            kernel(both, sum->data(), sum->size(), info(type).bits);
            if (step.opcode != Opcode::Add) settle(type, *sum);
        }
        settle(type, *sum);
        return array_of(type, inputs.front().dimensions, std::move(sum));
    }

    Value concatenated(const std::vector<Value>& inputs, std::size_t dimension) const {
        Integers sizes = inputs.front().dimensions;
        std::int64_t outer = 1;
        for (std::size_t d = 0; d < dimension; ++d) outer *= sizes[d];
        sizes[dimension] *= static_cast<std::int64_t>(inputs.size());
        auto cells = o_.allocate(sizes);
        const std::int64_t run = outer == 0 ? 0 : static_cast<std::int64_t>(inputs.front().size()) / outer;
        Cell* out = cells->data();
        for (std::int64_t row = 0; row < outer; ++row) {
            for (const Value& input : inputs) out = std::copy_n(input.cells->data() + row * run, run, out);
        }
        return array_of(inputs.front().type, sizes, std::move(cells));
    }

    std::vector<Value> parts(const Value& value, std::size_t dimension, std::size_t count) const {
        Integers sizes = value.dimensions;
        if (sizes[dimension] % static_cast<std::int64_t>(count) != 0)
            throw Error(fmt::format("dimension {} of {} has no {} equal parts", dimension,
                                    format(shape_of(value)), count));
        std::int64_t outer = 1;
        for (std::size_t d = 0; d < dimension; ++d) outer *= sizes[d];
        sizes[dimension] /= static_cast<std::int64_t>(count);
        const std::int64_t run = outer == 0 ? 0 : elements(sizes) / outer;
        std::vector<Value> results;
        for (std::size_t part = 0; part < count; ++part) {
            auto cells = o_.allocate(sizes);
            Cell* out = cells->data();
            for (std::int64_t row = 0; row < outer; ++row) {
                out = std::copy_n(
                    value.cells->data() +
                        (row * static_cast<std::int64_t>(count) + static_cast<std::int64_t>(part)) * run,
                    run, out);
            }
            results.push_back(array_of(value.type, sizes, std::move(cells)));
        }
        return results;
    }

    // Part i of each operand goes to device i, which puts the parts together in the order of the group.
    std::vector<Value> exchanged(const std::vector<Value>& inputs, std::size_t dimension) const {
        std::vector<std::vector<Value>> split;
        for (const Value& input : inputs) split.push_back(parts(input, dimension, inputs.size()));
        std::vector<Value> results;
        for (std::size_t me = 0; me < inputs.size(); ++me) {
            std::vector<Value> received;
            for (const auto& from : split) received.push_back(from[me]);
            results.push_back(concatenated(received, dimension));
        }
        return results;
    }

    // A device that is no target gets zeros.
    void permute() {
        const bool partitions = group_mode(o_.instruction) == GroupMode::Partitions;
        for (const auto& [device, place] : places_) {
            const std::int64_t replica = device / topology_.partitions,
                               partition = device % topology_.partitions;
            results_[place] = zeros(operands_[place][0]);
            for (const SourceTarget& pair : o_.attributes().source_target_pairs) {
                if (pair.target != (partitions ? partition : replica)) continue;
                const std::int64_t source = partitions ? replica * topology_.partitions + pair.source
                                                       : pair.source * topology_.partitions + partition;
                if (!places_.contains(source))
                    throw Error(fmt::format("device {} does not reach it", source));
                results_[place] = operand(source, 0);
            }
        }
    }

    const Topology& topology_;
    const std::vector<std::vector<Value>>& operands_;
    const Operation& o_;
    std::map<std::int64_t, std::size_t> places_;  // of a device among those that reached the collective
    std::vector<Value> results_;
};

}  // namespace

std::vector<Value> evaluate_collective(const Topology& topology, const std::vector<std::int64_t>& devices,
                                       const std::vector<std::vector<Value>>& operands,
                                       const Operation& operation) {
    return Collective(topology, devices, operands, operation).run();
}

}  // namespace trnsim::hlo::evaluate
