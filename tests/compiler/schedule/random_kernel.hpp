// Kernels of random calls on random parts of a few buffers and tensors, in loops as well. The same seed gives
// the same calls as an eager kernel, with tiles at fixed places and unrolled loops, or as steps.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "arch/config/config.hpp"
#include "common/random.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "compiler/schedule/compile.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::test {

// Returns a chip with small_target() as cores.
inline config::Config small_config() {
    config::Config config = config::load("small16");
    config.core.array.rows = config.core.array.columns = config.core.partitions =
        static_cast<std::uint64_t>(small_target().partitions);
    return config;
}

struct RandomShape {
    int calls = 80;
    int loops = 0;         // outer loops; they may contain loops
    int sbuf_buffers = 6;  // buffers of 16 to 48 columns
    std::uint32_t psum_buffers = 3;
    bool little_psum = false;  // as steps, on a core with PSUM for four of its buffers
};

class RandomKernel {
  public:
    static constexpr std::uint32_t Partitions = 8, MostColumns = 48, PsumColumns = 16, Rows = 64;

    RandomKernel(std::uint64_t seed, builder::Sink sink, RandomShape shape)
        : random_(seed),
          sink_(sink),
          shape_(shape),
          k_("random", "",
             shape.little_psum && sink == builder::Sink::Steps ? square_target(8, 4 << 10, 256, 4)
                                                               : small_target(),
             builder::Waits::Derived, sink) {
        for (const auto& [name, kind] :
             {std::pair{"x", neff::TensorKind::Input}, std::pair{"u", neff::TensorKind::Update},
              std::pair{"s", neff::TensorKind::Scratch}, std::pair{"y", neff::TensorKind::Output}})
            tensors_.push_back(k_.tensor(name, kind, isa::Dtype::Fp32, {Rows, MostColumns}));
        for (const isa::Engine owner : {isa::Engine::Sync, isa::Engine::Gpsimd, isa::Engine::Scalar})
            queues_.push_back(k_.queue("q" + std::to_string(queues_.size()), owner));
        for (int i = 0; i < shape.sbuf_buffers; ++i)
            sbuf_.push_back(whole(target::Memory::Sbuf, 16 + 4 * pick(9)));
        for (std::uint32_t i = 0; i < shape.psum_buffers; ++i)
            psum_.push_back(whole(target::Memory::Psum, PsumColumns));
        for (const builder::Tile& tile : sbuf_) k_.memset(tile, 1.0f);
        for (const builder::Tile& tile : psum_) k_.memset(tile, 2.0f);
        builder::Tile wide = whole(target::Memory::Sbuf, MostColumns);
        k_.memset(wide, 3.0f);
        for (std::uint32_t tensor = 2; tensor < 4; ++tensor)
            for (std::uint32_t row = 0; row < Rows; row += Partitions)
                k_.store(queues_[0], tensors_[tensor].slice(0, row, Partitions), wide);
        calls(shape.calls);
        for (int i = 0; i < shape.loops; ++i) {
            loop(0);
            calls(10);
        }
    }

    neff::Package finish() { return k_.finish(); }
    schedule::Result compile(const schedule::Options& options = {}) {
        return schedule::compile(k_, small_config(), options);
    }
    schedule::SpillQueues spill_queues() const { return {queues_[0], queues_[1]}; }
    builder::KernelBuilder& builder() { return k_; }

  private:
    // One value of a loop's index, or the index itself.
    struct Around {
        std::uint32_t iterations;
        std::uint32_t value = 0;
        std::optional<builder::LoopOffset> index{};
    };

    std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

    builder::Tile whole(target::Memory memory, std::uint32_t columns) {
        if (sink_ == builder::Sink::Eager)
            return memory == target::Memory::Sbuf
                       ? k_.sbuf(Partitions, isa::Dtype::Fp32, {columns})
                       : k_.psum({static_cast<std::uint32_t>(psum_.size())}, Partitions, columns);
        builder::Tile tile = k_.buffer(memory, Partitions, 4ULL * columns);
        tile.dtype = isa::Dtype::Fp32;
        tile.axes = {{columns, 1}};
        return tile;
    }

    void calls(int count) {
        for (int i = 0; i < count; ++i) {
            try {
                call();
            } catch (const builder::Error&) {
                // The hardware refuses these operands.
            }
        }
    }

