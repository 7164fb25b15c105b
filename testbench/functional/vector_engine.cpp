#include "testbench/functional/vector_engine.hpp"

#include <algorithm>
#include <array>

#include "testbench/functional/error.hpp"
#include "testbench/functional/vector_operations.hpp"

namespace trnsim::functional {
namespace {

using isa::Opcode;

struct Row {
    Opcode opcode;
    void (*run)(LaneExecution&);
};
constexpr std::array Rows{
    Row{Opcode::TensorTensor, tensor_tensor},
    Row{Opcode::TensorScalar, tensor_scalar},
    Row{Opcode::TensorScalarReduce, tensor_scalar_reduce},
    Row{Opcode::ScalarTensorTensor, scalar_tensor_tensor},
    Row{Opcode::TensorTensorScan, tensor_tensor_scan},
    Row{Opcode::TensorReduce, tensor_reduce},
    Row{Opcode::TensorCopy, tensor_copy},
    Row{Opcode::TensorCopyPredicated, tensor_copy_predicated},
    Row{Opcode::SelectReduce, select_reduce},
    Row{Opcode::Memset, memset},
    Row{Opcode::BnStats, bn_stats},
    Row{Opcode::BnAggr, bn_aggr},
    Row{Opcode::Reciprocal, reciprocal},
    Row{Opcode::Max8, max8},
    Row{Opcode::FindIndex8, find_index8},
    Row{Opcode::MatchReplace8, match_replace8},
    Row{Opcode::StreamShuffle, stream_shuffle},
    Row{Opcode::TransposeBlock, transpose_block},
    Row{Opcode::Dropout, dropout},
    Row{Opcode::Rng, rng},
    Row{Opcode::SetRngSeed, set_rng_seed},
    Row{Opcode::TensorScalarCumulative, tensor_scalar_cumulative},
    Row{Opcode::ReadAccumulator, read_accumulator},
};

}  // namespace

void run_vector(const isa::Instruction& instruction, const target::Core& target, LaneState& state,
                CoreMemory& memory) {
    if (instruction.opcode() == Opcode::LoadShuffleMask) return load_shuffle_mask(instruction, state);
    const auto* row = std::ranges::find(Rows, instruction.opcode(), &Row::opcode);
    if (row == Rows.end()) throw Error("the Vector engine does not have the instruction");
    LaneExecution work(instruction, target, state, memory);
    row->run(work);
    work.commit();
}

}  // namespace trnsim::functional
