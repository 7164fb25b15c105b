#include "testbench/trial/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/operand.hpp"
#include "testbench/functional/storage.hpp"

namespace trnsim::trial {
namespace {

namespace field = isa::field;
using functional::Operand;
using functional::Place;
using functional::Written;
using isa::Instruction;
using isa::Opcode;
using isa::Role;
using Space = neff::Pattern::Space;

constexpr std::uint64_t Last = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t MostWrites = 64;  // of a chain of transfers

// Instructions whose element i is made of element i of each operand.
constexpr std::array Elementwise{
    Opcode::TensorTensor,       Opcode::TensorScalar,    Opcode::TensorScalarReduce,
    Opcode::ScalarTensorTensor, Opcode::TensorCopy,      Opcode::TensorCopyPredicated,
    Opcode::SelectReduce,       Opcode::Reciprocal,      Opcode::Dropout,
    Opcode::Activation,         Opcode::ActivationReduce};
// Instructions whose result in a partition is made of several partitions.
constexpr std::array AcrossPartitions{Opcode::StreamShuffle, Opcode::TransposeBlock};

bool is_in(std::span<const Opcode> opcodes, Opcode opcode) {
    return std::ranges::find(opcodes, opcode) != opcodes.end();
}

bool covers(const Written& written, const Place& place) {
    return written.to.space == place.space && written.to.tensor == place.tensor &&
           written.to.byte <= place.byte && place.byte < written.to.byte + written.bytes;
}

std::uint64_t bits_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), bytes.size());
    return bits;
}

// Returns the storage bits of an element; none if nothing has written it, and in a GpSimd core.
std::optional<std::uint64_t> bits_at(const functional::CoreMemory& core,
                                     const std::vector<std::vector<std::uint8_t>>& tensors,
                                     const Spot& spot) {
    const std::uint32_t width = isa::element_size(spot.dtype);
    if (spot.place.space == Space::Tensor)
        return bits_of(std::span(tensors[spot.place.tensor]).subspan(spot.place.byte, width));
    if (spot.place.space != Space::Core || spot.place.byte >= isa::window::GpsimdTcmBase) return std::nullopt;
    const auto address = static_cast<std::uint32_t>(spot.place.byte);
    if (!core.is_written(address)) return std::nullopt;
    std::array<std::uint8_t, 4> bytes{};
    core.copy_out(address, std::span(bytes).first(width));
    return bits_of(std::span(bytes).first(width));
}

Spot in_core(std::uint32_t address, isa::Dtype dtype) {
    return {{Space::Core, 0, address}, dtype};
}

// A write that is looked for: the last one of a byte before write number `before` of the run, and if `engine`
// is set by its step number `number`.
struct Goal {
    Spot spot;
    std::uint64_t before = Last;
    std::optional<isa::Engine> engine{};
    std::size_t number = 0;
};

struct Hit {
    std::uint64_t order = 0;  // number of the write
    Writer writer;
};

// The place of an element among an instruction's results.
struct Result {
    std::uint32_t lane = 0;  // partition, from that of the first result on
    std::size_t index = 0;   // in the partition
};

class LastWrites : public functional::Watcher {
  public:
    LastWrites(const neff::Package& package, std::vector<Goal> goals)
        : package_(package),
          orders_(neff::ring_orders(package)),
          goals_(std::move(goals)),
          hits_(goals_.size()) {}

    void run(const Trial& trial, const functional::RoundingControl& rounding,
             const functional::Limits& limits) {
        std::vector<std::string> races;
        functional::Interpreter machine(
            package_, {.rounding = rounding, .limits = limits, .watcher = this, .races = &races});
        for (const auto& [name, bytes] : trial.inputs) machine.set(name, bytes);
        machine.run();
        std::vector<std::vector<std::uint8_t>> tensors;
        for (const neff::Tensor& tensor : package_.tensors) tensors.push_back(machine.get(tensor.name));
        take_bits(machine.core(), tensors);
    }

    std::vector<std::optional<Hit>>& hits() { return hits_; }

