#include "testbench/random_programs/gpsimd_generator.hpp"

#include <algorithm>

#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {

namespace field = isa::field;
using firmware::Dtype;
using firmware::Shape;
using firmware::Tensor;
using isa::Engine;
using isa::Instruction;
using isa::Opcode;

namespace {

constexpr unsigned MostElements = 16, MostOfLong = 80;
constexpr std::array WordFields{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                                &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};

}  // namespace

GpsimdGenerator::GpsimdGenerator(const target::Core& target, const Geometry& geometry,
                                 std::mt19937_64& random)
    : target_(target), random_(random) {
    std::ranges::copy_if(geometry.buffers, std::back_inserter(buffers_),
                         [](const Area& area) { return !area.psum; });
}

std::uint32_t GpsimdGenerator::word() {
    return random_word(random_);
}

Shape GpsimdGenerator::shape() {
    constexpr std::uint32_t Core = target::GpsimdPartitions;
    Shape shape{0, lanes(), {1, 1, 1, 1}};
    switch (pick(4)) {
        case 0:
            break;
        case 1:  // a tensor of one core
            shape.partition = Core * pick(target::gpsimd_cores(target_));
            shape.partitions = std::min(Core, lanes() - shape.partition);
            break;
        default:
            shape.partition = pick(lanes());
            shape.partitions = 1 + pick(lanes() - shape.partition);
    }
    unsigned left = chance(12) ? MostOfLong : MostElements;
    shape.count[0] = 1 + pick(std::array{1U, 5U, 12U, left}[pick(4)]);
    left /= shape.count[0];
    for (unsigned axis = 1; axis < 4; ++axis) {
        if (left < 2 || chance(2)) continue;
        shape.count[axis] = 1 + pick(std::min(left, 4U));
        left /= shape.count[axis];
    }
    return shape;
}

std::vector<Area> GpsimdGenerator::buffers(std::size_t count) {
    std::vector<Area> chosen;
    std::ranges::sample(buffers_, std::back_inserter(chosen), static_cast<std::ptrdiff_t>(count), random_);
    std::ranges::shuffle(chosen, random_);
    return chosen;
}

std::optional<Tensor> GpsimdGenerator::tensor(const Shape& shape, Dtype dtype, const Area& buffer,
                                              bool repeats) {
    const std::uint32_t bytes = 1U << firmware::size_log2(dtype);
    Tensor tensor{0, dtype, {}};
    std::int64_t low = 0, high = 0;
    std::int32_t span = chance(2) ? 1 : 1 + static_cast<std::int32_t>(pick(4));
    for (unsigned axis = 0; axis < 4; ++axis) {
        const auto turns = static_cast<std::int32_t>(shape.count[axis]) - 1;
        if (turns == 0 && chance(2)) {
            tensor.step[axis] = static_cast<std::int32_t>(random_());  // has no effect
            continue;
        }
        tensor.step[axis] = repeats && chance(8) ? 0 : chance(4) ? -span : span;
        (tensor.step[axis] < 0 ? low : high) += std::int64_t{turns} * tensor.step[axis];
        span = span * (turns + 1) + static_cast<std::int32_t>(pick(3));
    }
    const std::int64_t room = buffer.bytes / bytes - (high - low + 1);
    if (room < 0) return std::nullopt;
    const auto place = static_cast<std::int64_t>(pick(static_cast<unsigned>(room) + 1));
    tensor.address = buffer.offset + static_cast<std::uint32_t>((place - low) * bytes);
    return tensor;
}

std::optional<std::uint32_t> GpsimdGenerator::row(std::uint32_t count, std::uint32_t bytes,
                                                  const Area& buffer) {
    if (std::uint64_t{count} * bytes > buffer.bytes) return std::nullopt;
    return buffer.offset + bytes * pick(buffer.bytes / bytes - count + 1);
}

// Returns the mask of the cores that have the partitions, of all cores, or of random cores.
std::uint32_t GpsimdGenerator::core_mask(std::uint32_t partition, std::uint32_t partitions) {
    const std::uint32_t all = (1U << target::gpsimd_cores(target_)) - 1;
    switch (pick(4)) {
        case 0:
            return all;
        case 1:
            return 1 + pick(all);
        default:
            const std::uint32_t first = partition / target::GpsimdPartitions;
            const std::uint32_t last = (partition + partitions - 1) / target::GpsimdPartitions;
            return (all >> first << first) & ((2U << last) - 1);
    }
}

void GpsimdGenerator::give(std::uint32_t first, std::span<const std::uint32_t> words,
                           std::vector<Step>& steps) {
    Instruction arguments(Opcode::GpsimdArguments);
    arguments.set(field::FirstWord, first).set(field::Words, words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
        arguments.set(*WordFields[i], words[i]);
        given_[first + i] = words[i];
    }
    steps.push_back({Engine::Gpsimd, arguments});
}

// Gives the words in pieces of any length, in any order.
void GpsimdGenerator::give(const std::vector<std::uint32_t>& words, std::vector<Step>& steps) {
    const auto is_given = [&](std::size_t i) { return given_[i] == words[i]; };
    std::vector<Step> pieces;
    for (std::size_t first = 0; first < words.size();) {
        const std::size_t longest = std::min(words.size() - first, WordFields.size());
        const std::size_t count = chance(2) ? longest : 1 + pick(static_cast<unsigned>(longest));
        bool needed = chance(4);
        for (std::size_t i = 0; i < count; ++i) needed = needed || !is_given(first + i);
        if (needed) give(static_cast<std::uint32_t>(first), std::span(words).subspan(first, count), pieces);
        first += count;
    }
    std::ranges::shuffle(pieces, random_);
    if (chance(8)) {  // words that the command does not have
        std::vector<std::uint32_t> others(1 + pick(static_cast<unsigned>(WordFields.size())));
        std::ranges::generate(others, [this] { return word(); });
        const auto last = static_cast<unsigned>(given_.size() - others.size());
        const auto end = static_cast<unsigned>(words.size());
        give(chance(2) ? last : end + pick(last - end + 1), others, pieces);
    }
    std::ranges::move(pieces, std::back_inserter(steps));
}

std::vector<Step> GpsimdGenerator::steps() {
    std::vector<GpsimdCall> calls;
    while (calls.empty()) calls = random_gpsimd_calls(*this);
    const std::uint32_t mask = core_mask(calls.back().partition, calls.back().partitions);
    std::vector<Step> all;
    for (const GpsimdCall& call : calls) {
        give(call.words, all);
        Instruction command(Opcode::GpsimdCommand);
        command.set(field::Operation, static_cast<std::uint32_t>(call.command)).set(field::CoreMask, mask);
        all.push_back({Engine::Gpsimd, command, call.touched});
    }
    return all;
}

}  // namespace trnsim::random_programs
