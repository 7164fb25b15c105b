#include "lib/kernels/attention.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "lib/builder/memory.hpp"
#include "lib/kernels/attention_operands.hpp"
#include "lib/kernels/descriptions.hpp"
#include "lib/kernels/outputs.hpp"

namespace trnsim::kernels {
namespace {

using builder::After;
using builder::Event;
using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint32_t ScoreBanks = 2;
constexpr float Masked = -std::numeric_limits<float>::infinity();  // the score of a key that does not count
// Running maxima begin here: infinite scores may come before finite ones.
constexpr float Lowest = std::numeric_limits<float>::lowest();

// Columns of the figures of a block of queries; those with several take turns by step.
enum Figure : std::uint32_t {
    MinusMaximum = 0,  // times the scale where that is exact
    Correction = 2,
    Sum = 4,
    Total = 6,
    Inverse = 7,
    Figures = 8
};

class Attention {
  public:
    Attention(Kit& kit, const AttentionShape& shape)
        : kit_(kit),
          builder_(kit.builder),
          shape_(shape),
          plan_(plan_attention(kit, shape)),
          scale_(attention_scale(shape)),
          score_banks_(kit, 0, ScoreBanks),
          work_(kit, plan_.overlapped ? ScoreBanks : 0, kit.banks() - (plan_.overlapped ? ScoreBanks : 0)),
          transposer_(kit, shape.dtype),
          mask_(transposer_.up_to_diagonal()),
          queries_(kit, shape, plan_, transposer_, work_, plan_.slots),
          keys_(kit, shape, plan_, transposer_, work_, plan_.held),
          values_(kit, plan_.block, shape.dtype, shape.dim, plan_.held),
          probabilities_(kit, plan_.block, shape.dtype, group_width(), plan_.slots),
          turned_(kit, plan_.block, shape.dtype, group_width(), plan_.slots),
          masked_(kit, plan_.block, Dtype::Fp32, plan_.block, 2),
          distances_(kit, plan_.block, Dtype::Fp32, plan_.distances, plan_.distances == 0 ? 0 : 1),
          maxima_(kit, plan_.block, Dtype::Fp32, 1, 2),
          figures_(kit, plan_.block, Dtype::Fp32, Figures, 2),
          results_(kit, plan_.block, Dtype::Fp32, shape.dim, plan_.slots),
          outputs_(builder_, kit.queues.stores, plan_.block, shape.dtype,
                   static_cast<std::uint32_t>(shape.dim), plan_.slots) {}

    Event emit(const std::vector<AttentionHead>& heads) {
        builder_.load_table_of(isa::Activation::Exp);
        for (const AttentionHead& head : heads) {
            for (const AttentionStep& step : attention_steps(shape_, plan_)) {
                in_flight_.push_back({step, &head});
                score(in_flight_.back());
                if (!plan_.overlapped) exponentiate(in_flight_.back());
                if (in_flight_.size() > 1) exponentiate(in_flight_[in_flight_.size() - 2]);
                while (in_flight_.size() > (plan_.overlapped ? 2 : 0)) finish_first();
            }
        }
        if (!in_flight_.empty()) exponentiate(in_flight_.back());
        while (!in_flight_.empty()) finish_first();
        return stored_;
    }

  private:
    struct Flight {
        AttentionStep step;
        const AttentionHead* head;
        TurnedBlocks::Turned query{};
        BankRing::Slot bank{};
        TileRing::Slot masked{}, maximum{}, figures{}, probabilities{};
        Tile scores{};  // where exp finds them
        Event multiplied{}, maximum_there{};
        Event summed{};  // the probabilities and their sum are there
    };

    // Scores wait for exp while other steps use banks; without overlap nothing does.
    BankRing& scores() { return plan_.overlapped ? score_banks_ : work_; }

