#include "testbench/random_programs/vector_kinds.hpp"

#include "arch/target/dtype.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {

using isa::Dtype;

namespace {

isa::ReduceCmd any_command(LaneGenerator& g) {
    return static_cast<isa::ReduceCmd>(1 + g.pick(3));
}

}  // namespace

const std::vector<Kind>& vector_kinds() {
    using G = LaneGenerator;
    using T = Tensors;
    static const std::vector<Kind> all{
        {[](G&, const T& t) { return tensor_copy(t); }},
        {[](G& g, const T& t) { return memset(t, g.pick(2) ? Immediate{} : g.immediate(t)); }, false},
        {[](G&, const T& t) { return memset(t, {}); }, false, false, Types::Pairs},
        {[](G& g, const T& t) {
            return tensor_scalar(t, g.operation(), g.immediate(t), g.operation(), g.immediate(t));
        }},
        {[](G& g, const T& t) {
             return tensor_scalar(t, {g.any(BitOps), g.pick(2) == 1}, g.immediate(t),
                                  {g.pick(3) ? g.any(BitOps) : isa::AluOp::Bypass, g.pick(2) == 1},
                                  {g.pick(40)});
         },
         true, false, Types::Bits},
        {[](G& g, const T& t) { return tensor_tensor(t, g.operation()); }, true, true},
        {[](G& g, const T& t) { return tensor_tensor(t, g.operation()); }, true, true, Types::Pairs},
        {[](G& g, const T& t) {
             return tensor_tensor(t, {g.any(BitOps), g.pick(2) == 1});
         },
         true, true, Types::Bits},
        {[](G& g, const T& t) {
             return scalar_tensor_tensor(t, g.operation(), g.immediate(t), g.operation());
         },
         true, true},
        {[](G& g, const T& t) {
            const isa::ReduceCmd cmd = any_command(g);
            return tensor_scalar_reduce(t, g.operation(), g.immediate(t), g.any(ReducingOps), cmd,
                                        cmd == isa::ReduceCmd::Reset ? g.immediate(t) : Immediate{});
        }},
        {[](G&, const T& t) { return read_accumulator(t); }, false, false, Types::Any, Result::Elements, 0, 1,
         1},
        {[](G& g, const T& t) { return tensor_tensor_scan(t, g.operation(), g.operation(), g.immediate(t)); },
         true, true},
        {[](G& g, const T& t) {
            return tensor_scalar_cumulative(t, g.operation(), g.immediate(t), g.operation());
        }},
        {[](G& g, const T& t) { return tensor_reduce(t, g.any(ReducingOps), g.axes(), g.pick(2) == 1); },
         true, false, Types::Any, Result::Reduced},
        {[](G& g, const T& t) {
             return tensor_reduce(t, g.pick(2) ? isa::AluOp::Add : isa::AluOp::Max, g.axes(), g.pick(2) == 1);
         },
         true, false, Types::Pairs, Result::Reduced},
        {[](G& g, const T& t) { return tensor_reduce(t, g.any(ReducingBitOps), g.axes(), g.pick(2) == 1); },
         true, false, Types::Bits, Result::Reduced},
        {[](G& g, const T& t) { return tensor_copy_predicated(t, g.pick(2) == 1); }, true, true,
         Types::Predicate},
        {[](G& g, const T& t) { return predicated_immediate(t, g.immediate(t), g.pick(2) == 1); }, true,
         false, Types::Predicate},
        {[](G& g, const T& t) {
             const isa::ReduceCmd cmd = g.pick(3) ? isa::ReduceCmd::ResetReduce : isa::ReduceCmd::Reduce;
             return select_reduce(t, g.immediate(t), g.pick(3) ? cmd : isa::ReduceCmd::Idle, g.pick(2) == 1);
         },
         true, true, Types::SelectingB},
        {[](G&, const T& t) { return bn_stats(t); }, true, false, Types::Any, Result::Fixed, 6, 1, 512},
        {[](G&, const T& t) { return bn_aggr(t); }, true, false, Types::Any, Result::Fixed, 2, 3},
        {[](G&, const T& t) { return reciprocal(t); }},
        {[](G&, const T& t) { return rng(t); }, false, false, Types::Random},
        {[](G& g, const T& t) { return dropout(t, g.immediate(t, target::probability_types(t.a.dtype))); }},
        {[](G& g, const T& t) { return dropout(t, {0x3e800000 + g.pick(0x1000000)}); }, true, false,
         Types::Same},
        {[](G& g, const T& t) {
            RandomOperand seed = t.a;
            seed.dtype = g.pick(2) ? Dtype::U32 : Dtype::I32;
            seed.offset &= ~3u;
            return set_rng_seed(seed);
        }},
        {.make = [](G&, const T& t) { return max8(t); }, .result = Result::Fixed, .fixed = 8, .least = 8},
        {.make = [](G&, const T& t) { return find_index8(t); },
         .reads_b = true,
         .types = Types::Indices,
         .result = Result::Fixed,
         .fixed = 8,
         .least = 8,
         .b_elements = 8},
        {.make = [](G& g, const T& t) { return match_replace8(t, g.immediate(t)); },
         .reads_b = true,
         .b_elements = 8},
        {.make = [](G& g, const T& t) { return match_replace8(t, g.immediate(t)); },
         .reads_b = true,
         .types = Types::Same,
         .b_elements = 8},
        {[](G& g, const T&) {
            ShuffleMask mask{};
            for (std::uint8_t& entry : mask)
                entry = static_cast<std::uint8_t>(g.pick(4) ? g.pick(g.geometry().quadrant()) : 255);
            return load_shuffle_mask(mask);
        }},
        {.make = [](G&, const T& t) { return stream_shuffle(t); },
         .types = Types::Same,
         .whole_quadrants = true},
        {.make = [](G&, const T& t) { return transpose_block(t); },
         .types = Types::Same,
         .result = Result::Turned,
         .blocks = true},
    };
    return all;
}

}  // namespace trnsim::random_programs
