#include "compiler/builder/loop_body.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/activation/activation.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::builder {

using isa::Opcode;
namespace field = isa::field;

Event LoopBody::add(LoopCall call) {
    const std::size_t index = calls.size();
    const auto producer = call.queue ? neff::EngineCount + static_cast<std::int32_t>(call.queue->number)
                                     : static_cast<std::int32_t>(call.engine);
    calls.push_back(std::move(call));
    order.push_back(index);
    return {producer, index, number};
}

std::optional<LoopCall> LoopBody::settle_tables() {
    const auto is = [&](Opcode opcode) {
        return [this, opcode](std::size_t call) { return calls[call].instruction.opcode() == opcode; };
    };
    const auto set_of = [&](std::size_t call) {
        return static_cast<isa::ActivationSet>(calls[call].instruction.get(field::TableSet));
    };
    const auto load = std::ranges::find_if(order, is(Opcode::ActTableLoad));
    if (load == order.end()) return std::nullopt;
    const LoopCall first = calls[*load];
    const isa::ActivationSet set = set_of(*load);
    const bool others = std::ranges::any_of(load, order.end(), [&](std::size_t call) {
        return is(Opcode::ActTableLoad)(call) && set_of(call) != set;
    });
    const bool used_before = std::any_of(order.begin(), load, [&](std::size_t call) {
        const isa::Instruction& instruction = calls[call].instruction;
        return instruction.opcode() == Opcode::Activation &&
               activation::has_table(static_cast<isa::Activation>(instruction.get(field::ActFunction)));
    });
    if (!used_before && !others) {
        std::erase_if(order, is(Opcode::ActTableLoad));
        return table_set == set ? std::nullopt : std::optional(first);
    }
    if (used_before) {
        LoopCall again = first;
        again.instruction.set(field::TableSet, table_set);
        order.insert(order.begin(), calls.size());
        calls.push_back(std::move(again));
    }
    return std::nullopt;
}

void LoopBody::check_stationary() const {
    const auto first = [&](Opcode opcode) {
        return std::ranges::find(order, opcode,
                                 [&](std::size_t call) { return calls[call].instruction.opcode(); });
    };
    const auto load = first(Opcode::LoadStationary);
    if (load != order.end() && first(Opcode::MultiplyMoving) < load) {
        throw Error(
            fmt::format("{}: loop: multiply_moving comes before the load_stationary of its iteration, "
                        "so it would use that of the iteration before",
                        name));
    }
}

}  // namespace trnsim::builder