    std::uint64_t group_width() const { return std::uint64_t{plan_.group} * plan_.block; }
    std::uint32_t rows_of(std::uint64_t block) const {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(plan_.block, shape_.seq - block * plan_.block));
    }
    std::uint32_t keys_of(const AttentionStep& step) const {
        return (step.keys - 1) * plan_.block + rows_of(step.first_key + step.keys - 1);
    }
    Tile figure(const Flight& flight, std::uint32_t first, std::uint32_t turns = 1,
                std::uint32_t back = 0) const {
        return flight.figures.tile.slice(0, first + (flight.step.number + turns - back) % turns, 1);
    }

    // Scores of the step and their maxima.
    void score(Flight& flight) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        if (step.first) query_ = queries_.get(flight.head->q, step.query);
        flight.query = query_;
        for (std::uint32_t i = 0; i < step.keys; ++i) {
            const TurnedBlocks::Turned key = keys_.get(flight.head->k, step.first_key + i);
            if (i == 0) flight.bank = scores().next(rows, keys_of(step));
            for (std::uint32_t part = 0; part < plan_.parts; ++part) {
                builder_.load_stationary(queries_.part(query_, part),
                                         join(query_.ready, key.ready, flight.bank.free));
                flight.multiplied = builder_.multiply_moving(
                    flight.bank.tile.slice(0, i * plan_.block, key.columns), keys_.part(key, part), part > 0);
            }
            keys_.used(key, flight.multiplied);
        }
        queries_.used(query_, flight.multiplied);
        flight.scores = flight.bank.tile;
        After ready{flight.multiplied};
        if (step.diagonal) {
            flight.masked = masked_.next(rows, rows);
            flight.maximum = maxima_.next(rows, 1);
            const Tile mask = mask_.tile.partition_slice(0, rows).slice(0, 0, rows);
            const Event there =
                builder_.select_reduce(flight.masked.tile, flight.bank.tile, mask, Masked,
                                       isa::ReduceCmd::ResetReduce, join(ready, flight.masked.free));
            flight.maximum_there = builder_.read_accumulator(flight.maximum.tile);
            scores().used(flight.bank, there);
            flight.scores = flight.masked.tile;
        } else {
            flight.maximum = maxima_.next(rows, 1);
            flight.maximum_there =
                builder_.tensor_reduce(flight.maximum.tile, flight.scores, AluOp::Max, 1, ready);
        }
    }

