#include "compiler/neff/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "arch/firmware/image.hpp"
#include "arch/target/memory.hpp"
#include "compiler/neff/check_collectives.hpp"
#include "compiler/neff/images.hpp"
#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/core_window.hpp"
#include "isa/element_type.hpp"

namespace trnsim::neff {
namespace {

constexpr int MaxDmaEngines = 16;  // bits of dma_trigger's engine mask
constexpr int MaxDmaRings = 16;
constexpr int MaxPartitions = 256;
constexpr std::size_t MaxName = 255;
constexpr std::uint32_t MaxElementBytes = 64;
constexpr std::uint32_t MaxSize = 1 << 20;  // largest size of a dimension of a pattern
constexpr std::size_t MaxDimensions = 8;
constexpr std::size_t MaxImages = 64;
constexpr std::int64_t MaxStep = std::int64_t{1} << 40;  // so that all sums fit 63 bits

void check_range(std::string_view what, std::uint64_t value, std::uint64_t minimum, std::uint64_t maximum) {
    if (value < minimum || value > maximum) {
        throw Error(fmt::format("{} = {}: expected {} to {}", what, value, minimum, maximum));
    }
}

void check_name(const std::string& what, const std::string& name) {
    if (name.empty() || name.size() > MaxName)
        throw Error(fmt::format("{}: expected a name of 1 to {} bytes", what, MaxName));
    const bool printable = std::ranges::all_of(name, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
    if (!printable) throw Error(fmt::format("{}: control character in the name", what));
}

void check_target(const target::Core& target) {
    const auto positive = [](int value) { return value < 0 ? 0 : static_cast<std::uint64_t>(value); };
    check_range("target.rows", positive(target.rows), 1, MaxPartitions);
    check_range("target.columns", positive(target.columns), 1, MaxPartitions);
    check_range("target.partitions", positive(target.partitions), 1, MaxPartitions);
    check_range("target.sbuf_partition", target.sbuf_partition, 64, target::sbuf_partition_stride(target));
    check_range("target.psum_partition", target.psum_partition, 64, isa::window::PsumPartitionStride);
    check_range("target.psum_banks", positive(target.psum_banks), 1, target.psum_partition / 4);
    check_range("target.dma_engines", positive(target.dma_engines), 1, MaxDmaEngines);
    check_range("target.dma_rings", positive(target.dma_rings), 1, MaxDmaRings);
    if (!firmware::is_vlen(positive(target.gpsimd_vlen)))
        throw Error(
            fmt::format("target.gpsimd_vlen = {}, expected {}", target.gpsimd_vlen, firmware::VlensText));
}

void check_tensors(const std::vector<Tensor>& tensors) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        check_name(fmt::format("tensor {}", i), tensor.name);
        if (!names.insert(tensor.name).second)
            throw Error(fmt::format("tensor {} '{}': name used twice", i, tensor.name));
        if (tensor.shape.size() > MaxDimensions) {
            throw Error(fmt::format("tensor '{}': {} dimensions, at most {}", tensor.name,
                                    tensor.shape.size(), MaxDimensions));
        }
        if (std::ranges::count(tensor.shape, 0u) != 0)
            throw Error(fmt::format("tensor '{}': dimension 0", tensor.name));
        tensor_bytes(tensor);
    }
}

void check_images(const std::vector<GpsimdImage>& images, const target::Core& target) {
    if (images.size() > MaxImages)
        throw Error(fmt::format("{} images, expected at most {}", images.size(), MaxImages));
    std::set<std::string> names;
    for (std::size_t i = 0; i < images.size(); ++i) {
        check_name(fmt::format("image {}", i), images[i].name);
        if (!names.insert(images[i].name).second)
            throw Error(fmt::format("image {} '{}': name used twice", i, images[i].name));
        check_vlen(images[i].name, contents_of(images[i]).vlen, target);
    }
}

void check_queues(const Package& package) {
    if (package.queues.size() > static_cast<std::size_t>(package.target.dma_rings)) {
        throw Error(fmt::format("{} queues: the target has {} rings", package.queues.size(),
                                package.target.dma_rings));
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < package.queues.size(); ++i) {
        const Queue& queue = package.queues[i];
        check_name(fmt::format("queue {}", i), queue.name);
        if (!names.insert(queue.name).second)
            throw Error(fmt::format("queue {} '{}': name used twice", i, queue.name));
        if (static_cast<int>(queue.owner) >= EngineCount)
            throw Error(fmt::format("queue '{}': undefined owner", queue.name));
    }
}

using Steps = std::array<std::int64_t, 4>;
using Counts = std::array<std::uint32_t, 4>;

// Returns the distances that the dimensions reach below and above their beginning.
std::pair<std::int64_t, std::int64_t> reach(const Steps& step, const Counts& count) {
    std::int64_t low = 0, high = 0;
    for (std::size_t dim = 0; dim < count.size(); ++dim) {
        const std::int64_t span = step[dim] * (std::int64_t{count[dim]} - 1);
        (span < 0 ? low : high) += span;
    }
    return {low, high};
}

void check_dimensions(const Steps& step, const Counts& count, const std::string& where, const char* kind) {
    for (std::size_t dim = 0; dim < count.size(); ++dim) {
        if (count[dim] == 0) throw Error(fmt::format("{}: size 0 in {} {}", where, kind, dim));
        if (count[dim] > MaxSize)
            throw Error(fmt::format("{}: size {} in {} {}, expected at most {}", where, count[dim], kind, dim,
                                    MaxSize));
        if (step[dim] < -MaxStep || step[dim] > MaxStep) {
            throw Error(fmt::format("{}: {} {} of {} x {} bytes is larger than any memory", where, kind, dim,
                                    count[dim], step[dim]));
        }
    }
}

// Returns the number of pieces without a gap. Pieces may touch by chance, so there may be half as many.
std::uint64_t runs(const Pattern& pattern, std::uint32_t element_bytes) {
    std::int64_t run = element_bytes;
    std::uint64_t count = 1;
    for (std::size_t dim = 0; dim < pattern.count.size(); ++dim) {
        if (pattern.count[dim] == 1) continue;
        if (count == 1 && pattern.step[dim] == run) {
            run *= pattern.count[dim];
        } else {
            count *= pattern.count[dim];
        }
    }
    return count;
}

// Returns a lower bound of the pieces of one side of a transfer. Transposed elements go tile by tile; the
// loader counts their pieces.
std::uint64_t least_pieces(const Transfer& transfer, const Pattern& pattern) {
    return transfer.transposes ? 1 : (runs(pattern, transfer.element_bytes) + 1) / 2;
}

// Returns the number of indices of a transfer; 0: it has none.
std::uint64_t indices(const Transfer& transfer) {
    return transfer.indirect ? element_count(transfer.indirect->index) : 0;
}

// Every run takes a descriptor of its own; a transfer has one doorbell on every engine.
void check_runs(const Package& package, const Transfer& transfer, const Pattern& pattern,
                const std::string& where) {
    const std::uint64_t least = least_pieces(transfer, pattern) + indices(transfer);
    const std::uint64_t most = MaxDescriptors * static_cast<std::uint64_t>(package.target.dma_engines);
    if (least > most) {
        throw Error(fmt::format("{}: at least {} descriptors, expected at most {} on {} DMA engines", where,
                                least, most, package.target.dma_engines));
    }
}

struct Region {
    const char* name;
    std::int64_t begin, end;
};

// The distances that the rows of a transfer reach below and above its patterns.
using Reach = std::pair<std::int64_t, std::int64_t>;

Reach reach_of_rows(const Indirect& indirect, const std::string& where) {
    if (indirect.first > indirect.last)
        throw Error(
            fmt::format("{}: indices {} to {}, expected one at least", where, indirect.first, indirect.last));
    std::int64_t way = 0;
    const std::int64_t rows = std::int64_t{indirect.last} - indirect.first;
    if (__builtin_mul_overflow(indirect.step, rows, &way) || way < -MaxStep || way > MaxStep)
        throw Error(fmt::format("{}: rows {} to {} of {} bytes are larger than any memory", where,
                                indirect.first, indirect.last, indirect.step));
    return {std::min<std::int64_t>(way, 0), std::max<std::int64_t>(way, 0)};
}

void check_iterations(const Transfer& transfer, const Pattern& pattern, const std::string& where) {
    check_dimensions(pattern.iteration_step, pattern.iteration_count, where, "iteration dimension");
    if (!transfer.loop &&
        (pattern.iteration_step != Steps{} || pattern.iteration_count != Counts{1, 1, 1, 1}))
        throw Error(fmt::format("{}: iterates outside a loop", where));
}

// `element`: bytes of an element; `rows`: reach of the side that has the rows.
void check_pattern(const Package& package, const Transfer& transfer, const Pattern& pattern,
                   const std::string& where, std::uint32_t element, const Reach& rows = {}) {
    check_dimensions(pattern.step, pattern.count, where, "dimension");
    check_iterations(transfer, pattern, where);
    if (pattern.offset > MaxTensorBytes)
        throw Error(fmt::format("{}: offset {} is larger than any memory", where, pattern.offset));
    const auto [below, above] = reach(pattern.step, pattern.count);
    const auto [before, behind] = reach(pattern.iteration_step, pattern.iteration_count);
    const auto offset = static_cast<std::int64_t>(pattern.offset);
    const std::int64_t low = offset + below + before + rows.first;
    const std::int64_t high = offset + above + behind + rows.second + element;
    if (pattern.place == Pattern::Space::Tensor) {
        if (pattern.tensor >= package.tensors.size()) {
            throw Error(fmt::format("{}: tensor {} of {}", where, pattern.tensor, package.tensors.size()));
        }
        const Tensor& tensor = package.tensors[pattern.tensor];
        const auto size = static_cast<std::int64_t>(tensor_bytes(tensor));
        if (low < 0 || high > size) {
            throw Error(fmt::format("{}: bytes {} to {} are out of bounds of tensor '{}' of {} bytes", where,
                                    low, high - 1, tensor.name, size));
        }
        return;
    }
    if (pattern.place == Pattern::Space::Image) {
        if (&pattern != &transfer.from) throw Error(fmt::format("{}: an image is not written", where));
        if (pattern.tensor >= package.images.size())
            throw Error(fmt::format("{}: image {} of {}", where, pattern.tensor, package.images.size()));
        const GpsimdImage& image = package.images[pattern.tensor];
        const auto size = static_cast<std::int64_t>(contents_of(image).bytes.size());
        if (low < 0 || high > size) {
            throw Error(fmt::format("{}: bytes {} to {} are out of bounds of image '{}' of {} bytes", where,
                                    low, high - 1, image.name, size));
        }
        return;
    }
    const target::Core& target = package.target;
    const Region regions[] = {
        {"SBUF", isa::window::SbufBase,
         (target.partitions - 1) * std::int64_t{target::sbuf_partition_stride(target)} +
             static_cast<std::int64_t>(target.sbuf_partition)},
        {"PSUM", isa::window::PsumBase,
         isa::window::PsumBase + (target.partitions - 1) * std::int64_t{isa::window::PsumPartitionStride} +
             static_cast<std::int64_t>(target.psum_partition)},
        {"GpSimd memory", isa::window::GpsimdTcmBase,
         isa::window::GpsimdTcmBase +
             target::gpsimd_cores(target) * std::int64_t{isa::window::GpsimdTcmStride}},
    };
    const bool inside = std::ranges::any_of(
        regions, [low, high](const Region& r) { return low >= r.begin && high <= r.end; });
    if (!inside) {
        throw Error(fmt::format(
            "{}: core window bytes 0x{:x} to 0x{:x} are out of bounds of SBUF, PSUM and GpSimd memory", where,
            low, high - 1));
    }
}

void check_index(const Package& package, const Transfer& transfer, const std::string& where) {
    const Pattern& index = transfer.indirect->index;
    if (index.place == Pattern::Space::Image) throw Error(fmt::format("{}: an image has no indices", where));
    check_pattern(package, transfer, index, where, IndexBytes);
    std::int64_t steps = static_cast<std::int64_t>(index.offset);
    for (const Steps& all : {index.step, index.iteration_step}) {
        for (const std::int64_t step : all) steps |= step;
    }
    if (steps % IndexBytes != 0)
        throw Error(fmt::format("{}: offset and steps, expected multiples of {}", where, IndexBytes));
    const std::uint64_t elements = element_count(transfer.from), count = element_count(index);
    if (elements % count != 0)
        throw Error(
            fmt::format("{}: {} indices of {} elements, expected as many for each", where, count, elements));
}

void check_combination(const Transfer& transfer, const std::string& where) {
    constexpr std::array Operations{isa::AluOp::Add, isa::AluOp::Multiply, isa::AluOp::Min, isa::AluOp::Max};
    const Combination& combination = *transfer.combination;
    if (std::ranges::find(Operations, combination.op) == Operations.end())
        throw Error(fmt::format("{}: combines by {}, expected add, multiply, min or max", where,
                                isa::name_of(combination.op)));
    if (isa::element_size(combination.dtype) != transfer.element_bytes)
        throw Error(fmt::format("{}: elements of {} bytes, expected those of {}", where,
                                transfer.element_bytes, isa::name_of(combination.dtype)));
    if (!transfer.indirect) return;
    if (!transfer.indirect->scatter || transfer.indirect->skip)
        throw Error(
            fmt::format("{}: combines with indices, expected a scatter with every index in bounds", where));
}

void check_transposition(const Transfer& transfer, const std::string& where) {
    if (transfer.indirect || transfer.combination)
        throw Error(fmt::format("{}: transposes with indices or a combination, expected neither", where));
    const std::uint32_t element = transfer.element_bytes;
    if (element != 1 && element != 2 && element != 4)
        throw Error(fmt::format("{}: transposes elements of {} bytes, expected 1, 2 or 4", where, element));
    if (transfer.from.count != transfer.to.count)
        throw Error(fmt::format("{}: transposes, expected the same sizes on both sides", where));
    if (outermost(transfer.from) == 0)
        throw Error(fmt::format("{}: transposes one dimension, expected two to four", where));
}

void check_transfers(const Package& package) {
    for (std::size_t i = 0; i < package.transfers.size(); ++i) {
        const Transfer& transfer = package.transfers[i];
        const std::string where = fmt::format("transfer {} '{}'", i, transfer.name);
        if (transfer.queue >= package.queues.size()) {
            throw Error(fmt::format("{}: queue {} of {}", where, transfer.queue, package.queues.size()));
        }
        if (transfer.loop && *transfer.loop >= package.loops.size()) {
            throw Error(fmt::format("{}: loop {} of {}", where, *transfer.loop, package.loops.size()));
        }
        if (transfer.element_bytes == 0 || transfer.element_bytes > MaxElementBytes) {
            throw Error(fmt::format("{}: element of {} bytes, expected 1 to {}", where,
                                    transfer.element_bytes, MaxElementBytes));
        }
        if (transfer.collective) {
            check_iterations(transfer, transfer.from, where + ", from");
            check_iterations(transfer, transfer.to, where + ", to");
            check_collective(package, transfer, iterations_of(package, transfer), where);
            continue;
        }
        if (transfer.indirect) check_index(package, transfer, where + ", index");
        if (transfer.combination) check_combination(transfer, where);
        if (transfer.transposes) check_transposition(transfer, where);
        for (const auto& [pattern, side] :
             {std::pair{&transfer.from, "from"}, std::pair{&transfer.to, "to"}}) {
            const std::string named = fmt::format("{}, {}", where, side);
            const bool has_rows =
                transfer.indirect && transfer.indirect->scatter == (pattern == &transfer.to);
            check_pattern(package, transfer, *pattern, named, transfer.element_bytes,
                          has_rows ? reach_of_rows(*transfer.indirect, named) : Reach{});
            element_count(*pattern);
            check_runs(package, transfer, *pattern, named);
        }
        if (element_count(transfer.from) != element_count(transfer.to)) {
            throw Error(fmt::format("{}: from has {} elements, to has {}", where,
                                    element_count(transfer.from), element_count(transfer.to)));
        }
    }
}

void check_programs(const Package& package) {
    std::vector<bool> triggered(package.transfers.size(), false);
    for (int e = 0; e < EngineCount; ++e) {
        const auto engine = static_cast<isa::Engine>(e);
        const auto& program = package.programs[static_cast<std::size_t>(e)];
        const auto& places = package.sources.of[static_cast<std::size_t>(e)];
        if (!places.empty() && places.size() != program.size())
            throw Error(fmt::format("{}: {} source lines of {} instructions",
                                    name_of(static_cast<isa::Engine>(e)), places.size(), program.size()));
        if (program.empty()) continue;
        if (program.back().opcode() != isa::Opcode::Halt) {
            throw Error(fmt::format("{} program: the last of {} instructions is not halt", name_of(engine),
                                    program.size()));
        }
        for (std::size_t pc = 0; pc < program.size(); ++pc) {
            const auto where = [&] { return fmt::format("{} program, instruction {}", name_of(engine), pc); };
            if (program[pc].opcode() == isa::Opcode::Branch &&
                program[pc].get(isa::field::Target) >= program.size()) {
                throw Error(fmt::format("{}: branch to {} of {}", where(),
                                        program[pc].get(isa::field::Target), program.size()));
            }
            if (program[pc].opcode() != isa::Opcode::DmaTrigger) continue;
            const std::uint64_t id = program[pc].get(isa::field::Address);
            if (id >= triggered.size())
                throw Error(fmt::format("{}: transfer {} of {}", where(), id, triggered.size()));
            if (triggered[id]) throw Error(fmt::format("{}: transfer {} has a second trigger", where(), id));
            triggered[id] = true;
            const Queue& queue = package.queues[package.transfers[id].queue];
            if (queue.owner != engine) {
                throw Error(fmt::format("{}: transfer {} is in queue '{}' of {}", where(), id, queue.name,
                                        name_of(queue.owner)));
            }
        }
    }
    const auto missing = std::ranges::find(triggered, false);
    if (missing != triggered.end()) {
        throw Error(fmt::format("transfer {} is never triggered", missing - triggered.begin()));
    }
}

// Returns the fewest descriptors that a share of a transfer takes: its pieces and the semaphore. A share of a
// collective has one for every member.
std::uint64_t least_descriptors(const Package& package, const Transfer& transfer) {
    if (transfer.collective) return members_of(*transfer.collective);
    const auto engines = static_cast<std::uint64_t>(package.target.dma_engines);
    const std::uint64_t pieces =
        std::max(least_pieces(transfer, transfer.from), least_pieces(transfer, transfer.to)) +
        indices(transfer);
    return (pieces + engines - 1) / engines + 1;
}

void check_loops(const Package& package) {
    std::vector<bool> used(package.loops.size(), false);
    for (const Transfer& transfer : package.transfers) {
        if (transfer.loop) used[*transfer.loop] = true;
    }
    for (std::size_t i = 0; i < package.loops.size(); ++i) {
        check_range(fmt::format("loop {}: iterations", i), package.loops[i].iterations, 1,
                    MaxRingDescriptors);
        if (!used[i]) throw Error(fmt::format("loop {}: no transfers", i));
    }
    const std::vector<RingOrder> orders = ring_orders(package);
    for (std::size_t queue = 0; queue < orders.size(); ++queue) {
        std::set<std::uint32_t> loops;
        std::uint64_t descriptors = 0;
        for (const RingOrder::Section& section : orders[queue].sections()) {
            if (section.loop && !loops.insert(*section.loop).second) {
                throw Error(fmt::format("queue '{}': transfer {} follows others that are not in loop {}",
                                        package.queues[queue].name, section.transfers.front(),
                                        *section.loop));
            }
            std::uint64_t iteration = 0;
            for (const std::uint32_t id : section.transfers)
                iteration += least_descriptors(package, package.transfers[id]);
            descriptors += iteration * section.iterations;
            if (descriptors <= MaxRingDescriptors) continue;
            throw Error(fmt::format("queue '{}': at least {} descriptors an engine, a ring has at most {}",
                                    package.queues[queue].name, descriptors, MaxRingDescriptors));
        }
    }
}

}  // namespace

void check(const Package& package) {
    check_name("kernel", package.name);
    check_target(package.target);
    check_tensors(package.tensors);
    check_images(package.images, package.target);
    check_queues(package);
    check_transfers(package);
    check_collectives(package);
    check_programs(package);
    check_loops(package);
}

}  // namespace trnsim::neff
