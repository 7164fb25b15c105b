#include "model/values/scalar_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "arch/activation/activation.hpp"
#include "arch/activation/table_image.hpp"
#include "arch/numerics/format.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {

namespace field = isa::field;
using isa::Opcode;
using isa::ReduceCmd;
using kernels::Tables;

namespace {

constexpr std::size_t SegmentsOfFunction = 512, ExponentWords = 512;
constexpr std::uint32_t SegmentBank = 7, ExponentBank = 8, Tag = 0x54;  // arch/activation/table_image.hpp

}  // namespace

ScalarEngine::ScalarEngine(std::size_t lanes)
    : state(numerics::Stream::ScalarRounding, lanes),
      rows_(Tables::Rows * Tables::RowWords),
      segments_(Tables::Rows),
      exponents_(ExponentWords) {}

bool ScalarEngine::load_table_beat(std::span<const std::uint8_t> beat) {
    std::array<std::uint32_t, activation::BeatWords> words;
    std::memcpy(words.data(), beat.data(), activation::BeatBytes);
    const std::uint32_t header = words[0];
    const std::uint32_t first = header & 0x3fff, bank = header >> 14 & 0xf, count = header >> 18 & 0x7f;
    if (header >> 25 != Tag || bank > ExponentBank || count == 0) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t row = (first + i) % Tables::Rows;
        if (bank == ExponentBank) {
            exponents_[row % ExponentWords] = words[i + 1];
        } else if (bank == SegmentBank) {
            segments_[row] = words[i + 1];
        } else {
            rows_[row * Tables::RowWords + bank] = words[i + 1];
        }
    }
    return true;
}

void ScalarEngine::activate(LaneRun& run) {
    const isa::Instruction& instruction = run.operation.instruction;
    const auto function = static_cast<isa::Activation>(instruction.get(field::ActFunction));
    const bool has_table = activation::has_table(function);
    const Tables tables{rows_.data(),
                        segments_.data() + static_cast<std::size_t>(function) * SegmentsOfFunction,
                        exponents_.data()};
    const float alpha =
        numerics::to_fp32(static_cast<std::uint32_t>(instruction.get(field::Alpha)), isa::Dtype::Fp32);
    const ReduceCmd command = run.operation.reduce_cmd;
    struct alignas(kernels::Padding) Buffers {
        Rows values;
        Row z;
    };
    const auto buffers = std::make_unique<Buffers>();
    run.each_group([&](const Group& group) {
        run.prepare_draws(group.first, group.rows, group.count);
        for (std::uint32_t k = 0; k < group.rows; ++k) {
            const std::uint32_t row = group.first + k;
            float* z = buffers->z.data();
            float* y = buffers->values.data() + k * kernels::RowPitch;
            run.a->widen(row, z);
            kernels::scale(z, run.imm0(row), run.imm1(row), z, group.count);
            if (has_table) {
                kernels::activate(function, tables, z, y, group.count);
            } else {
                kernels::activate(function, alpha, z, y, group.count);
            }
            run.put(row, y);
            if (command == ReduceCmd::Reset && group.done == 0) state.accumulators[row] = 0.0F;
        }
        if (command == ReduceCmd::Idle || command == ReduceCmd::Reset) return;
        accumulate_group(state.accumulators, isa::AluOp::Add, group, buffers->values,
                         group.done == 0 && command == ReduceCmd::ResetReduce);
    });
}

bool ScalarEngine::execute(const Operation& operation, Memories& memories, bool stochastic) {
    if (operation.opcode == Opcode::ActTableLoad) {
        table_set = static_cast<isa::ActivationSet>(operation.instruction.get(field::TableSet));
        return false;
    }
    LaneRun run(operation, memories, state, stochastic);
    switch (operation.opcode) {
        case Opcode::Activation:
        case Opcode::ActivationReduce:
            activate(run);
            break;
        case Opcode::ActReadAccumulator:
            read_accumulator(run);
            break;
        case Opcode::TensorCopy:
            tensor_copy(run);
            break;
        case Opcode::TensorScalar:
            tensor_scalar(run);
            break;
        default:
            throw std::invalid_argument(fmt::format("'{}' is no instruction of the fast core's Scalar engine",
                                                    operation.instruction.info()->name));
    }
    return run.nan;
}

}  // namespace trnsim::fast