    // Probabilities, up to a factor: exp(scale (score - running maximum)). The difference is rounded once, so
    // that the exponent of the largest score is 0 whatever its size.
    void exponentiate(Flight& flight) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        if (step.first) current_ = figures_.next(rows, Figures);
        flight.figures = current_;
        const Tile minus_maximum = figure(flight, MinusMaximum, 2);
        const Tile before = figure(flight, MinusMaximum, 2, 1);
        const float sign = plan_.distances == 0 ? -scale_ : -1.0f;
        const Event known =
            step.first ? builder_.tensor_scalar(minus_maximum, flight.maximum.tile, {AluOp::Max, Lowest},
                                                {AluOp::Multiply, sign}, current_.free)
                       : builder_.scalar_tensor_tensor(minus_maximum, flight.maximum.tile,
                                                       {AluOp::Multiply, sign}, AluOp::Min, before);
        const Shifted shifted = shift(flight, known);
        flight.probabilities = probabilities_.next(rows, keys_of(step));
        const Event there = builder_.activation(
            flight.probabilities.tile, shifted.tile, isa::Activation::Exp,
            {.scale = scale_, .bias = shifted.bias, .reduce = isa::ReduceCmd::ResetReduce},
            join(shifted.ready, flight.maximum_there, flight.probabilities.free));
        if (!step.first) {
            const Tile correction = figure(flight, Correction, 2);
            const Event difference =
                builder_.tensor_tensor(correction, minus_maximum, AluOp::Subtract, before);
            builder_.activation(correction, correction, isa::Activation::Exp,
                                {.scale = plan_.distances == 0 ? 1.0f : scale_}, {difference});
        }
        flight.summed = builder_.act_read_accumulator(figure(flight, Sum, 2));
        const Event read = plan_.distances == 0 ? there : shifted.ready;
        if (step.diagonal) {
            masked_.used(flight.masked, read);
        } else {
            scores().used(flight.bank, read);
        }
        figures_.used(flight.figures, flight.summed);
    }

    // What exp takes: tile scale + bias.
    struct Shifted {
        Tile tile;
        builder::Scalar bias;
        Event ready;
    };
    Shifted shift(Flight& flight, Event known) {
        const Tile minus_maximum = figure(flight, MinusMaximum, 2);
        if (plan_.distances == 0) return {flight.scores, minus_maximum, known};
        const TileRing::Slot distance = distances_.next(rows_of(flight.step.query), keys_of(flight.step));
        const Event there = builder_.tensor_scalar(distance.tile, flight.scores, {AluOp::Add, minus_maximum},
                                                   {}, join(known, flight.maximum_there), isa::Rounding::Core,
                                                   isa::Engine::Scalar);
        return {distance.tile, -0.0f, there};
    }

    void finish_first() {
        const Flight flight = in_flight_.front();
        in_flight_.pop_front();
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        const Tile total = figure(flight, Total);
        if (step.first) {
            result_ = results_.next(rows, static_cast<std::uint32_t>(shape_.dim));
            builder_.tensor_copy(total, figure(flight, Sum, 2), {flight.summed});
        } else {
            builder_.scalar_tensor_tensor(total, total, {AluOp::Multiply, figure(flight, Correction, 2)},
                                          AluOp::Add, figure(flight, Sum, 2), {flight.summed});
        }
        const Event added = add_values(flight, turn_probabilities(flight));
        figures_.used(flight.figures, added);
        if (step.last) store(flight);
    }

    struct Turned {
        TileRing::Slot slot;
        After ready;
    };
    // The probabilities with the keys on the partitions, side by side: [keys of a block, queries] each.
    Turned turn_probabilities(const Flight& flight) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        const TileRing::Slot slot = turned_.next(plan_.block, step.keys * rows);
        const BankRing::Slot bank = work_.next(plan_.block, step.keys * rows);
        Event there;
        for (std::uint32_t i = 0; i < step.keys; ++i) {
            const std::uint32_t keys = rows_of(step.first_key + i);
            there = transposer_(bank.tile.partition_slice(0, keys).slice(0, i * rows, rows),
                                flight.probabilities.tile.slice(0, i * plan_.block, keys),
                                join(flight.summed, bank.free));
        }
        probabilities_.used(flight.probabilities, there);
        // The last block of keys may be shorter than the others.
        const std::uint32_t last_keys = rows_of(step.first_key + step.keys - 1);
        const std::uint32_t full = last_keys == plan_.block ? step.keys : step.keys - 1;
        Event copied;
        const auto copy = [&](std::uint32_t first, std::uint32_t count, std::uint32_t keys) {
            if (count == 0) return;
            copied =
                builder_.tensor_copy(slot.tile.partition_slice(0, keys).slice(0, first * rows, count * rows),
                                     bank.tile.partition_slice(0, keys).slice(0, first * rows, count * rows),
                                     join(there, slot.free));
        };
        copy(0, full, plan_.block);
        copy(full, step.keys - full, last_keys);
        work_.used(bank, copied);
        return {slot, {copied}};
    }

    // result = result * correction + probabilities times values.
    Event add_values(const Flight& flight, const Turned& turned) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        const std::uint32_t bank_columns = builder::bank_columns(builder_.target());
        const auto dim = static_cast<std::uint32_t>(shape_.dim);
        Event added;
        for (std::uint32_t first = 0; first < dim; first += bank_columns) {
            const std::uint32_t width = std::min(bank_columns, dim - first);
            const BankRing::Slot bank = work_.next(rows, width);
            Event multiplied;
            for (std::uint32_t i = 0; i < step.keys; ++i) {
                const std::uint64_t block = step.first_key + i;
                const InputRing::Loaded value = values_.get(block_rows(flight.head->v, plan_, block));
                builder_.load_stationary(
                    turned.slot.tile.partition_slice(0, rows_of(block)).slice(0, i * rows, rows),
                    join(turned.ready, value.ready, bank.free));
                multiplied = builder_.multiply_moving(bank.tile, value.tile.slice(0, first, width), i > 0);
                values_.used(value, multiplied);
            }
            turned_.used(turned.slot, multiplied);
            const Tile part = result_.tile.slice(0, first, width);
            added = step.first ? builder_.tensor_copy(part, bank.tile, join(multiplied, result_.free))
                               : builder_.scalar_tensor_tensor(
                                     part, part, {AluOp::Multiply, figure(flight, Correction, 2)}, AluOp::Add,
                                     bank.tile, {multiplied});
            work_.used(bank, added);
        }
        return added;
    }

    void store(const Flight& flight) {
        const Tile inverse = figure(flight, Inverse);
        builder_.reciprocal(inverse, figure(flight, Total));
        const OutputRing::Slot out =
            outputs_.next(rows_of(flight.step.query), static_cast<std::uint32_t>(shape_.dim));
        const Event done =
            builder_.tensor_scalar(out.tile, result_.tile, {AluOp::Multiply, inverse}, {}, out.writable);
        results_.used(result_, done);
        figures_.used(flight.figures, done);
        stored_ = outputs_.store(block_rows(flight.head->o, plan_, flight.step.query), out, done);
    }

    Kit& kit_;
    KernelBuilder& builder_;
    AttentionShape shape_;
    AttentionPlan plan_;
    float scale_;
    BankRing score_banks_, work_;
    Transposer transposer_;
    Transposer::Mask mask_;
    TurnedBlocks queries_, keys_;
    InputRing values_;
    TileRing probabilities_, turned_, masked_, distances_, maxima_, figures_, results_;
    OutputRing outputs_;
    std::deque<Flight> in_flight_;
    TurnedBlocks::Turned query_{};
    TileRing::Slot current_{}, result_{};
    Event stored_;
};

}  // namespace

