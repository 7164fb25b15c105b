// Kernels of several ranks as data: calls one after the other and in loops. A kernel is built from them, and
// a few lines of host arithmetic execute them. Values are small whole numbers that every type holds, so that
// every order of reduction gives the same result.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/loop_kernels.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/collectives/generate.hpp"

namespace trnsim::test {

// Tensors are [ScriptRows, ScriptColumns]; those from FirstSum on hold sums of the others. Tiles are
// [ScriptPartitions, ScriptColumns].
constexpr std::uint32_t ScriptRows = 16, ScriptColumns = 32, ScriptPartitions = 8;
constexpr std::uint32_t ScriptTensors = 4, FirstSum = 2, ScriptTiles = 3, ScriptQueues = 3;
// Stored bounds the absolute values in HBM that are no sums, Kept those that a Change multiplies. Sums over
// up to ScriptRanks ranks are exact.
constexpr int Stored = 36, Kept = 16, ScriptRanks = 7;

struct ScriptCall {
    enum class Kind : std::uint8_t { Load, Store, Change, Max, Collective };
    struct Axis {
        std::int64_t first = 0, step = 0;  // step: the distance between iterations
        std::uint32_t count = 1;

        std::size_t at(std::uint32_t iteration) const {
            return static_cast<std::size_t>(first + step * std::int64_t{iteration});
        }
    };
    struct Part {
        std::uint32_t tensor = 0;
        Axis rows, columns;
    };
    struct Box {
        std::uint32_t tile = 0, column = 0;
    };

    Kind kind = Kind::Load;
    std::uint32_t queue = 0;
    Part part, output;                    // in HBM; only collectives have an `output`
    Box dst, a, b;                        // on the chip; Load and Store use `dst`
    std::uint32_t rows = 1, columns = 1;  // size of the part and of each box
    int factor = 1, more = 0;             // Change: factor * a + more, with a cut to Kept
    neff::Collective collective{};
};

struct RankScript {
    struct Section {
        bool loop = false;
        std::uint32_t iterations = 1;
        std::vector<ScriptCall> calls;
    };
    std::uint32_t ranks = 1;
    isa::Dtype dtype = isa::Dtype::Fp32;
    isa::Engine owner = isa::Engine::Gpsimd;  // the engine that owns the collectives
    std::vector<Section> sections;
};

// [tensor][element]
using ScriptValues = std::vector<std::vector<int>>;

class RandomScript {
  public:
    RandomScript(std::uint64_t seed, std::uint32_t ranks) : random_(seed) {
        constexpr std::array Types{isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16};
        constexpr std::array Owners{isa::Engine::Gpsimd, isa::Engine::Tensor, isa::Engine::Sync,
                                    isa::Engine::Scalar};
        script_.ranks = ranks;
        script_.dtype = Types[pick(Types.size())];
        script_.owner = Owners[pick(Owners.size())];
        section(false, 1, 4);
        section(true, 1 + pick(5), 8);
        section(false, 1, 4);
        if (pick(2) == 0) section(true, 2 + pick(3), 4);
        section(false, 1, 2);
    }

    const RankScript& script() const { return script_; }

    // Returns the contents of a rank's tensors at the start.
    ScriptValues values() {
        ScriptValues values(ScriptTensors, std::vector<int>(std::size_t{ScriptRows} * ScriptColumns));
        for (std::uint32_t tensor = 0; tensor < ScriptTensors; ++tensor) {
            const int most = tensor < FirstSum ? Stored : Stored * ScriptRanks;
            for (int& value : values[tensor])
                value = static_cast<int>(pick(2 * static_cast<std::uint32_t>(most) + 1)) - most;
        }
        return values;
    }

  private:
    using Kind = ScriptCall::Kind;

    std::uint32_t pick(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }

    void section(bool loop, std::uint32_t iterations, std::uint32_t most) {
        iterations_ = iterations;
        RankScript::Section section{loop, iterations, {}};
        for (std::uint32_t left = 1 + pick(most); left > 0; --left) section.calls.push_back(call());
        if (loop) section.calls.insert(section.calls.begin() + pick(section.calls.size() + 1), collective());
        script_.sections.push_back(std::move(section));
    }

    ScriptCall call() {
        ScriptCall call;
        call.rows = 1 + pick(ScriptPartitions);
        call.columns = 1 + pick(ScriptColumns);
        call.dst = box(call.columns);
        switch (pick(8)) {
            case 0:
                call.kind = Kind::Change;
                call.a = beside(call.dst, call.columns);
                call.factor = static_cast<int>(pick(5)) - 2;
                call.more = static_cast<int>(pick(9)) - 4;
                return call;
            case 1:
                call.kind = Kind::Max;
                call.a = beside(call.dst, call.columns);
                call.b = beside(call.dst, call.columns);
                return call;
            case 2:
            case 3:
                return collective();
            case 4:
            case 5:
                call.kind = Kind::Store;
                call.queue = pick(ScriptQueues);
                call.part = {pick(ScriptTensors), axis(ScriptRows, call.rows),
                             axis(ScriptColumns, call.columns)};
                return call;
            default:
                call.queue = pick(ScriptQueues);
                call.part = {pick(ScriptTensors), axis(ScriptRows, call.rows),
                             axis(ScriptColumns, call.columns)};
                return call;
        }
    }

