#include "compiler/schedule/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
// Shares of each memory that buffers may take at once when others are spilled: places leave gaps.
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
        if (const auto stuck = arrange(steps_, lives)) {
            if (!options_.spill) refuse(lives, *stuck);
            result.spills = arrange_spilled(lives, *stuck);
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

    // Finds an order and places for it, in the author's order if no other leaves room. Otherwise returns a
    // life without a place in that order.
    std::optional<std::uint32_t> arrange(std::vector<Step>& steps, Lives& lives) {
        for (const double share : Shares) {
            Room room(steps, lives, limits_, share);
            order(steps, lives, rows_, room, Timeline(config_, kernel_));
            lives.set_extents(steps);
            if (!allocate(steps, lives, limits_)) return std::nullopt;
            restore(steps);
        }
        lives.set_extents(steps);
        return allocate(steps, lives, limits_);
    }

    std::vector<Spill> arrange_spilled(const Lives& lives, std::uint32_t stuck) {
        for (const double share : SpillShares) {
            const auto part = [&](std::uint64_t bytes) {
                return static_cast<std::uint64_t>(share * static_cast<double>(bytes));
            };
            const Limits limits{part(limits_.sbuf), part(limits_.own), part(limits_.psum), limits_.bank};
            std::optional<Spilled> spilled = spill(kernel_, copy_of(steps_), lives, limits, *options_.spill);
            if (!spilled) break;
            for (std::size_t tensor = rows_.size(); tensor < kernel_.tensors().size(); ++tensor)
                rows_.push_back(row_of(kernel_.tensors()[tensor]));
            Lives shorter(spilled->steps, kernel_.buffers());
            if (arrange(spilled->steps, shorter)) continue;
            schedule::emit(kernel_, spilled->steps, shorter);
            return std::move(spilled->spills);
        }
        refuse(lives, stuck);
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
    return fmt::format("{} of {}, {} bytes x {} partitions of {}: stored {}, loaded {}",
                       spill.name.empty() ? "a tile" : spill.name, neff::place_name(file, line), spill.bytes,
                       spill.partitions, target::name_of(spill.memory), times(spill.stores),
                       times(spill.loads));
}

}  // namespace trnsim::schedule
