#include "compiler/kernels/attention.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "arch/target/memory.hpp"
#include "compiler/kernels/attention_operands.hpp"
#include "compiler/kernels/descriptions.hpp"

namespace trnsim::kernels {
namespace {

using builder::KernelBuilder;
using builder::TensorView;
using builder::Tile;
using isa::AluOp;
using isa::Dtype;

constexpr std::uint32_t ScoreBanks = 2;
constexpr float Masked = -std::numeric_limits<float>::infinity();  // the score of a key that does not count
// Running maxima begin with this: infinite scores may come before finite ones.
constexpr float Lowest = std::numeric_limits<float>::lowest();

// Columns of the figures of a block of queries; a figure with several columns changes its column by step.
enum Figure : std::uint32_t {
    MinusMaximum = 0,  // times the scale if that is exact
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
          score_banks_(kit.builder, 0, ScoreBanks),
          work_(kit.builder, plan_.overlapped ? ScoreBanks : 0,
                kit.banks() - (plan_.overlapped ? ScoreBanks : 0)),
          transposer_(kit, shape.dtype),
          mask_(transposer_.up_to_diagonal()),
          queries_(kit, shape, plan_, transposer_, work_, plan_.slots),
          keys_(kit, shape, plan_, transposer_, work_, plan_.held),
          values_(kit, plan_.block, shape.dtype, shape.dim, plan_.held),
          probabilities_(kit.builder, plan_.block, shape.dtype, group_width(), plan_.slots),
          turned_(kit.builder, plan_.block, shape.dtype, group_width(), plan_.slots),
          masked_(kit.builder, plan_.block, Dtype::Fp32, plan_.block, 2),
          distances_(kit.builder, plan_.block, Dtype::Fp32, plan_.distances, plan_.distances == 0 ? 0 : 1),
          maxima_(kit.builder, plan_.block, Dtype::Fp32, 1, 2),
          figures_(kit.builder, plan_.block, Dtype::Fp32, Figures, 2),
          results_(kit.builder, plan_.block, Dtype::Fp32, shape.dim, plan_.slots),
          outputs_(kit.builder, plan_.block, shape.dtype, static_cast<std::uint32_t>(shape.dim),
                   plan_.slots) {}

    void emit(const std::vector<AttentionHead>& heads) {
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
    }

  private:
    struct Flight {
        AttentionStep step;
        const AttentionHead* head;
        Tile scores{};  // input of exp
        Tile maximum{}, figures{}, probabilities{};
    };

    // Scores wait for exp in banks of their own while other steps use the rest; without overlap no banks are
    // set aside.
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
        return flight.figures.slice(0, first + (flight.step.number + turns - back) % turns, 1);
    }

    // Computes the scores of the step and their maxima.
    void score(Flight& flight) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        if (step.first) query_ = queries_.get(flight.head->q, step.query);
        Tile bank;
        for (std::uint32_t i = 0; i < step.keys; ++i) {
            const TurnedBlocks::Turned key = keys_.get(flight.head->k, step.first_key + i);
            if (i == 0) bank = scores().next(rows, keys_of(step));
            for (std::uint32_t part = 0; part < plan_.parts; ++part) {
                builder_.load_stationary(queries_.part(query_, part));
                builder_.multiply_moving(bank.slice(0, i * plan_.block, key.columns), keys_.part(key, part),
                                         {.accumulate = part > 0});
            }
        }
        flight.maximum = maxima_.next(rows, 1);
        flight.scores = bank;
        if (step.diagonal) {
            flight.scores = masked_.next(rows, rows);
            builder_.select_reduce(flight.scores, bank, mask_.partition_slice(0, rows).slice(0, 0, rows),
                                   Masked, {.reduce = isa::ReduceCmd::ResetReduce});
            builder_.read_accumulator(flight.maximum);
        } else {
            builder_.tensor_reduce(flight.maximum, bank, AluOp::Max);
        }
    }

