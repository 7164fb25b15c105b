#include "compiler/schedule/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "compiler/schedule/allocate.hpp"
#include "compiler/schedule/emit.hpp"
#include "compiler/schedule/order.hpp"
#include "compiler/schedule/repeats.hpp"
#include "isa/element_type.hpp"

namespace trnsim::schedule {

using builder::Buffer;
using builder::KernelBuilder;
using builder::Step;
using target::Memory;

namespace {

// Shares of each memory for steps that are brought forward, tried in this order until places are found.
constexpr std::array Shares{0.75, 0.5, 0.25};
// The same where buffers are spilled: their number is bounded before.
constexpr std::array SharesBesideSpills{1.0, 0.9, 0.75, 0.5};
// Shares of a memory that buffers may take at once when others are spilled: the less they take, the further
// loads run ahead, and the more of them there are.
constexpr std::array SpillShares{1.0, 0.9, 0.75, 0.5};

// The share of SBUF up to which a buffer stays because its contents are needed again: loads that run ahead need
// the rest.
constexpr double RepeatsShare = 0.75;

class Compilation {
  public:
    Compilation(KernelBuilder& kernel, const config::Config& config, const Options& options)
        : kernel_(kernel), config_(config), options_(options), steps_(kernel.take_steps()) {
        const auto& target = kernel.target();
        limits_.own = target::partition_bytes(target, Memory::Sbuf);
        limits_.sbuf = options.sbuf == 0 ? limits_.own : std::min(options.sbuf, limits_.own);
        limits_.psum = target::partition_bytes(target, Memory::Psum);
        limits_.bank = target::bank_bytes(target);
        number(steps_);
        for (const neff::Tensor& tensor : kernel.tensors()) rows_.push_back(row_of(tensor));
        const auto room = static_cast<std::uint64_t>(RepeatsShare * static_cast<double>(limits_.sbuf));
        if (!options.keep_repeats) drop_repeats(kernel, steps_, Lives(steps_, kernel.buffers()), room);
    }

    Result run() {
        Result result;
        Lives lives(steps_, kernel_.buffers());
        const Arrangement found = arrange(steps_, lives, Shares);
        if (found.stuck) {
            if (!options_.spill) refuse(lives, *found.stuck);
            result.spills = arrange_spilled(lives, *found.stuck);
        } else {
            schedule::emit(kernel_, steps_, lives);
        }
        result.package = kernel_.finish();
        return result;
    }

  private:
    // Returns a copy with loops of its own.
    static std::vector<Step> copy_of(const std::vector<Step>& steps) {
        std::vector<Step> copy = steps;
        for (Step& step : copy) {
            if (!step.loop) continue;
            step.loop = std::make_shared<builder::StepLoop>(*step.loop);
            step.loop->body = copy_of(step.loop->body);
        }
        return copy;
    }

    static std::uint64_t row_of(const neff::Tensor& tensor) {
        return isa::element_size(tensor.dtype) * (tensor.shape.size() == 1 ? 1 : tensor.shape.back());
    }

    // A life without a place in the author's order, or the estimated cycles of the order that was found.
    struct Arrangement {
        std::optional<std::uint32_t> stuck;
        std::uint64_t cycles = std::numeric_limits<std::uint64_t>::max();  // the author's order has none
    };

    // Finds an order and places for it, in the author's order if no other leaves room.
    Arrangement arrange(std::vector<Step>& steps, Lives& lives, std::span<const double> shares) {
        for (const double share : shares) {
            Room room(steps, lives, limits_, share);
            const std::uint64_t cycles = order(steps, lives, rows_, room, Timeline(config_, kernel_));
            lives.set_extents(steps);
            if (!allocate(steps, lives, limits_)) return {std::nullopt, cycles};
            restore(steps);
        }
        lives.set_extents(steps);
        return {allocate(steps, lives, limits_)};
    }

