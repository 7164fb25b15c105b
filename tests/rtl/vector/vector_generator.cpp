#include "tests/rtl/vector/vector_generator.hpp"

#include "testbench/numerics/format.hpp"
#include "tests/rtl/vector/vector_values.hpp"

namespace trnsim::test {

using isa::Dtype;

namespace {

constexpr std::uint32_t BufferBytes = 1024;

// Which types the operands of a kind may have.
enum class Types : std::uint8_t {
    Any,         // each of its own
    Bits,        // integers of one width
    Predicate,   // a an integer, b like dst
    SelectingB,  // b an integer
    Pairs,       // bf16
    Same,        // a and dst alike
    Random,      // dst an integer
    Indices,     // dst u16 or u32
};

Dtype same_width(Dtype dtype, unsigned other) {
    const std::array<std::array<Dtype, 2>, 3> pairs{
        {{Dtype::I8, Dtype::U8}, {Dtype::I16, Dtype::U16}, {Dtype::I32, Dtype::U32}}};
    return pairs[numerics::storage_bytes(dtype) / 2][other];
}

const Area* buffer_of(const Operand& operand) {
    for (const Area& buffer : Generator::buffers()) {
        if (buffer.psum == operand.psum && operand.offset >= buffer.offset &&
            operand.offset < buffer.offset + buffer.bytes)
            return &buffer;
    }
    return nullptr;
}

bool is_dense(const Tensors& t, const Operand& source) {
    return source.step[0] == 1 && source.step[1] == static_cast<int>(t.count[0]);
}

// Whether no element of dst can stand where another element of the source does.
bool apart(const Tensors& t, const Operand& source, bool by_element) {
    if (buffer_of(t.dst) != buffer_of(source)) return true;
    const bool other_partitions = t.dst.partition + t.partitions <= source.partition ||
                                  source.partition + t.partitions <= t.dst.partition;
    const bool same = by_element && is_dense(t, source) && t.dst.offset == source.offset &&
                      t.dst.partition == source.partition && t.dst.step == source.step &&
                      numerics::storage_bytes(t.dst.dtype) == numerics::storage_bytes(source.dtype);
    return other_partitions || same;
}

// The destination of an instruction from its last element to its first.
Operand backwards(const Tensors& t) {
    Operand operand = t.dst;
    int offset = static_cast<int>(operand.offset);
    for (int k = 0; k < 4; ++k) {
        offset += operand.step[k] * static_cast<int>(t.count[k] - 1) * numerics::storage_bytes(operand.dtype);
        operand.step[k] = -operand.step[k];
    }
    operand.offset = static_cast<std::uint32_t>(offset);
    return operand;
}

// Shape of the result.
enum class Result : std::uint8_t { Elements, Reduced, Fixed, Turned };

}  // namespace

struct Generator::Kind {
    isa::Instruction (*make)(Generator& g, const Tensors& t);
    bool reads_a = true, reads_b = false;
    Types types = Types::Any;
    Result result = Result::Elements;
    unsigned fixed = 0;        // elements of a fixed result
    unsigned multiple = 1;     // of which count0 is one
    unsigned most = 1u << 16;  // elements
    unsigned least = 1;
    unsigned b_elements = 0;  // where b has a number of its own
    bool whole_quadrants = false;
    bool blocks = false;  // whole blocks of transpose_block, or one that is smaller
};

const std::vector<Area>& Generator::buffers() {
    static const std::vector<Area> all{{false, 0, BufferBytes},
                                       {false, BufferBytes, BufferBytes},
                                       {false, 65536, BufferBytes},
                                       {false, 98304 + 512, BufferBytes},
                                       {false, SbufBytes - BufferBytes, BufferBytes},
                                       {true, 0, BufferBytes},
                                       {true, 4096, BufferBytes},
                                       {true, PsumBytes - BufferBytes, BufferBytes}};
    return all;
}

const std::vector<Generator::Kind>& Generator::kinds() {
    using G = Generator;
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
            const isa::ReduceCmd cmd = g.command();
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
        {[](G& g, const T& t) { return tensor_reduce(t, g.any(ReducingOps), g.axes_, g.pick(2) == 1); }, true,
         false, Types::Any, Result::Reduced},
        {[](G& g, const T& t) {
             return tensor_reduce(t, g.pick(2) ? isa::AluOp::Add : isa::AluOp::Max, g.axes_, g.pick(2) == 1);
         },
         true, false, Types::Pairs, Result::Reduced},
        {[](G& g, const T& t) { return tensor_reduce(t, g.any(ReducingBitOps), g.axes_, g.pick(2) == 1); },
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
        {[](G& g, const T& t) { return dropout(t, g.immediate(t)); }},
        {[](G& g, const T& t) { return dropout(t, {0x3e800000 + g.pick(0x1000000)}); }, true, false,
         Types::Same},
        {[](G& g, const T& t) {
            Operand seed = t.a;
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
                entry = static_cast<std::uint8_t>(g.pick(4) ? g.pick(Quadrant) : 255);
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

Operation Generator::operation() {
    return {any(AllOps), pick(2) == 1};
}

Immediate Generator::immediate(const Tensors& t) {
    if (pick(2)) return {random_word(random_)};
    const Area& buffer = buffers()[pick(5)];
    return {(start_partition(t.partitions) << 18) + buffer.offset + 4 * pick(BufferBytes / 4), true};
}

Counts Generator::counts() {
    Counts count{1 + pick(std::array{1u, 4u, 12u, 100u}[pick(4)]), 1, 1, 1};
    for (int k = 1; k < 4; ++k) {
        if (pick(3) == 0) count[k] = 1 + pick(5);
    }
    return count;
}

unsigned Generator::start_partition(unsigned partitions) {
    if (partitions > Lanes / 2) return 0;
    return partitions > Quadrant ? pick(2) * 2 * Quadrant : pick(4) * Quadrant;
}

bool Generator::choose_pattern(unsigned partitions, const Counts& count, Operand& operand) {
    const Area& buffer = any(buffers());
    operand.psum = buffer.psum;
    operand.partition = start_partition(partitions);
    const auto bytes = numerics::storage_bytes(operand.dtype);
    const bool dense = pick(2);
    int dense_step = 1;
    int low = 0, high = 0;
    for (int k = 0; k < 4; ++k) {
        operand.step[k] = dense ? dense_step : static_cast<int>(pick(41)) - 20;
        dense_step *= static_cast<int>(count[k]);
        const int reach = operand.step[k] * static_cast<int>(count[k] - 1) * bytes;
        (reach < 0 ? low : high) += reach;
    }
    const int room = static_cast<int>(BufferBytes) - bytes - (high - low);
    if (room < 0) return false;
    operand.offset =
        buffer.offset + static_cast<std::uint32_t>(static_cast<int>(pick(room / bytes + 1)) * bytes - low);
    return true;
}

bool Generator::choose_destination(const Kind& kind, Tensors& t, const Counts& count, unsigned partitions) {
    const Operand& source = kind.reads_b && kind.b_elements == 0 && pick(2) ? t.b : t.a;
    const bool by_element = kind.result == Result::Elements;
    if (by_element && kind.reads_a && is_dense(t, source) && pick(3) == 0 &&
        numerics::storage_bytes(source.dtype) == numerics::storage_bytes(t.dst.dtype)) {
        const Dtype dtype = t.dst.dtype;
        t.dst = source;
        t.dst.dtype = dtype;
    } else if (!choose_pattern(partitions, count, t.dst)) {
        return false;
    }
    return (!kind.reads_a || apart(t, t.a, by_element)) && (!kind.reads_b || apart(t, t.b, by_element));
}

bool Generator::choose_operands(const Kind& kind, Tensors& t) {
    const bool follows = last_ && pick(4) == 0;
    t.partitions = follows ? last_->partitions : pick(3) ? 1 + pick(Lanes) : Lanes;
    t.count = follows ? last_->count : counts();
    if (kind.most == 1) t.count = {1, 1, 1, 1};
    if (t.count[0] * t.count[1] * t.count[2] * t.count[3] > kind.most) return false;
    if (kind.whole_quadrants) t.partitions = Quadrant * (1 + pick(4));
    if (kind.blocks && pick(2)) {
        t.partitions = Quadrant * (1 + pick(4));
        t.count = {Quadrant * (1 + pick(2)), 1 + pick(2), 1, 1};
    } else if (kind.blocks) {
        t.partitions = 1 + pick(Quadrant);
        t.count = {1 + pick(8), 1 + pick(Quadrant / 8), 1, 1};
    }
    const unsigned elements = t.count[0] * t.count[1] * t.count[2] * t.count[3];
    if (elements < kind.least) return false;
    if (!follows) t.count[0] = (t.count[0] + kind.multiple - 1) / kind.multiple * kind.multiple;
    if (t.count[0] % kind.multiple != 0) return false;

    t.a.dtype = any(AllDtypes);
    t.b.dtype = any(AllDtypes);
    t.dst.dtype = any(AllDtypes);
    switch (kind.types) {
        case Types::Any:
            break;
        case Types::Bits:
            t.a.dtype = any(Integers);
            t.b.dtype = same_width(t.a.dtype, pick(2));
            t.dst.dtype = same_width(t.a.dtype, pick(2));
            break;
        case Types::Predicate:
            t.a.dtype = any(Integers);
            t.b.dtype = t.dst.dtype;
            break;
        case Types::SelectingB:
            t.b.dtype = any(Integers);
            break;
        case Types::Pairs:
            t.a.dtype = t.b.dtype = t.dst.dtype = Dtype::Bf16;
            break;
        case Types::Same:
            t.a.dtype = t.dst.dtype;
            break;
        case Types::Random:
            t.dst.dtype = any(Integers);
            break;
        case Types::Indices:
            t.dst.dtype = pick(2) ? Dtype::U16 : Dtype::U32;
            break;
    }
    if (!choose_pattern(t.partitions, t.count, t.a) ||
        !choose_pattern(t.partitions, kind.b_elements ? Counts{kind.b_elements, 1, 1, 1} : t.count, t.b))
        return false;
    if (follows && kind.types == Types::Any && kind.most != 1)
        (kind.reads_b && kind.b_elements == 0 && pick(2) ? t.b : t.a) = backwards(*last_);
    if (kind.reads_b && t.a.psum && t.b.psum) return false;

    axes_ = 1 + pick(4);
    Counts result = t.count;
    if (kind.result == Result::Reduced) std::fill_n(result.begin(), axes_, 1);
    if (kind.result == Result::Fixed) result = {kind.fixed, 1, 1, 1};
    unsigned result_partitions = t.partitions;
    if (kind.result == Result::Turned && t.partitions <= Quadrant && elements <= Quadrant) {
        result = {t.partitions, 1, 1, 1};
        result_partitions = elements;
    }
    if (!choose_destination(kind, t, result, result_partitions)) return false;
    last_ = t;
    last_->count = result;
    last_->partitions = result_partitions;
    return true;
}

isa::Instruction Generator::instruction() {
    for (;;) {
        const Kind& kind = kinds()[pick(static_cast<unsigned>(kinds().size()))];
        Tensors t;
        if (!choose_operands(kind, t)) continue;
        isa::Instruction instruction = kind.make(*this, t);
        if (instruction.info()->uses_dst)
            instruction.set(isa::field::Rounding, any(std::array{isa::Rounding::Core, isa::Rounding::Nearest,
                                                                 isa::Rounding::Stochastic}));
        return instruction;
    }
}

}  // namespace trnsim::test