    void begins(isa::Engine engine, std::size_t pc, const Instruction& instruction,
                const functional::Storage& storage) override {
        take_bits(storage.core, storage.tensors);
        step_ = {engine, pc};
        number_ = executed_.at(static_cast<std::size_t>(engine))++;
        instruction_ = instruction;
        storage_ = &storage;
        if (instruction.opcode() == Opcode::LoadStationary) stationary_ = instruction;
    }

    void writes(const Written& written) override {
        const std::uint64_t order = order_++;
        // The last write of a transfer is in memory by now, and this one may replace it.
        take_bits(storage_->core, storage_->tensors, true);
        for (std::size_t i = 0; i < goals_.size(); ++i) {
            const Goal& goal = goals_[i];
            if (goal.engine && (*goal.engine != step_.engine || goal.number != number_)) continue;
            if (order < goal.before && covers(written, goal.spot.place))
                hits_[i] = hit(goal.spot, written, order);
        }
    }

  private:
    void take_bits(const functional::CoreMemory& core, const std::vector<std::vector<std::uint8_t>>& tensors,
                   bool of_transfers = false) {
        for (std::optional<Hit>& hit : hits_) {
            if (!hit || hit->writer.bits || (of_transfers && !hit->writer.transfer)) continue;
            hit->writer.bits = bits_at(core, tensors, hit->writer.spot);
        }
    }

    Hit hit(const Spot& spot, const Written& written, std::uint64_t order) const {
        Hit hit{.order = order, .writer = {.spot = spot, .step = step_, .number = number_, .text = {}}};
        if (written.agent >= neff::EngineCount) {
            const std::uint32_t queue = package_.transfers[written.work].queue;
            hit.writer.transfer = orders_[queue].at(written.time - 1);
            hit.writer.text = functional::describe_transfer(package_, hit.writer.transfer->transfer,
                                                            hit.writer.transfer->iteration);
            if (written.from) explain_transfer(hit.writer, written);
            return hit;
        }
        hit.writer.text =
            functional::describe_instruction(package_, static_cast<std::size_t>(step_.engine), step_.pc);
        if (instruction_.info()->uses_dst) explain(hit.writer);
        return hit;
    }

    // Sets the sources of a transfer that has not written its bytes yet.
    void explain_transfer(Writer& writer, const Written& written) const {
        Spot from{*written.from, writer.spot.dtype};
        from.place.byte += writer.spot.place.byte - written.to.byte;
        const auto& combination = package_.transfers[written.work].combination;
        if (!combination) {
            writer.sources = {{.role = "source", .first = from}};
            return;
        }
        writer.combined = combination->op;
        for (const auto& [role, spot] : {std::pair{"moved", from}, {"before", writer.spot}})
            writer.sources.push_back(
                {.role = role, .first = spot, .bits = bits_at(storage_->core, storage_->tensors, spot)});
    }

    Operand operand(const Instruction& instruction, Role role) const {
        return functional::operand_of(instruction, package_.target, role,
                                      functional::operand_partitions(instruction, package_.target, role));
    }

    // Sets the element's place among the results, its type and its sources. Other places of an instruction of
    // the data path are not written by its dst.
    void explain(Writer& writer) const {
        const target::Core& target = package_.target;
        const Operand dst = operand(instruction_, Role::Dst);
        const target::Location first = functional::locate(target, dst.address);
        const target::Location here =
            functional::locate(target, static_cast<std::uint32_t>(writer.spot.place.byte));
        const std::int64_t offset = std::int64_t{here.offset} - first.offset;
        const auto width = static_cast<std::int64_t>(isa::element_size(dst.dtype));
        const auto found = std::ranges::find_if(
            dst.offsets.rbegin(), dst.offsets.rend(),
            [&](std::int64_t begin) { return begin <= offset && offset < begin + width; });
        if (found == dst.offsets.rend()) return;
        const Result result{here.partition - first.partition,
                            static_cast<std::size_t>(dst.offsets.rend() - found) - 1};
        writer.index = result.index;
        writer.elements = dst.offsets.size();
        writer.spot = in_core(functional::element_address(target, dst, result.lane, result.index), dst.dtype);
        writer.twin = functional::element_address(target, dst, 0, result.index);
        writer.sources = instruction_.opcode() == Opcode::MultiplyMoving ? of_matmul(writer.spot, result)
                                                                         : of_operands(result);
    }