    ScriptCall::Box box(std::uint32_t columns) {
        return {pick(ScriptTiles), pick(ScriptColumns - columns + 1)};
    }
    // Returns the same box or one in another tile, because a partial overlap is undefined.
    ScriptCall::Box beside(const ScriptCall::Box& dst, std::uint32_t columns) {
        const ScriptCall::Box other = box(columns);
        return other.tile == dst.tile ? dst : other;
    }

    // Takes `count` of `size`; the axis may step in either direction.
    ScriptCall::Axis axis(std::uint32_t size, std::uint32_t count) {
        const std::uint32_t left = size - count;
        const std::uint32_t gaps = iterations_ - 1;
        const std::int64_t step = gaps != 0 && pick(3) != 0 ? pick(left / gaps + 1) : 0;
        const std::int64_t reach = step * std::int64_t{gaps};
        const std::int64_t first = pick(static_cast<std::uint32_t>(left - reach) + 1);
        if (pick(2) == 0) return {first + reach, -step, count};
        return {first, step, count};
    }

    // Takes elements that lie one after the other: whole rows, or a part of one row.
    ScriptCall::Part dense(std::uint32_t tensor, std::uint32_t elements, bool rows) {
        if (rows)
            return {tensor, axis(ScriptRows, elements / ScriptColumns), axis(ScriptColumns, ScriptColumns)};
        return {tensor, axis(ScriptRows, 1), axis(ScriptColumns, elements)};
    }

    // Makes groups of equally many ranks; some ranks may be in no group.
    std::vector<std::vector<std::uint32_t>> groups() {
        if (script_.ranks < 2 || pick(3) != 0) return {};
        std::vector<std::uint32_t> order(script_.ranks);
        for (std::uint32_t rank = 0; rank < script_.ranks; ++rank) order[rank] = rank;
        std::ranges::shuffle(order, random_);
        const std::uint32_t members = 1 + pick(script_.ranks);
        std::vector<std::vector<std::uint32_t>> groups(1 + pick(script_.ranks / members));
        for (std::size_t i = 0; i < groups.size() * members; ++i) groups[i / members].push_back(order[i]);
        return groups;
    }

    // Sums are not added again, so that they stay exact; they are in tensors of their own.
    ScriptCall collective() {
        using collectives::Operation;
        using collectives::Reduction;
        constexpr std::array Operations{Operation::AllReduce, Operation::AllReduce, Operation::ReduceScatter,
                                        Operation::AllGather, Operation::AllToAll,  Operation::Broadcast};
        constexpr std::array Reductions{Reduction::Add, Reduction::Add, Reduction::Min, Reduction::Max};
        ScriptCall call;
        call.kind = Kind::Collective;
        collectives::Request request{.operation = Operations[pick(Operations.size())],
                                     .reduction = Reductions[pick(Reductions.size())],
                                     .dtype = script_.dtype,
                                     .ranks = script_.ranks,
                                     .groups = groups()};
        const auto members = static_cast<std::uint32_t>(
            request.groups.empty() ? request.ranks : request.groups.front().size());
        request.root = pick(members);
        const bool rows = pick(3) == 0;
        request.count = rows ? ScriptColumns * (1 + pick(std::min(3U, ScriptRows / members)))
                             : 1 + pick(ScriptColumns / members);
        const auto known = collectives::algorithms(request.operation);
        call.collective.algorithm = known[pick(known.size())];
        if (*call.collective.algorithm == collectives::Algorithm::Hierarchical)
            call.collective.inner = members;
        if (members == 1 || pick(4) == 0) call.collective.algorithm.reset();
        const bool adds = collectives::reduces(request.operation) && request.reduction == Reduction::Add;
        const bool sums = !adds && pick(2) == 0;  // the input is a tensor of sums
        const collectives::Sizes sizes = collectives::sizes_of(request, members);
        const std::uint32_t input = sums ? FirstSum + pick(ScriptTensors - FirstSum) : pick(FirstSum);
        const bool to_sums = sums || adds || pick(2) == 0;
        std::uint32_t output = to_sums ? FirstSum + pick(ScriptTensors - FirstSum) : pick(FirstSum);
        if (output == input) output = output % 2 == 0 ? output + 1 : output - 1;
        call.part = dense(input, static_cast<std::uint32_t>(sizes.input), rows);
        call.output = dense(output, static_cast<std::uint32_t>(sizes.output), rows);
        if (request.operation == Operation::AllReduce && !adds && pick(3) == 0) {
            call.output = call.part;
            request.in_place = true;
        }
        call.collective.request = std::move(request);
        return call;
    }