    // Computes the probabilities up to a factor: exp(scale (score - running maximum)). The difference is
    // rounded once, so that the exponent of the largest score is 0 for any size.
    void exponentiate(Flight& flight) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        if (step.first) current_ = figures_.next(rows, Figures);
        flight.figures = current_;
        const Tile minus_maximum = figure(flight, MinusMaximum, 2);
        const Tile before = figure(flight, MinusMaximum, 2, 1);
        const float sign = plan_.distances == 0 ? -scale_ : -1.0f;
        if (step.first) {
            builder_.tensor_scalar(minus_maximum, flight.maximum, {AluOp::Max, Lowest},
                                   {AluOp::Multiply, sign});
        } else {
            builder_.scalar_tensor_tensor(minus_maximum, flight.maximum, {AluOp::Multiply, sign}, AluOp::Min,
                                          before);
        }
        flight.probabilities = probabilities_.next(rows, keys_of(step));
        const Shifted shifted = shift(flight);
        builder_.activation(flight.probabilities, shifted.tile, isa::Activation::Exp,
                            {.scale = scale_, .bias = shifted.bias, .reduce = isa::ReduceCmd::ResetReduce});
        if (!step.first) {
            const Tile correction = figure(flight, Correction, 2);
            builder_.tensor_tensor(correction, minus_maximum, AluOp::Subtract, before);
            builder_.activation(correction, correction, isa::Activation::Exp,
                                {.scale = plan_.distances == 0 ? 1.0f : scale_});
        }
        builder_.act_read_accumulator(figure(flight, Sum, 2));
    }

    // The input of exp: tile scale + bias.
    struct Shifted {
        Tile tile;
        builder::Scalar bias;
    };
    Shifted shift(const Flight& flight) {
        const Tile minus_maximum = figure(flight, MinusMaximum, 2);
        if (plan_.distances == 0) return {flight.scores, minus_maximum};
        const Tile distance = distances_.next(rows_of(flight.step.query), keys_of(flight.step));
        builder_.tensor_scalar(distance, flight.scores, {AluOp::Add, minus_maximum}, {},
                               {.engine = isa::Engine::Scalar});
        return {distance, -0.0f};
    }

    void finish_first() {
        const Flight flight = in_flight_.front();
        in_flight_.pop_front();
        const AttentionStep& step = flight.step;
        const Tile total = figure(flight, Total), sum = figure(flight, Sum, 2);
        if (step.first) {
            result_ = results_.next(rows_of(step.query), static_cast<std::uint32_t>(shape_.dim));
            builder_.tensor_copy(total, sum);
        } else {
            builder_.scalar_tensor_tensor(total, total, {AluOp::Multiply, figure(flight, Correction, 2)},
                                          AluOp::Add, sum);
        }
        add_values(flight, turn_probabilities(flight));
        if (step.last) store(flight);
    }

    // Returns the probabilities with the keys on the partitions, side by side: [keys of a block, queries]
    // each.
    Tile turn_probabilities(const Flight& flight) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        const Tile turned = turned_.next(plan_.block, step.keys * rows);
        const Tile bank = work_.next(plan_.block, step.keys * rows);
        for (std::uint32_t i = 0; i < step.keys; ++i) {
            const std::uint32_t keys = rows_of(step.first_key + i);
            transposer_(bank.partition_slice(0, keys).slice(0, i * rows, rows),
                        flight.probabilities.slice(0, i * plan_.block, keys));
        }
        // The last block of keys may be shorter than the others.
        const std::uint32_t last_keys = rows_of(step.first_key + step.keys - 1);
        const std::uint32_t full = last_keys == plan_.block ? step.keys : step.keys - 1;
        const auto copy = [&](std::uint32_t first, std::uint32_t count, std::uint32_t keys) {
            if (count == 0) return;
            builder_.tensor_copy(turned.partition_slice(0, keys).slice(0, first * rows, count * rows),
                                 bank.partition_slice(0, keys).slice(0, first * rows, count * rows));
        };
        copy(0, full, plan_.block);
        copy(full, step.keys - full, last_keys);
        return turned;
    }

    // Computes result = result * correction + probabilities times values.
    void add_values(const Flight& flight, const Tile& turned) {
        const AttentionStep& step = flight.step;
        const std::uint32_t rows = rows_of(step.query);
        const std::uint32_t bank_columns = target::bank_columns(builder_.target());
        const auto dim = static_cast<std::uint32_t>(shape_.dim);
        for (std::uint32_t first = 0; first < dim; first += bank_columns) {
            const std::uint32_t width = std::min(bank_columns, dim - first);
            const Tile bank = work_.next(rows, width);
            for (std::uint32_t i = 0; i < step.keys; ++i) {
                const std::uint64_t block = step.first_key + i;
                const Tile value = values_.get(block_rows(flight.head->v, plan_, block));
                builder_.load_stationary(turned.partition_slice(0, rows_of(block)).slice(0, i * rows, rows));
                builder_.multiply_moving(bank, value.slice(0, first, width), {.accumulate = i > 0});
            }
            const Tile part = result_.slice(0, first, width);
            if (step.first) {
                builder_.tensor_copy(part, bank);
            } else {
                builder_.scalar_tensor_tensor(part, part, {AluOp::Multiply, figure(flight, Correction, 2)},
                                              AluOp::Add, bank);
            }
        }
    }

    void store(const Flight& flight) {
        const Tile inverse = figure(flight, Inverse);
        builder_.reciprocal(inverse, figure(flight, Total));
        const Tile out = outputs_.next(rows_of(flight.step.query), static_cast<std::uint32_t>(shape_.dim));
        builder_.tensor_scalar(out, result_, {AluOp::Multiply, inverse});
        kit_.store(block_rows(flight.head->o, plan_, flight.step.query), out);
    }

    Kit& kit_;
    KernelBuilder& builder_;
    AttentionShape shape_;
    AttentionPlan plan_;
    float scale_;
    BankRing score_banks_, work_;
    Transposer transposer_;
    Tile mask_;
    TurnedBlocks queries_, keys_;
    InputRing values_;
    TileRing probabilities_, turned_, masked_, distances_, maxima_, figures_, results_, outputs_;
    std::deque<Flight> in_flight_;
    TurnedBlocks::Turned query_{};
    Tile current_{}, result_{};
};

}  // namespace

void emit_attention(Kit& kit, const AttentionShape& shape, const std::vector<AttentionHead>& heads) {
    Attention(kit, shape).emit(heads);
}

namespace {

neff::Package build_attention(const Arguments& arguments, const target::Chip& target) {
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