    Source element(std::string role, std::uint32_t address, isa::Dtype dtype) const {
        Source source{.role = std::move(role), .first = in_core(address, dtype)};
        source.bits = bits_at(storage_->core, storage_->tensors, source.first);
        return source;
    }

    // A column of the array multiplies an element of every row.
    std::vector<Source> of_matmul(const Spot& sum, const Result& result) const {
        std::vector<Source> sources;
        const auto column = [&](const char* role, const Operand& operand, std::size_t index) {
            if (index >= operand.offsets.size()) return;
            sources.push_back(
                {.role = role,
                 .first =
                     in_core(functional::element_address(package_.target, operand, 0, index), operand.dtype),
                 .partitions = operand.partitions});
        };
        column("moving", operand(instruction_, Role::A), result.index);
        if (stationary_) column("stationary", operand(*stationary_, Role::A), result.lane);
        if (instruction_.get(field::Accumulate) != 0)
            sources.push_back(element("before", static_cast<std::uint32_t>(sum.place.byte), sum.dtype));
        return sources;
    }

    std::vector<Source> of_operands(const Result& result) const {
        const target::Core& target = package_.target;
        const bool elementwise = is_in(Elementwise, instruction_.opcode());
        const bool across = is_in(AcrossPartitions, instruction_.opcode());
        std::vector<Source> sources;
        for (const auto& [role, name, used] : {std::tuple{Role::A, "a", instruction_.info()->uses_a},
                                               {Role::B, "b", instruction_.reads_b()}}) {
            if (!used) continue;
            const Operand read = operand(instruction_, role);
            if (elementwise && result.index < read.offsets.size()) {
                sources.push_back(element(
                    name, functional::element_address(target, read, result.lane, result.index), read.dtype));
                continue;
            }
            const std::uint32_t lane = across ? 0 : result.lane;
            sources.push_back(
                {.role = name,
                 .first = in_core(functional::element_address(target, read, lane, 0), read.dtype),
                 .elements = read.offsets.size(),
                 .partitions = across ? read.partitions : 1});
        }
        for (const Operand& read : functional::vector_operands(step_.engine, instruction_))
            sources.push_back(
                element("operand", functional::element_address(target, read, result.lane, 0), read.dtype));
        return sources;
    }

    const neff::Package& package_;
    std::vector<neff::RingOrder> orders_;  // by queue
    std::vector<Goal> goals_;
    std::vector<std::optional<Hit>> hits_;  // by goal
    std::uint64_t order_ = 0;               // number of writes so far
    std::array<std::size_t, neff::EngineCount> executed_{};
    // The instruction at work:
    Step step_;
    std::size_t number_ = 0;
    Instruction instruction_;
    const functional::Storage* storage_ = nullptr;
    std::optional<Instruction> stationary_{};  // the last load of the stationary operand
};

std::vector<std::optional<Hit>> last_writes(const Trial& trial, const functional::RoundingControl& rounding,
                                            const functional::Limits& limits, std::vector<Goal> goals) {
    LastWrites watcher(trial.package, std::move(goals));
    watcher.run(trial, rounding, limits);
    return std::move(watcher.hits());
}

// A source whose last write is looked for next.
struct Open {
    Goal goal;
    std::size_t writer = 0, source = 0;
};

// Adds the sources of a write that some write of the run may have written.
void add_sources(const Writer& writer, std::size_t index, std::uint64_t order, std::vector<Open>& open) {
    for (std::size_t i = 0; i < writer.sources.size(); ++i) {
        if (writer.sources[i].first.place.space != Space::Image)
            open.push_back({{writer.sources[i].first, order}, index, i});
    }
}

}  // namespace