    // Takes the shares of the memories that are short with which the kernel ends earliest.
    std::vector<Spill> arrange_spilled(const Lives& lives, std::uint32_t stuck) {
        struct Attempt {
            Spilled spilled;
            Lives lives;
            Arrangement found;
        };
        const WorkEstimate estimate(config_);
        SpillTensors tensors(kernel_);
        std::optional<Attempt> best;
        std::array<bool, 2> is_short{};  // by memory
        is_short.at(static_cast<std::size_t>(lives.buffer_of(stuck).memory)) = true;
        for (const double share : SpillShares) {
            const auto part = [&](Memory memory, std::uint64_t bytes) {
                const bool reduced = is_short.at(static_cast<std::size_t>(memory));
                return reduced ? static_cast<std::uint64_t>(share * static_cast<double>(bytes)) : bytes;
            };
            const Limits limits{part(Memory::Sbuf, limits_.sbuf), part(Memory::Sbuf, limits_.own),
                                part(Memory::Psum, limits_.psum), limits_.bank};
            std::optional<Spilled> spilled =
                spill(kernel_, copy_of(steps_), lives, limits, *options_.spill, estimate, tensors);
            if (!spilled) break;
            for (const Spill& one : spilled->spills) is_short.at(static_cast<std::size_t>(one.memory)) = true;
            for (std::size_t tensor = rows_.size(); tensor < kernel_.tensors().size(); ++tensor)
                rows_.push_back(row_of(kernel_.tensors()[tensor]));
            Lives shorter(spilled->steps, kernel_.buffers());
            const Arrangement found = arrange(spilled->steps, shorter, SharesBesideSpills);
            if (found.stuck || (best && best->found.cycles <= found.cycles)) continue;
            best.emplace(std::move(*spilled), std::move(shorter), found);
        }
        if (!best) refuse(lives, stuck);
        schedule::emit(kernel_, best->spilled.steps, best->lives);
        return std::move(best->spilled.spills);
    }

    // `lives` must have the extents of the author's order.
    [[noreturn]] void refuse(const Lives& lives, std::uint32_t stuck) const {
        const Life& life = lives.all()[stuck];
        const Memory memory = lives.buffer_of(stuck).memory;
        std::vector<const Buffer*> here;
        std::uint64_t total = 0;
        for (std::uint32_t other = 0; other < lives.all().size(); ++other) {
            const Life& found = lives.all()[other];
            const Buffer& buffer = lives.buffer_of(other);
            if (buffer.memory != memory || found.first > life.first || found.last < life.first) continue;
            here.push_back(&buffer);
            total += buffer.bytes;
        }
        std::ranges::stable_sort(here, std::ranges::greater{}, &Buffer::bytes);
        std::string largest;
        constexpr std::size_t Most = 6;
        for (std::size_t i = 0; i < std::min(here.size(), Most); ++i)
            largest += fmt::format("{}{} of line {}: {}", i == 0 ? "" : ", ",
                                   here[i]->name.empty() ? "a tile" : here[i]->name,
                                   kernel_.place(here[i]->place).second, here[i]->bytes);
        const std::uint64_t limit = memory == Memory::Sbuf ? limits_.sbuf : limits_.psum;
        const std::string expected = total > limit
                                         ? fmt::format("at most {}", limit)
                                         : fmt::format("pieces that fit into {} without a move", limit);
        std::vector<std::uint32_t> places;
        add_places(steps_, places);
        const auto [file, line] = kernel_.place(places[life.first]);
        throw NoRoom(
            fmt::format("{} bytes a partition in {} are in use at once, expected {}; the largest: {}", total,
                        memory == Memory::Sbuf ? "sbuf" : "psum", expected, largest),
            file, line);
    }

    static void add_places(const std::vector<Step>& steps, std::vector<std::uint32_t>& places) {
        for (const Step& step : steps) {
            places.push_back(step.place);
            if (step.loop) add_places(step.loop->body, places);
        }
    }

    KernelBuilder& kernel_;
    const config::Config& config_;
    Options options_;
    std::vector<Step> steps_;
    Limits limits_;
    Rows rows_;
};

}  // namespace

Result compile(KernelBuilder& kernel, const config::Config& config, const Options& options) {
    return Compilation(kernel, config, options).run();
}

std::string describe(const KernelBuilder& kernel, const Spill& spill) {
    const auto times = [](std::uint32_t count) {
        return fmt::format("{} time{}", count, count == 1 ? "" : "s");
    };
    const auto [file, line] = kernel.place(spill.place);
    const std::string made = spill.memsets == 0 ? "" : fmt::format(", filled again {}", times(spill.memsets));
    return fmt::format("{} of {}, {} bytes x {} partitions of {}: stored {}, loaded {}{}",
                       spill.name.empty() ? "a tile" : spill.name, neff::place_name(file, line), spill.bytes,
                       spill.partitions, target::name_of(spill.memory), times(spill.stores),
                       times(spill.loads), made);
}

}  // namespace trnsim::schedule