    void loop(int depth) {
        const std::uint32_t iterations = 1 + pick(4);
        const bool nests = depth < 2 && pick(2) == 0;
        const int before = static_cast<int>(pick(8)), after = static_cast<int>(pick(8));
        const auto body = [&] {
            calls(before);
            if (nests) loop(depth + 1);
            calls(after);
        };
        around_.push_back({iterations});
        if (sink_ == builder::Sink::Eager) {
            const std::mt19937_64 start = random_;
            for (std::uint32_t i = 0; i < iterations; ++i) {
                random_ = start;
                around_.back().value = i;
                body();
            }
        } else {
            around_.back().index = k_.begin_loop(iterations);
            body();
            k_.end_loop();
        }
        around_.pop_back();
    }

    // Returns the whole tile now and then, otherwise `partitions` and `elements` columns that are neighbours
    // or every other one.
    builder::Tile part(builder::Tile tile, std::uint32_t partitions, std::uint32_t elements) {
        const std::uint32_t granule = partitions <= Partitions / 4   ? Partitions / 4
                                      : partitions <= Partitions / 2 ? Partitions / 2
                                                                     : Partitions;
        tile = tile.partition_slice(pick(Partitions / granule) * granule, partitions);
        const std::uint32_t columns = tile.axes[0].count;
        const std::uint32_t step = 2 * elements <= columns && pick(3) == 0 ? 2 : 1;
        const std::uint32_t reach = step * (elements - 1);
        if (reach >= columns) throw builder::Error("too wide");
        tile = tile.slice(0, pick(columns - reach), 1);
        tile.axes = {{elements, step}};
        if (pick(8) == 0) {  // backwards
            tile.offset += 4 * reach;
            tile.axes[0].step = -static_cast<std::int64_t>(step);
        }
        return tile;
    }
    builder::Tile sbuf(std::uint32_t partitions, std::uint32_t elements) {
        return part(sbuf_[pick(static_cast<std::uint32_t>(sbuf_.size()))], partitions, elements);
    }
    builder::Tile any(std::uint32_t partitions, std::uint32_t elements) {
        if (elements > PsumColumns || pick(3) != 0) return sbuf(partitions, elements);
        return part(psum_[pick(shape_.psum_buffers)], partitions, elements);
    }

    void call() {
        using isa::AluOp;
        const std::uint32_t partitions = 1 + pick(Partitions), elements = 1 + pick(20);
        const auto engine = pick(2) == 0 ? isa::Engine::Vector : isa::Engine::Scalar;
        const builder::Tile dst = any(partitions, elements), a = any(partitions, elements);
        switch (pick(12)) {
            case 0:
                k_.tensor_copy(dst, a, {.engine = engine});
                return;
            case 1:
                // Sums have the same bits on both engines.
                k_.tensor_scalar(dst, a, {AluOp::Add, sbuf(partitions, 1)}, {},
                                 {.engine = engine, .either = elements % 2 == 0});
                return;
            case 2:
                k_.tensor_tensor(dst, a, AluOp::Max, any(partitions, elements));
                return;
            case 3:
                k_.tensor_reduce(any(partitions, 1), a, AluOp::Add);
                return;
            case 4:
                return activate(dst, a, partitions);
            case 5:
                return multiply(1 + pick(Partitions));
            case 6:
                return renew();
            case 7:
                k_.tensor_scalar_reduce(dst, a, {AluOp::Min, 2.0f}, AluOp::Max,
                                        {.reduce = isa::ReduceCmd::ResetReduce});
                k_.read_accumulator(any(partitions, 1));
                return;
            case 8: {
                builder::Tile predicate = sbuf(partitions, elements);
                predicate.dtype = isa::Dtype::U32;
                k_.tensor_copy_predicated(dst, predicate, a);
                return;
            }
            default:
                return transfer(partitions, elements);
        }
    }

    void activate(const builder::Tile& dst, const builder::Tile& a, std::uint32_t partitions) {
        using isa::Activation;
        constexpr Activation Functions[] = {Activation::Copy, Activation::Tanh, Activation::Sigmoid,
                                            Activation::Relu};
        const bool sums = pick(2) == 0;
        const auto reduce = sums ? isa::ReduceCmd::ResetReduce : isa::ReduceCmd::Idle;
        k_.activation(dst, a, Functions[pick(4)], {.bias = sbuf(partitions, 1), .reduce = reduce});
        if (sums) k_.act_read_accumulator(any(partitions, 1));
    }

