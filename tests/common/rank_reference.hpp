// Computes the results of scripts of several ranks by arithmetic of the host: call by call on all ranks.
#pragma once

#include <cstring>

#include "arch/numerics/format.hpp"
#include "common/rank_script.hpp"

namespace trnsim::test {

// Returns the result of each rank; empty for a rank that takes no part.
inline std::vector<std::optional<std::vector<int>>> meet(const collectives::Request& request,
                                                         const std::vector<std::vector<int>>& inputs) {
    using collectives::Operation;
    const std::size_t count = request.count;
    auto groups = request.groups;
    if (groups.empty()) {
        groups.emplace_back();
        for (std::uint32_t rank = 0; rank < request.ranks; ++rank) groups[0].push_back(rank);
    }
    std::vector<std::optional<std::vector<int>>> outputs(request.ranks);
    for (const auto& group : groups) {
        const auto reduced = [&](std::size_t element) {
            int value = inputs[group[0]][element];
            for (std::size_t m = 1; m < group.size(); ++m) {
                const int other = inputs[group[m]][element];
                value = request.reduction == collectives::Reduction::Add   ? value + other
                        : request.reduction == collectives::Reduction::Min ? std::min(value, other)
                                                                           : std::max(value, other);
            }
            return value;
        };
        for (std::size_t m = 0; m < group.size(); ++m) {
            std::vector<int>& output = outputs[group[m]].emplace();
            for (std::size_t i = 0; i < count; ++i) {
                if (request.operation == Operation::AllReduce) output.push_back(reduced(i));
                if (request.operation == Operation::ReduceScatter) output.push_back(reduced(m * count + i));
                if (request.operation == Operation::Broadcast)
                    output.push_back(inputs[group[request.root]][i]);
            }
            for (std::size_t other = 0; other < group.size(); ++other) {
                for (std::size_t i = 0; i < count; ++i) {
                    if (request.operation == Operation::AllGather) output.push_back(inputs[group[other]][i]);
                    if (request.operation == Operation::AllToAll)
                        output.push_back(inputs[group[other]][m * count + i]);
                }
            }
        }
    }
    return outputs;
}

class ScriptReference {
  public:
    ScriptReference(const RankScript& script, std::vector<ScriptValues> values)
        : script_(script), tensors_(std::move(values)) {
        const std::vector<int> tile(std::size_t{ScriptPartitions} * ScriptColumns);
        tiles_.assign(script.ranks, ScriptValues(ScriptTiles, tile));
    }

    // Returns the tensors of each rank as they are in the end.
    const std::vector<ScriptValues>& run() {
        for (const RankScript::Section& section : script_.sections) {
            for (std::uint32_t i = 0; i < section.iterations; ++i) {
                for (const ScriptCall& call : section.calls) execute(call, i);
            }
        }
        return tensors_;
    }

  private:
    using Kind = ScriptCall::Kind;

    void execute(const ScriptCall& call, std::uint32_t i) {
        if (call.kind == Kind::Collective) return execute_collective(call, i);
        for (std::uint32_t rank = 0; rank < script_.ranks; ++rank) {
            for (std::uint32_t row = 0; row < call.rows; ++row) {
                for (std::uint32_t column = 0; column < call.columns; ++column)
                    execute(call, i, rank, row, column);
            }
        }
    }

    void execute(const ScriptCall& call, std::uint32_t i, std::uint32_t rank, std::uint32_t row,
                 std::uint32_t column) {
        const auto on_chip = [&](const ScriptCall::Box& box) -> int& {
            return tiles_[rank][box.tile][row * ScriptColumns + box.column + column];
        };
        int& dst = on_chip(call.dst);
        switch (call.kind) {
            case Kind::Load:
                dst = in_memory(call.part, i, rank, row, column);
                return;
            case Kind::Store:
                dst = std::clamp(dst, -Stored, Stored);
                in_memory(call.part, i, rank, row, column) = dst;
                return;
            case Kind::Change:
                dst = std::clamp(on_chip(call.a), -Kept, Kept) * call.factor + call.more;
                return;
            default:
                dst = std::max(on_chip(call.a), on_chip(call.b));
        }
    }

    int& in_memory(const ScriptCall::Part& part, std::uint32_t i, std::uint32_t rank, std::uint32_t row,
                   std::uint32_t column) {
        return tensors_[rank][part.tensor]
                       [(part.rows.at(i) + row) * ScriptColumns + part.columns.at(i) + column];
    }

    template <typename Work>
    void each(const ScriptCall::Part& part, std::uint32_t i, std::uint32_t rank, const Work& work) {
        for (std::uint32_t row = 0; row < part.rows.count; ++row) {
            for (std::uint32_t column = 0; column < part.columns.count; ++column)
                work(in_memory(part, i, rank, row, column));
        }
    }

    void execute_collective(const ScriptCall& call, std::uint32_t i) {
        std::vector<std::vector<int>> inputs(script_.ranks);
        for (std::uint32_t rank = 0; rank < script_.ranks; ++rank)
            each(call.part, i, rank, [&](int value) { inputs[rank].push_back(value); });
        const auto outputs = meet(call.collective.request, inputs);
        for (std::uint32_t rank = 0; rank < script_.ranks; ++rank) {
            if (!outputs[rank]) continue;
            auto value = outputs[rank]->begin();
            each(call.output, i, rank, [&](int& element) { element = *value++; });
        }
    }

    const RankScript& script_;
    std::vector<ScriptValues> tensors_, tiles_;  // by rank
};

inline std::vector<std::uint8_t> script_bytes(const std::vector<int>& values, isa::Dtype dtype) {
    std::vector<std::uint8_t> bytes;
    for (const int value : values) {
        const std::uint32_t element = numerics::from_fp32(static_cast<float>(value), dtype);
        for (int i = 0; i < numerics::storage_bytes(dtype); ++i)
            bytes.push_back(static_cast<std::uint8_t>(element >> (8 * i)));
    }
    return bytes;
}

inline std::vector<int> script_values(const std::vector<std::uint8_t>& bytes, isa::Dtype dtype) {
    const auto size = static_cast<std::size_t>(numerics::storage_bytes(dtype));
    std::vector<int> values;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
        std::uint32_t element = 0;
        std::memcpy(&element, &bytes[at], size);
        values.push_back(static_cast<int>(numerics::to_fp32(element, dtype)));
    }
    return values;
}

}  // namespace trnsim::test