    std::mt19937_64 random_;
    std::uint32_t iterations_ = 1;
    RankScript script_;
};

// Builds the kernel of a script. `delays` is the seed of instructions that do nothing but take time; they
// differ between ranks.
class ScriptKernel {
  public:
    ScriptKernel(const RankScript& script, const target::Chip& target, std::uint64_t delays = 0)
        : script_(script), k_("script", "", target), delays_(delays), random_(delays) {}

    builder::KernelBuilder& builder() { return k_; }

    neff::Package build(Written written = Written::AsLoop) {
        for (std::uint32_t i = 0; i < ScriptTensors; ++i)
            tensors_.push_back(k_.tensor("t" + std::to_string(i), neff::TensorKind::Update, script_.dtype,
                                         {ScriptRows, ScriptColumns}));
        for (const isa::Engine owner : {isa::Engine::Sync, isa::Engine::Scalar, isa::Engine::Gpsimd})
            queues_.push_back(k_.queue("q" + std::to_string(queues_.size()), owner));
        meets_ = k_.queue("meets", script_.owner);
        for (std::uint32_t i = 0; i < ScriptTiles; ++i) {
            tiles_.push_back(k_.sbuf(ScriptPartitions, script_.dtype, {ScriptColumns}));
            k_.memset(tiles_.back(), 0.0F);
        }
        busy_ = k_.sbuf(1, isa::Dtype::Fp32, {64});
        for (const RankScript::Section& section : script_.sections) {
            if (!section.loop) {
                for (const ScriptCall& call : section.calls) emit(call, 0U);
                continue;
            }
            repeat(k_, written, section.iterations, [&](auto i) {
                for (const ScriptCall& call : section.calls) emit(call, i);
            });
        }
        return k_.finish();
    }

  private:
    using Kind = ScriptCall::Kind;
    using Tile = builder::Tile;

    Tile tile(const ScriptCall& call, const ScriptCall::Box& box) const {
        return tiles_[box.tile].partition_slice(0, call.rows).slice(0, box.column, call.columns);
    }
    static builder::TensorView slice(const builder::TensorView& view, std::size_t number,
                                     const ScriptCall::Axis& axis, std::uint32_t i) {
        return view.slice(number, std::uint64_t{axis.at(i)}, axis.count);
    }
    static builder::TensorView slice(const builder::TensorView& view, std::size_t number,
                                     const ScriptCall::Axis& axis, builder::LoopIndex i) {
        if (axis.step == 0) return slice(view, number, axis, 0U);
        return view.slice(number, i * axis.step + axis.first, axis.count);
    }
    template <typename Index>
    builder::TensorView view(const ScriptCall::Part& part, Index i) const {
        return slice(slice(tensors_[part.tensor], 0, part.rows, i), 1, part.columns, i);
    }

    void dawdle() {
        if (delays_ == 0 || random_() % 4 != 0) return;
        for (std::uint64_t left = random_() % 30; left > 0; --left) k_.memset(busy_, 1.0F);
    }

    template <typename Index>
    void emit(const ScriptCall& call, Index i) {
        using isa::AluOp;
        dawdle();
        const Tile dst = tile(call, call.dst);
        const auto cut = [&](const Tile& from, int most) {
            k_.tensor_scalar(dst, from, {AluOp::Min, static_cast<float>(most)},
                             {AluOp::Max, static_cast<float>(-most)});
        };
        switch (call.kind) {
            case Kind::Load:
                k_.load(queues_[call.queue], dst, view(call.part, i));
                return;
            case Kind::Store:
                cut(dst, Stored);
                k_.store(queues_[call.queue], view(call.part, i), dst);
                return;
            case Kind::Change:
                cut(tile(call, call.a), Kept);
                k_.tensor_scalar(dst, dst, {AluOp::Multiply, static_cast<float>(call.factor)},
                                 {AluOp::Add, static_cast<float>(call.more)},
                                 {.engine = call.factor > 0 ? isa::Engine::Scalar : isa::Engine::Vector});
                return;
            case Kind::Max:
                k_.tensor_tensor(dst, tile(call, call.a), AluOp::Max, tile(call, call.b));
                return;
            case Kind::Collective:
                k_.collective(meets_, view(call.output, i), view(call.part, i), call.collective);
                return;
        }
    }

    const RankScript& script_;
    builder::KernelBuilder k_;
    std::uint64_t delays_;
    std::mt19937_64 random_;
    std::vector<builder::TensorView> tensors_;
    std::vector<builder::Queue> queues_;
    builder::Queue meets_{};
    std::vector<Tile> tiles_;
    Tile busy_;
};

}  // namespace trnsim::test