std::string describe(const neff::Package& package, const Spot& spot) {
    if (spot.place.space == Space::Core)
        return isa::format_address(static_cast<std::uint32_t>(spot.place.byte),
                                   target::sbuf_partition_stride(package.target));
    if (spot.place.space == Space::Image)
        return fmt::format("byte {} of image '{}'", spot.place.byte, package.images[spot.place.tensor].name);
    const neff::Tensor& tensor = package.tensors[spot.place.tensor];
    return fmt::format("{} {}", tensor.name,
                       position(tensor, spot.place.byte / isa::element_size(tensor.dtype)));
}

std::vector<Writer> writers_of(const Trial& trial, const functional::RoundingControl& rounding,
                               std::size_t tensor, std::size_t element, const functional::Limits& limits) {
    const isa::Dtype dtype = trial.package.tensors[tensor].dtype;
    const Goal last{
        {{Space::Tensor, static_cast<std::uint32_t>(tensor), element * isa::element_size(dtype)}, dtype}};
    std::optional<Hit> hit = last_writes(trial, rounding, limits, {last}).front();
    if (!hit) return {};
    std::vector<Writer> writers{std::move(hit->writer)};
    std::vector<Open> open;
    add_sources(writers.front(), 0, hit->order, open);
    while (!open.empty()) {  // a run of the interpreter for each step back
        std::vector<Goal> goals;
        for (const Open& one : open) goals.push_back(one.goal);
        std::vector<std::optional<Hit>> hits = last_writes(trial, rounding, limits, std::move(goals));
        const std::vector<Open> looked_for = std::exchange(open, {});
        for (std::size_t i = 0; i < hits.size(); ++i) {
            if (!hits[i]) continue;
            Writer& writer = writers[looked_for[i].writer];
            Source& source = writer.sources[looked_for[i].source];
            source.writer = hits[i]->writer.text;
            if (!writer.transfer || writers.size() == MostWrites) continue;
            source.write = writers.size();
            add_sources(hits[i]->writer, writers.size(), hits[i]->order, open);
            writers.push_back(std::move(hits[i]->writer));
        }
    }
    return writers;
}

std::optional<Writer> write_of(const Trial& trial, const functional::RoundingControl& rounding,
                               isa::Engine engine, std::size_t number, std::uint32_t address) {
    const Goal goal{.spot = in_core(address, isa::Dtype::U8), .engine = engine, .number = number};
    std::optional<Hit> hit = last_writes(trial, rounding, {}, {goal}).front();
    return hit ? std::optional(std::move(hit->writer)) : std::nullopt;
}

const Writer* computed(const std::vector<Writer>& writers) {
    if (writers.empty()) return nullptr;
    const Writer* writer = &writers.front();
    while (writer->transfer && !writer->combined) {
        if (writer->sources.empty() || !writer->sources.front().write) return &writers.front();
        writer = &writers[*writer->sources.front().write];
    }
    return writer;
}

bool is_unwritten(const neff::Package& package, const Source& source) {
    const Place& place = source.first.place;
    if (!source.writer.empty() || place.space == Space::Image) return false;
    return place.space == Space::Core || !neff::is_input(package.tensors[place.tensor].kind);
}

std::string origin_text(const neff::Package& package, const std::vector<Writer>& writers) {
    const Writer* first = computed(writers);
    if (first == nullptr) return "";
    if (!first->transfer) return fmt::format("; computed by {}", first->text);
    if (first->combined)
        return fmt::format("; {} of {} and {} by {}", isa::name_of(*first->combined),
                           describe(package, first->sources[0].first),
                           describe(package, first->sources[1].first), first->text);
    first = &writers.back();  // each has one source, so the last one begins the move
    if (first->sources.empty()) return "";
    return fmt::format("; moved from {} by {}{}", describe(package, first->sources.front().first),
                       first->text,
                       is_unwritten(package, first->sources.front()) ? "; nothing has written it there" : "");
}

}  // namespace trnsim::trial
