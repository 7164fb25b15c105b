#include "runtime/loader/random_package.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "arch/firmware/image.hpp"
#include "arch/target/memory.hpp"
#include "arch/target/target.hpp"
#include "common/sample_package.hpp"
#include "common/trn1_config.hpp"
#include "compiler/neff/images.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/core_window.hpp"
#include "isa/element_type.hpp"

namespace trnsim::test {
namespace {

using neff::Pattern;
using Counts = std::array<std::uint32_t, 4>;

constexpr std::array<std::uint32_t, 10> Sizes{1, 1, 2, 3, 5, 7, 11, 13, 17, 31};
constexpr std::array<std::uint32_t, 8> Elements{1, 2, 4, 3, 4, 8, 12, 61};
constexpr std::uint64_t MostElements = 2000;

class Generator {
  public:
    Generator(const config::Config& config, std::mt19937_64& random) : random_(random) {
        package_.name = "random";
        package_.target = target::of(config);
    }

    neff::Package make() {
        add_image();
        const std::uint32_t queues = 1 + below(3);
        for (std::uint32_t queue = 0; queue < queues; ++queue) {
            const auto owner = static_cast<isa::Engine>(below(neff::EngineCount));
            package_.queues.push_back({"q" + std::to_string(queue), owner});
            const std::uint32_t sections = 1 + below(3);
            for (std::uint32_t section = 0; section < sections; ++section) add_section(queue, owner);
        }
        for (auto& program : package_.programs)
            if (!program.empty()) program.emplace_back(isa::Opcode::Halt);
        return std::move(package_);
    }

