#include "testbench/functional/vector_engine.hpp"

#include <algorithm>
#include <array>

#include "testbench/functional/error.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {
namespace {

using isa::Opcode;

struct VectorRow {
    Opcode opcode;
    void (*run)(LaneExecution&);
};
constexpr std::array VectorRows{
    VectorRow{Opcode::TensorTensor, tensor_tensor},
    VectorRow{Opcode::TensorScalar, tensor_scalar},
    VectorRow{Opcode::TensorScalarReduce, tensor_scalar_reduce},
    VectorRow{Opcode::ScalarTensorTensor, scalar_tensor_tensor},
    VectorRow{Opcode::TensorTensorScan, tensor_tensor_scan},
    VectorRow{Opcode::TensorReduce, tensor_reduce},
    VectorRow{Opcode::TensorCopy, tensor_copy},
    VectorRow{Opcode::TensorCopyPredicated, tensor_copy_predicated},
    VectorRow{Opcode::SelectReduce, select_reduce},
    VectorRow{Opcode::Memset, memset},
    VectorRow{Opcode::BnStats, bn_stats},
    VectorRow{Opcode::BnAggr, bn_aggr},
    VectorRow{Opcode::Reciprocal, reciprocal},
    VectorRow{Opcode::Max8, max8},
    VectorRow{Opcode::FindIndex8, find_index8},
    VectorRow{Opcode::MatchReplace8, match_replace8},
    VectorRow{Opcode::StreamShuffle, stream_shuffle},
    VectorRow{Opcode::TransposeBlock, transpose_block},
    VectorRow{Opcode::Dropout, dropout},
    VectorRow{Opcode::Rng, rng},
    VectorRow{Opcode::SetRngSeed, set_rng_seed},
    VectorRow{Opcode::TensorScalarCumulative, tensor_scalar_cumulative},
    VectorRow{Opcode::ReadAccumulator, read_accumulator},
};

}  // namespace

void run_vector(const isa::Instruction& instruction, const target::Core& target, LaneState& state,
                CoreMemory& memory) {
    if (instruction.opcode() == Opcode::LoadShuffleMask) return load_shuffle_mask(instruction, state);
    const auto* row = std::ranges::find(VectorRows, instruction.opcode(), &VectorRow::opcode);
    if (row == VectorRows.end()) throw Error("the Vector engine does not have the instruction");
    LaneExecution work(isa::Engine::Vector, instruction, target, state, memory);
    row->run(work);
    work.commit();
}

}  // namespace trnsim::functional
