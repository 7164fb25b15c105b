#include "model/values/vector_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trnsim::fast {
namespace {

using isa::Opcode;

struct Entry {
    Opcode opcode;
    void (*run)(LaneRun&);
};
constexpr std::array Entries{
    Entry{Opcode::TensorTensor, tensor_tensor},
    Entry{Opcode::TensorScalar, tensor_scalar},
    Entry{Opcode::TensorScalarReduce, tensor_scalar_reduce},
    Entry{Opcode::ScalarTensorTensor, scalar_tensor_tensor},
    Entry{Opcode::TensorTensorScan, tensor_tensor_scan},
    Entry{Opcode::TensorReduce, tensor_reduce},
    Entry{Opcode::TensorCopy, tensor_copy},
    Entry{Opcode::TensorCopyPredicated, tensor_copy_predicated},
    Entry{Opcode::SelectReduce, select_reduce},
    Entry{Opcode::Memset, memset},
    Entry{Opcode::BnStats, bn_stats},
    Entry{Opcode::BnAggr, bn_aggr},
    Entry{Opcode::Reciprocal, reciprocal},
    Entry{Opcode::Max8, max8},
    Entry{Opcode::FindIndex8, find_index8},
    Entry{Opcode::MatchReplace8, match_replace8},
    Entry{Opcode::TransposeBlock, transpose_block},
    Entry{Opcode::TensorScalarCumulative, tensor_scalar_cumulative},
    Entry{Opcode::ReadAccumulator, read_accumulator},
};

}  // namespace

VectorEngine::VectorEngine(std::size_t lanes)
    : state(numerics::Stream::VectorRounding, lanes), random(numerics::Stream::VectorRandom, lanes) {
    mask.fill(KeepRow);
}

bool VectorEngine::execute(const Operation& operation, Memories& memories, bool stochastic) {
    if (operation.opcode == Opcode::LoadShuffleMask) {
        mask = mask_entries(operation.instruction);
        return false;
    }
    if (operation.opcode == Opcode::SetRngSeed) {
        set_rng_seed(operation, memories, random);
        return false;
    }
    LaneRun run(operation, memories, state, stochastic);
    switch (operation.opcode) {
        case Opcode::StreamShuffle:
            stream_shuffle(run, mask);
            return run.nan;
        case Opcode::Dropout:
            dropout(run, random);
            return run.nan;
        case Opcode::Rng:
            rng(run, random);
            return run.nan;
        default:
            break;
    }
    const auto* entry = std::ranges::find(Entries, operation.opcode, &Entry::opcode);
    if (entry == Entries.end()) {
        throw std::invalid_argument(fmt::format("'{}' is no instruction of the fast core's Vector engine",
                                                operation.instruction.info()->name));
    }
    entry->run(run);
    return run.nan;
}

}  // namespace trnsim::fast
