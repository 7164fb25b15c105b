#include "testbench/trial/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "arch/target/memory.hpp"
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
    std::optional<Place> from{};  // set if the bytes were moved
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

    void run(const Trial& trial, const functional::RoundingControl& rounding) {
        std::vector<std::string> races;
        functional::Interpreter machine(package_, {.rounding = rounding, .watcher = this, .races = &races});
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
        for (std::size_t i = 0; i < goals_.size(); ++i) {
            const Goal& goal = goals_[i];
            if (goal.engine && (*goal.engine != step_.engine || goal.number != number_)) continue;
            if (order < goal.before && covers(written, goal.spot.place))
                hits_[i] = hit(goal.spot, written, order);
        }
    }

  private:
    void take_bits(const functional::CoreMemory& core,
                   const std::vector<std::vector<std::uint8_t>>& tensors) {
        for (std::optional<Hit>& hit : hits_)
            if (hit && !hit->writer.bits) hit->writer.bits = bits_at(core, tensors, hit->writer.spot);
    }

    Hit hit(const Spot& spot, const Written& written, std::uint64_t order) const {
        Hit hit{.order = order, .writer = {.spot = spot, .step = step_, .number = number_, .text = {}}};
        if (written.agent >= neff::EngineCount) {
            const std::uint32_t queue = package_.transfers[written.work].queue;
            hit.writer.transfer = orders_[queue].at(written.time - 1);
            hit.writer.text = functional::describe_transfer(package_, hit.writer.transfer->transfer,
                                                            hit.writer.transfer->iteration);
            hit.from = written.from;
            if (hit.from) hit.from->byte += spot.place.byte - written.to.byte;
            return hit;
        }
        hit.writer.text =
            functional::describe_instruction(package_, static_cast<std::size_t>(step_.engine), step_.pc);
        if (instruction_.info()->uses_dst) explain(hit.writer);
        return hit;
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
                                            std::vector<Goal> goals) {
    LastWrites watcher(trial.package, std::move(goals));
    watcher.run(trial, rounding);
    return std::move(watcher.hits());
}

// Adds what wrote the first element of each source before the write.
void name_writers(const Trial& trial, const functional::RoundingControl& rounding, Hit& hit) {
    std::vector<Goal> goals;
    for (const Source& source : hit.writer.sources) goals.push_back({source.first, hit.order});
    if (goals.empty()) return;
    const auto found = last_writes(trial, rounding, goals);
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i]) hit.writer.sources[i].writer = found[i]->writer.text;
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
                               std::size_t tensor, std::size_t element) {
    const isa::Dtype dtype = trial.package.tensors[tensor].dtype;
    Goal goal{
        {{Space::Tensor, static_cast<std::uint32_t>(tensor), element * isa::element_size(dtype)}, dtype}};
    std::vector<Writer> writers;
    while (writers.size() < MostWrites) {
        std::optional<Hit> hit = last_writes(trial, rounding, {goal}).front();
        if (!hit) break;
        if (hit->from) {
            goal = {{*hit->from, dtype}, hit->order};
            hit->writer.sources = {{.role = "source", .first = goal.spot}};
        } else {
            name_writers(trial, rounding, *hit);
        }
        writers.push_back(std::move(hit->writer));
        if (!hit->from || hit->from->space == Space::Image) break;
    }
    return writers;
}

std::optional<Writer> write_of(const Trial& trial, const functional::RoundingControl& rounding,
                               isa::Engine engine, std::size_t number, std::uint32_t address) {
    const Goal goal{.spot = in_core(address, isa::Dtype::U8), .engine = engine, .number = number};
    std::optional<Hit> hit = last_writes(trial, rounding, {goal}).front();
    return hit ? std::optional(std::move(hit->writer)) : std::nullopt;
}

const Writer* computed(const std::vector<Writer>& writers) {
    if (writers.empty()) return nullptr;
    return writers.back().transfer ? &writers.front() : &writers.back();
}

std::string origin_text(const neff::Package& package, const std::vector<Writer>& writers) {
    if (writers.empty()) return "";
    const Writer& first = writers.back();
    if (!first.transfer) return fmt::format("; computed by {}", first.text);
    if (first.sources.empty()) return "";
    return fmt::format("; moved from {} by {}", describe(package, first.sources.front().first), first.text);
}

}  // namespace trnsim::trial