  private:
    std::uint32_t below(std::uint64_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    bool one_in(std::uint64_t chances) { return random_() % chances == 0; }
    template <typename Choices>
    auto one_of(const Choices& choices) {
        return choices[below(std::size(choices))];
    }

    void add_image() {
        firmware::Image image;
        image.vlen = static_cast<std::uint32_t>(package_.target.gpsimd_vlen);
        image.entry = 0x80000000;
        firmware::Segment segment{image.entry, true, std::vector<std::uint8_t>(4 * (1 + below(500)))};
        for (std::uint8_t& byte : segment.bytes) byte = static_cast<std::uint8_t>(random_());
        image.segments = {segment};
        image.operations = {"operation"};
        package_.images = {{"image", firmware::serialise(image)}};
    }

    void add_section(std::uint32_t queue, isa::Engine owner) {
        std::optional<std::uint32_t> loop;
        if (!one_in(3)) {
            loop = static_cast<std::uint32_t>(package_.loops.size());
            package_.loops.push_back({1 + below(7)});
        }
        const std::uint32_t transfers = 1 + below(4);
        for (std::uint32_t i = 0; i < transfers; ++i) {
            neff::Transfer transfer = make_transfer(loop.has_value());
            const auto id = static_cast<std::uint32_t>(package_.transfers.size());
            transfer.queue = queue;
            transfer.loop = loop;
            transfer.semaphore = static_cast<std::uint8_t>(below(256));
            transfer.name = "transfer " + std::to_string(id);
            package_.transfers.push_back(std::move(transfer));
            package_.programs[static_cast<std::size_t>(owner)].push_back(trigger(id));
        }
    }

    neff::Transfer make_transfer(bool in_loop) {
        in_loop_ = in_loop;
        switch (below(8)) {
            case 0:
                return long_one();
            case 1:
                return image();
            case 2:
                return transposed();
            case 3:
                return combined();
            case 4:
                return rows(true);
            case 5:
                return rows(false);
            case 6:
                return across_partitions();
            default:
                return plain();
        }
    }

    Counts counts() {
        Counts counts{1, 1, 1, 1};
        std::uint64_t elements = 1;
        for (std::uint32_t& count : counts) {
            count = one_of(Sizes);
            if (elements * count > MostElements) count = 1;
            elements *= count;
        }
        return counts;
    }

    // Returns counts with the same number of elements in other dimensions.
    Counts regrouped(const Counts& counts) {
        switch (below(4)) {
            case 0:
                return {counts[0] * counts[1], counts[2], counts[3], 1};
            case 1:
                return {counts[0], counts[1] * counts[2], 1, counts[3]};
            case 2:
                return {counts[1], counts[0], counts[2] * counts[3], 1};
            default:
                return counts;
        }
    }

    // Chooses the steps of dimensions so that no two elements share a byte.
    void spread(std::vector<std::pair<std::int64_t*, std::uint32_t>> dims, std::uint32_t element,
                std::uint32_t align) {
        if (!one_in(3)) std::ranges::shuffle(dims, random_);
        std::int64_t extent = element;
        for (auto [step, count] : dims) {
            *step = extent + (one_in(2) ? 0 : align * std::int64_t{below(40)});
            extent += *step * (std::int64_t{count} - 1);
            if (one_in(4)) *step = -*step;
        }
    }

    // The part of a transfer; each part has its own columns of SBUF.
    enum class Part : std::uint8_t { From, To, Index };

    // Puts the pattern's elements into a new tensor or somewhere into SBUF. With `apart`, no two elements of
    // an iteration share a byte.
    void place(Pattern& pattern, Part part, std::uint32_t element, bool apart, std::uint32_t align = 1) {
        choose_iterations(pattern);
        std::vector<std::pair<std::int64_t*, std::uint32_t>> dims;
        for (std::size_t dim = 0; dim < 4; ++dim) dims.emplace_back(&pattern.step[dim], pattern.count[dim]);
        const std::size_t across = below(4);
        if (one_in(2) && place_in_sbuf(pattern, part, across, element, apart, align)) return;
        arrange(dims, element, apart, align);
        iterate(pattern, align);
        const auto [low, high] = reach(pattern);
        const std::int64_t gap = align * std::int64_t{below(30)};
        pattern.place = Pattern::Space::Tensor;
        pattern.offset = static_cast<std::uint64_t>(gap - low);
        pattern.tensor = add_tensor(static_cast<std::uint64_t>(gap + high - low + element));
    }

    // Dimension `across` steps over partitions. Returns false if there is no room.
    bool place_in_sbuf(Pattern& pattern, Part part, std::size_t across, std::uint32_t element, bool apart,
                       std::uint32_t align) {
        const auto partitions = static_cast<std::uint32_t>(package_.target.partitions);
        if (pattern.count[across] > partitions) return false;
        std::vector<std::pair<std::int64_t*, std::uint32_t>> dims;
        for (std::size_t dim = 0; dim < 4; ++dim)
            if (dim != across) dims.emplace_back(&pattern.step[dim], pattern.count[dim]);
        pattern.step[across] = 0;
        arrange(dims, element, apart, align);
        iterate(pattern, align);
        const auto [low, high] = reach(pattern);
        const auto columns = static_cast<std::int64_t>(package_.target.sbuf_partition / 3 / 4 * 4);
        const std::int64_t room = columns - (high - low) - element;
        if (room < 0) return false;
        pattern.step[across] = target::sbuf_partition_stride(package_.target);
        const std::int64_t first = below(partitions - pattern.count[across] + 1);
        const std::int64_t column =
            static_cast<int>(part) * columns + below(static_cast<std::uint64_t>(room) + 1) / align * align;
        pattern.place = Pattern::Space::Core;
        pattern.offset = static_cast<std::uint64_t>(first * pattern.step[across] + column - low);
        return true;
    }

    void choose_iterations(Pattern& pattern) {
        if (!in_loop_) return;
        for (std::uint32_t& count : pattern.iteration_count) count = 1 + below(3);
    }

    void arrange(const std::vector<std::pair<std::int64_t*, std::uint32_t>>& dims, std::uint32_t element,
                 bool apart, std::uint32_t align) {
        if (apart || one_in(2)) return spread(dims, element, align);
        for (const auto& dim : dims) *dim.first = align * (std::int64_t{below(401)} - 200);
    }

    void iterate(Pattern& pattern, std::uint32_t align) {
        for (std::int64_t& step : pattern.iteration_step)
            step = in_loop_ ? align * (std::int64_t{below(401)} - 200) : 0;
    }

    static std::pair<std::int64_t, std::int64_t> reach(const Pattern& pattern) {
        std::int64_t low = 0, high = 0;
        for (std::size_t dim = 0; dim < 4; ++dim) {
            for (const std::int64_t span :
                 {pattern.step[dim] * (std::int64_t{pattern.count[dim]} - 1),
                  pattern.iteration_step[dim] * (std::int64_t{pattern.iteration_count[dim]} - 1)})
                (span < 0 ? low : high) += span;
        }
        return {low, high};
    }

    std::uint32_t add_tensor(std::uint64_t bytes) {
        const auto number = static_cast<std::uint32_t>(package_.tensors.size());
        package_.tensors.push_back(
            {"t" + std::to_string(number), neff::TensorKind::Scratch, isa::Dtype::U8, {bytes + below(100)}});
        return number;
    }

    neff::Transfer plain() {
        neff::Transfer transfer;
        transfer.element_bytes = one_of(Elements);
        transfer.from.count = counts();
        transfer.to.count = regrouped(transfer.from.count);
        place(transfer.from, Part::From, transfer.element_bytes, false);
        place(transfer.to, Part::To, transfer.element_bytes, true);
        return transfer;
    }

    // Makes a transfer that is contiguous on both sides and longer than a descriptor.
    neff::Transfer long_one() {
        neff::Transfer transfer;
        const std::uint32_t element = transfer.element_bytes = 64;
        const std::uint32_t elements = 1024 + below(1500);
        for (Pattern* pattern : {&transfer.from, &transfer.to}) {
            pattern->count = {elements, 1, 1, 1};
            pattern->step = {element, 0, 0, 0};
            pattern->offset = below(100);
            pattern->tensor = add_tensor(std::uint64_t{element} * elements + 100);
        }
        return transfer;
    }

    neff::Transfer image() {
        const neff::ImageContents contents = neff::contents_of(package_.images[0]);
        const std::uint32_t cores = target::gpsimd_cores(package_.target), first = below(cores);
        return neff::image_transfer(contents, 0, first, 1 + below(cores - first));
    }

    // PSUM has no gap between partitions, so a transfer may cross them.
    neff::Transfer across_partitions() {
        neff::Transfer transfer;
        const std::uint32_t element = transfer.element_bytes = 4, elements = 1 + below(3000);
        transfer.from.count = transfer.to.count = {elements, 1, 1, 1};
        place(transfer.from, Part::From, element, false);
        transfer.to.place = Pattern::Space::Core;
        transfer.to.step[0] = element;
        transfer.to.offset =
            isa::window::PsumBase + isa::window::PsumPartitionStride - 4 * std::uint64_t{below(1000)};
        return transfer;
    }

    neff::Transfer transposed() {
        neff::Transfer transfer;
        transfer.transposes = true;
        transfer.element_bytes = 1U << below(3);
        transfer.from.count = {1 + below(40), 1, 1, 1};
        const std::size_t outermost = 1 + below(3);
        for (std::size_t dim = 1; dim < outermost; ++dim) transfer.from.count[dim] = 1 + below(2);
        transfer.from.count[outermost] = 2 + below(50);
        transfer.to.count = transfer.from.count;
        place(transfer.from, Part::From, transfer.element_bytes, false);
        place(transfer.to, Part::To, transfer.element_bytes, true);
        return transfer;
    }

    neff::Combination combination() {
        constexpr std::array Operations{isa::AluOp::Add, isa::AluOp::Multiply, isa::AluOp::Min,
                                        isa::AluOp::Max};
        constexpr std::array Dtypes{isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16,   isa::Dtype::I32,
                                    isa::Dtype::U8,   isa::Dtype::Tf32, isa::Dtype::Fp8E4m3};
        return {one_of(Operations), one_of(Dtypes)};
    }

    neff::Transfer combined() {
        neff::Transfer transfer;
        transfer.combination = combination();
        transfer.element_bytes = isa::element_size(transfer.combination->dtype);
        if (one_in(4)) {  // more than the registers of an engine
            const std::uint32_t element = transfer.element_bytes, elements = 5000 + below(9000);
            for (Pattern* pattern : {&transfer.from, &transfer.to}) {
                pattern->count = {elements, 1, 1, 1};
                pattern->step = {element, 0, 0, 0};
                pattern->tensor = add_tensor(std::uint64_t{element} * elements);
            }
            return transfer;
        }
        transfer.from.count = counts();
        transfer.to.count = regrouped(transfer.from.count);
        place(transfer.from, Part::From, transfer.element_bytes, false);
        place(transfer.to, Part::To, transfer.element_bytes, true);
        return transfer;
    }

    // Makes a gather or a scatter, which may combine.
    neff::Transfer rows(bool scatter) {
        neff::Transfer transfer;
        transfer.element_bytes = one_of(Elements);
        neff::Indirect indirect;
        indirect.scatter = scatter;
        if (scatter && one_in(2)) {
            transfer.combination = combination();
            transfer.element_bytes = isa::element_size(transfer.combination->dtype);
        } else {
            indirect.skip = one_in(2);
        }
        const std::uint32_t element = transfer.element_bytes;
        const std::uint32_t inner = one_of(Sizes), outer = one_of(Sizes);
        const std::uint64_t most = MostElements / inner / outer;
        const std::uint32_t rows = 1 + below(std::min<std::uint64_t>(most, one_in(4) ? 300 : 40));
        Pattern& table = scatter ? transfer.to : transfer.from;
        Pattern& other = scatter ? transfer.from : transfer.to;
        table.count = {inner, outer, 1, 1};
        spread({{&table.step[0], inner}, {&table.step[1], outer}}, element, 1);
        const std::int64_t extent =
            std::abs(table.step[0]) * (inner - 1) + std::abs(table.step[1]) * (outer - 1) + element;
        indirect.step = extent + below(20);
        if (one_in(3)) indirect.step = -indirect.step;
        if (!scatter && one_in(5)) indirect.step = below(10);
        indirect.first = static_cast<std::int32_t>(below(20)) - 10;
        indirect.last = indirect.first + static_cast<std::int32_t>(rows + below(30));
        const std::int64_t way = indirect.step * (std::int64_t{indirect.last} - indirect.first);
        // All rows of the pattern begin at one place; the indices give their distances from there.
        const Pattern shape = table;
        table.count = {inner, outer, rows, 1};
        in_tensor(table, shape, element, way);
        other.count = one_in(2) ? table.count : Counts{inner * outer, rows, 1, 1};
        place(other, scatter ? Part::From : Part::To, element, !scatter);
        indirect.index.count = {rows, 1, 1, 1};
        place(indirect.index, Part::Index, 4, true, 4);
        transfer.indirect = indirect;
        return transfer;
    }

    void in_tensor(Pattern& table, const Pattern& shape, std::uint32_t element, std::int64_t way) {
        table.step = shape.step;
        choose_iterations(table);
        iterate(table, 1);
        const auto [low, high] = reach(table);
        const std::int64_t down = low + std::min<std::int64_t>(way, 0),
                           up = high + std::max<std::int64_t>(way, 0);
        table.offset = static_cast<std::uint64_t>(-down);
        table.tensor = add_tensor(static_cast<std::uint64_t>(up - down + element));
    }

    std::mt19937_64& random_;
    neff::Package package_;
    bool in_loop_ = false;
};

}  // namespace

config::Config random_config(std::mt19937_64& random) {
    constexpr std::array<std::uint64_t, 8> Engines{1, 2, 3, 5, 7, 11, 13, 16};
    config::Config config = trn1_config();
    config.dma.engines = Engines[random() % Engines.size()];
    if (random() % 2 == 0) {
        config.core.array = {16, 16};
        config.core.partitions = 16;
        config.core.sbuf_partition = 12345;
    }
    config.hbm.stacks = 1 + random() % 2;
    return config;
}

neff::Package random_package(const config::Config& config, std::mt19937_64& random) {
    return Generator(config, random).make();
}

}  // namespace trnsim::test