Event emit_attention(Kit& kit, const AttentionShape& shape, const std::vector<AttentionHead>& heads) {
    return Attention(kit, shape).emit(heads);
}

namespace {

neff::Package build_attention(const Arguments& arguments, const builder::Target& target) {
    using Kind = neff::TensorKind;
    const AttentionShape shape{arguments.count("seq"), arguments.count("dim"),
                               arguments.choice("causal") == "1", arguments.dtype("dtype")};
    KernelBuilder builder("attention", arguments.text(), target);
    const auto tensor = [&](const char* name, Kind kind) {
        return builder.tensor(name, kind, shape.dtype, {shape.seq, shape.dim});
    };
    const TensorView q = tensor("q", Kind::Input), k = tensor("k", Kind::Input), v = tensor("v", Kind::Input);
    const TensorView o = tensor("o", Kind::Output);
    Kit kit(builder);
    emit_attention(kit, shape, {{q, k, v, o}});
    return builder.finish();
}

constexpr std::array AttentionArguments{ArgumentInfo{"seq", "queries, and keys"},
                                        ArgumentInfo{"dim", "elements of each"}, CausalArgument,
                                        DtypeArgument};
constexpr std::array AttentionInputs{TensorInfo{"q", "[seq, dim] dtype"}, TensorInfo{"k", "[seq, dim] dtype"},
                                     TensorInfo{"v", "[seq, dim] dtype"}};
constexpr std::array AttentionOutputs{TensorInfo{"o", "[seq, dim] dtype"}};

}  // namespace

constinit const Kernel AttentionKernel{"attention",        "o = softmax(q k.T / sqrt(dim)) v, online",
                                       AttentionArguments, AttentionInputs,
                                       AttentionOutputs,   build_attention};

}  // namespace trnsim::kernels