    // Writes a whole buffer anew.
    void renew() {
        const builder::Tile& tile = sbuf_[pick(static_cast<std::uint32_t>(sbuf_.size()))];
        const std::uint32_t columns = tile.axes[0].count;
        if (pick(2) == 0) {
            k_.memset(tile, static_cast<float>(pick(100)));
        } else {
            k_.load(queues_[pick(3)], tile, moved(tensors_[pick(3)], Partitions, columns));
        }
    }

    void multiply(std::uint32_t rows) {
        const std::uint32_t columns = 1 + pick(Partitions), elements = 1 + pick(PsumColumns);
        const auto at = [&](std::uint32_t count) {
            const builder::Tile first =
                sbuf_[pick(static_cast<std::uint32_t>(sbuf_.size()))].partition_slice(0, rows);
            return first.slice(0, pick(first.axes[0].count - count + 1), count);
        };
        const builder::Tile sum =
            psum_[pick(shape_.psum_buffers)].partition_slice(0, columns).slice(0, 0, elements);
        for (const bool accumulate : {false, true}) {
            k_.load_stationary(at(columns));
            k_.multiply_moving(sum, at(elements), {.accumulate = accumulate});
            if (pick(3) != 0) continue;
            if (pick(2) == 0) k_.memset(sbuf(1 + pick(Partitions), 1), 4.0f);  // the weights stay
            k_.multiply_moving(sum, at(elements), {.accumulate = true});
        }
    }

    // Returns a part of a tensor that steps with some of the loops around it.
    builder::TensorView moved(builder::TensorView view, std::uint32_t partitions, std::uint32_t elements) {
        std::uint32_t rows = Rows - partitions, columns = MostColumns - elements;
        std::vector<std::pair<std::size_t, builder::LoopOffset>> steps;
        std::array<std::uint32_t, 2> first{};
        for (const Around& around : around_) {
            const std::size_t axis = pick(2);
            std::uint32_t& left = axis == 0 ? rows : columns;
            const std::uint32_t step = pick(left / std::max(1U, around.iterations - 1) + 1);
            if (pick(4) == 0 || step == 0) continue;
            left -= step * (around.iterations - 1);
            if (around.index) {
                steps.emplace_back(axis, *around.index * step);
            } else {
                first.at(axis) += around.value * step;
            }
        }
        // The loop slices come first and leave a part of the tensor for the other slices.
        for (const auto& [axis, offset] : steps) {
            const std::uint64_t reach = static_cast<std::uint64_t>(offset.step) * (offset.iterations - 1);
            view = view.slice(axis, offset, view.axes[axis].count - reach);
        }
        first[0] += pick(rows + 1);
        first[1] += pick(columns + 1);
        return view.slice(0, first[0], partitions).slice(1, first[1], elements);
    }

    void transfer(std::uint32_t partitions, std::uint32_t elements) {
        const bool load = pick(2) == 0;
        const builder::TensorView view = moved(tensors_[load ? pick(3) : 1 + pick(3)], partitions, elements);
        const builder::Tile tile = any(partitions, elements);
        const builder::Queue queue = queues_[pick(3)];
        if (load) {
            k_.load(queue, tile, view);
        } else {
            k_.store(queue, view, tile);
        }
    }

    std::mt19937_64 random_;
    builder::Sink sink_;
    RandomShape shape_;
    builder::KernelBuilder k_;
    std::vector<builder::TensorView> tensors_;
    std::vector<builder::Queue> queues_;
    std::vector<builder::Tile> sbuf_, psum_;
    std::vector<Around> around_;
};

struct Outcome {
    std::vector<std::uint8_t> y, u;
    std::vector<std::string> races;
};

inline Outcome interpreted(const neff::Package& package, std::uint64_t order) {
    Outcome outcome;
    functional::Options options = functional::in_order(order);
    options.races = &outcome.races;
    functional::Interpreter machine(package, options);
    std::mt19937_64 random(7);
    for (const char* name : {"x", "u"}) {
        std::vector<float> values(std::size_t{RandomKernel::Rows} * RandomKernel::MostColumns);
        for (float& value : values) value = static_cast<float>(random() % 1000) - 500.0f;
        machine.set(name, pack(values));
    }
    machine.run();
    outcome.y = machine.get("y");
    outcome.u = machine.get("u");
    return outcome;
}

}  // namespace trnsim::test
