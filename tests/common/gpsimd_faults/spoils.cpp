#include "common/gpsimd_faults/spoils.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace trnsim::test {
namespace {

using firmware::AluOp;
using firmware::Command;
using firmware::Dtype;

constexpr auto Fp16 = static_cast<Dtype>(7);  // a type that the microcode does not have

// The statuses, in the words of docs/firmware.md.
constexpr const char *BadShape = "counts, partitions or steps that it does not take",
                     *BadDtype = "type of elements that it does not take",
                     *BadOperation = "ALU operation that it does not have",
                     *OutOfBounds = "an operand leaves its partitions",
                     *Misaligned = "address not aligned to the element";

// The head of a command's arguments: a shape and a destination.
struct Head {
    firmware::Shape shape;
    firmware::Tensor dst;
};
constexpr std::array WithHead{
    Command::Memset, Command::TensorCopy,   Command::TensorTensor,    Command::TensorScalar,
    Command::Iota,   Command::AffineSelect, Command::PartitionReduce, Command::PartitionBroadcast};

template <class Arguments, class Edit>
auto edit(const Edit& change) {
    return [change](GpsimdGenerator& g, GpsimdWords& words) {
        Arguments arguments;
        std::memcpy(&arguments, words.data(), sizeof arguments);
        if (!change(g, arguments)) return false;
        std::memcpy(words.data(), &arguments, sizeof arguments);
        return true;
    };
}

bool is_float(Dtype dtype) {
    return dtype == Dtype::Fp32 || dtype == Dtype::Bf16;
}

void add_heads(std::vector<GpsimdSpoil>& rows) {
    const std::vector<Command> all(WithHead.begin(), WithHead.end());
    const auto add = [&](const char* status, const auto& change) {
        rows.push_back({all, status, edit<Head>(change)});
    };
    using G = GpsimdGenerator;
    add(BadShape, [](G&, Head& h) { return h.shape.partitions = 0, true; });
    add(BadShape, [](G& g, Head& h) { return h.shape.partition = g.lanes(), true; });
    add(BadShape, [](G& g, Head& h) { return h.shape.partitions = g.lanes() - h.shape.partition + 1, true; });
    add(BadShape, [](G& g, Head& h) { return h.shape.partition = 0U - 1 - g.pick(200), true; });
    add(BadShape, [](G& g, Head& h) { return h.shape.count[g.pick(4)] = 0, true; });
    add(BadShape, [](G& g, Head& h) { return h.shape.count[g.pick(4)] = 65537, true; });
    add(BadDtype, [](G& g, Head& h) { return h.dst.dtype = g.pick(2) == 0 ? Fp16 : Dtype{}, true; });
    add(Misaligned, [](G&, Head& h) { return h.dst.address += 1, firmware::size_log2(h.dst.dtype) != 0; });
    add(OutOfBounds, [](G& g, Head& h) {
        h.dst.address += static_cast<std::uint32_t>(g.target().sbuf_partition);
        return true;
    });
    add(OutOfBounds, [](G& g, Head& h) {
        const unsigned axis = g.pick(4);
        h.dst.step[axis] = g.pick(2) == 0 ? 0x40000000 : -0x40000000;
        return h.shape.count[axis] > 1;
    });
    add(OutOfBounds, [](G& g, Head& h) {
        const unsigned axis = g.pick(4);
        h.dst.address = 0;
        h.dst.step[axis] = -1;
        for (unsigned other = 0; other < 4; ++other) {
            if (other != axis) h.dst.step[other] = std::min(h.dst.step[other], 0);
        }
        return h.shape.count[axis] > 1;
    });
}

void add_operations(std::vector<GpsimdSpoil>& rows) {
    using G = GpsimdGenerator;
    using TensorTensor = firmware::TensorTensorArguments;
    using TensorScalar = firmware::TensorScalarArguments;
    const auto floats = [](const auto& a) { return is_float(a.dst.dtype) || is_float(a.a.dtype); };
    const auto unlike = [](bool of_floats) { return of_floats ? AluOp::BitwiseOr : AluOp::Reciprocal; };
    rows.push_back({{Command::TensorTensor}, BadOperation, edit<TensorTensor>([](G& g, TensorTensor& a) {
                        return a.op = static_cast<AluOp>(30 + g.pick(1000)), true;
                    })});
    rows.push_back({{Command::TensorTensor}, BadOperation, edit<TensorTensor>([=](G&, TensorTensor& a) {
                        return a.op = unlike(floats(a) || is_float(a.b.dtype)), true;
                    })});
    rows.push_back({{Command::TensorTensor}, BadDtype, edit<TensorTensor>([](G& g, TensorTensor& a) {
                        return (g.pick(2) == 0 ? a.a : a.b).dtype = Fp16, true;
                    })});
    rows.push_back({{Command::TensorScalar}, BadOperation, edit<TensorScalar>([=](G& g, TensorScalar& a) {
                        return (g.pick(2) == 0 ? a.op0 : a.op1) = unlike(floats(a)), true;
                    })});
    rows.push_back({{Command::TensorScalar}, Misaligned, edit<TensorScalar>([](G& g, TensorScalar& a) {
                        a.flags |= TensorScalar::Vector0;
                        return a.imm0 = 1 + g.pick(3), true;
                    })});
    rows.push_back({{Command::TensorScalar}, OutOfBounds, edit<TensorScalar>([](G& g, TensorScalar& a) {
                        if ((a.flags & TensorScalar::Vector0) != 0) return false;
                        a.flags |= TensorScalar::Vector1;
                        return a.imm1 = static_cast<std::uint32_t>(g.target().sbuf_partition), true;
                    })});
    using Select = firmware::AffineSelectArguments;
    rows.push_back({{Command::AffineSelect}, BadOperation, edit<Select>([](G& g, Select& a) {
                        return a.compare = g.any(std::array{AluOp::Min, AluOp::LogicalAnd}), true;
                    })});
    rows.push_back({{Command::AffineSelect}, BadDtype, edit<Select>([](G&, Select& a) {
                        return a.a.dtype = Dtype::I8, is_float(a.dst.dtype);
                    })});
    using Reduce = firmware::PartitionReduceArguments;
    rows.push_back({{Command::PartitionReduce}, BadOperation, edit<Reduce>([](G& g, Reduce& a) {
                        return a.op = g.any(std::array{AluOp::Multiply, AluOp::Bypass, AluOp::AbsMax}), true;
                    })});
    rows.push_back({{Command::PartitionReduce}, BadOperation, edit<Reduce>([](G&, Reduce& a) {
                        if (is_float(a.a.dtype)) return a.op = AluOp::BitwiseXor, true;
                        return a.divisor = 2, true;
                    })});
    using Broadcast = firmware::PartitionBroadcastArguments;
    rows.push_back({{Command::PartitionBroadcast}, BadShape, edit<Broadcast>([](G& g, Broadcast& a) {
                        return a.source = 16 + g.pick(200), true;
                    })});
    rows.push_back({{Command::PartitionBroadcast}, BadDtype, edit<Broadcast>([](G&, Broadcast& a) {
                        if (a.a.dtype == Dtype::I8) return a.a.dtype = Dtype::U8, true;
                        return a.a.dtype = Dtype::I8, false;
                    })});
}

void add_rows(std::vector<GpsimdSpoil>& rows) {
    using G = GpsimdGenerator;
    using Gather = firmware::LocalGatherArguments;
    const auto gather = [&](const char* status, const auto& change) {
        rows.push_back({{Command::LocalGather}, status, edit<Gather>(change)});
    };
    gather(BadShape, [](G& g, Gather& a) { return a.partition += 1 + g.pick(15), true; });
    gather(BadShape, [](G& g, Gather& a) { return a.partitions += 1 + g.pick(15), true; });
    gather(BadShape, [](G& g, Gather& a) { return a.elements = g.any(std::array{0U, 3U, 64U}), true; });
    gather(BadShape, [](G& g, Gather& a) { return a.indices = g.any(std::array{0U, 4097U}), true; });
    gather(BadShape, [](G& g, Gather& a) { return a.groups = g.any(std::array{0U, 65537U}), true; });
    gather(BadDtype, [](G&, Gather& a) { return a.dtype = Fp16, true; });
    gather(Misaligned, [](G&, Gather& a) { return a.index += 1, true; });
    gather(OutOfBounds, [](G& g, Gather& a) {
        return a.index = static_cast<std::uint32_t>(g.target().sbuf_partition), true;
    });
    using Bounds = firmware::SequenceBoundsArguments;
    const auto bounds = [&](const char* status, const auto& change) {
        rows.push_back({{Command::SequenceBounds}, status, edit<Bounds>(change)});
    };
    bounds(BadShape, [](G& g, Bounds& a) { return a.partition = g.lanes(), true; });
    bounds(BadShape, [](G&, Bounds& a) { return a.count = 0, true; });
    bounds(BadDtype, [](G& g, Bounds& a) { return (g.pick(2) == 0 ? a.a : a.end).dtype = Dtype::U32, true; });
    using Sort = firmware::SortArguments;
    const auto sort = [&](const char* status, const auto& change) {
        rows.push_back({{Command::Sort}, status, edit<Sort>(change)});
    };
    sort(BadDtype, [](G& g, Sort& a) {
        return a.dtype = g.any(std::array{Dtype::U16, Dtype::Bf16, Fp16}), true;
    });
    sort(BadShape, [](G& g, Sort& a) { return a.count = g.any(std::array{0U, 65537U}), true; });
    sort(OutOfBounds, [](G& g, Sort& a) {
        a.flags |= Sort::WithIndices;
        return a.indices = static_cast<std::uint32_t>(g.target().sbuf_partition), true;
    });
    using TopK = firmware::TopKArguments;
    const auto top_k = [&](const char* status, const auto& change) {
        rows.push_back({{Command::TopK}, status, edit<TopK>(change)});
    };
    top_k(BadShape, [](G&, TopK& a) { return a.k = 0, true; });
    top_k(BadShape, [](G&, TopK& a) { return a.k = a.count + 1, true; });
    top_k(BadShape, [](G&, TopK& a) { return a.k = 65, a.count = 100, true; });
    top_k(BadDtype, [](G&, TopK& a) { return a.dtype = Dtype::I8, true; });
    top_k(Misaligned, [](G& g, TopK& a) { return (g.pick(2) == 0 ? a.dst : a.indices) += 2, true; });
}

}  // namespace

const std::vector<GpsimdSpoil>& gpsimd_spoils() {
    static const std::vector<GpsimdSpoil> all = [] {
        std::vector<GpsimdSpoil> made;
        add_heads(made);
        add_operations(made);
        add_rows(made);
        return made;
    }();
    return all;
}

}  // namespace trnsim::test
