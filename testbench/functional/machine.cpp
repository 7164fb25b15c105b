#include "testbench/functional/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "testbench/functional/scalar_engine.hpp"
#include "testbench/functional/transfer.hpp"
#include "testbench/functional/vector_engine.hpp"
#include "testbench/isa/disassembler.hpp"
#include "testbench/neff/check.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

// Rounds in which nothing happens outside the sequencers, until they count as caught in their loops.
constexpr std::uint64_t MaxIdleRounds = 1'000'000;

std::size_t agents_of(const neff::Package& package) {
    return neff::EngineCount + package.queues.size();
}

std::array<RaceCheck, 2> race_checks(const neff::Package& package) {
    const std::size_t agents = agents_of(package);
    return {RaceCheck(package.target.sbuf_partition, agents),
            RaceCheck(package.target.psum_partition, agents)};
}

}  // namespace

Machine::Machine(const neff::Package& package, Options options)
    : package_(package),
      executed_(std::move(options.executed)),
      random_(options.seed),
      shuffle_(options.seed != 0),
      memory_(package.target),
      tensor_engine_(package.target),
      vector_state_(package.target, isa::Engine::Vector, options.rounding),
      scalar_state_(package.target, isa::Engine::Scalar, options.rounding),
      queues_(package.queues.size()),
      races_(race_checks(package)) {
    neff::check(package);
    for (const neff::Tensor& tensor : package.tensors) tensors_.emplace_back(neff::tensor_bytes(tensor));
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        streams_[i].halted = package.programs[i].empty();
        streams_[i].clock.resize(agents_of(package));
    }
    for (Queue& queue : queues_) queue.clock.resize(agents_of(package));
}

std::size_t Machine::tensor_index(const std::string& name) const {
    const auto found = std::ranges::find(package_.tensors, name, &neff::Tensor::name);
    if (found == package_.tensors.end()) throw Error(fmt::format("the kernel has no tensor '{}'", name));
    return static_cast<std::size_t>(found - package_.tensors.begin());
}

void Machine::set(const std::string& tensor, std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t>& contents = tensors_[tensor_index(tensor)];
    if (bytes.size() != contents.size()) {
        throw Error(fmt::format("tensor '{}' has {} bytes, got {}", tensor, contents.size(), bytes.size()));
    }
    std::ranges::copy(bytes, contents.begin());
}

const std::vector<std::uint8_t>& Machine::get(const std::string& tensor) const {
    return tensors_[tensor_index(tensor)];
}

void Machine::run() {
    std::vector<std::size_t> order(agents_of(package_));
    std::iota(order.begin(), order.end(), 0);
    std::uint64_t idle_rounds = 0;
    while (!finished()) {
        if (shuffle_) std::ranges::shuffle(order, random_);
        bool progress = false;
        only_registers_ = true;
        for (const std::size_t agent : order) progress = step(agent) || progress;
        if (!progress) report("deadlock");
        idle_rounds = only_registers_ ? idle_rounds + 1 : 0;
        if (idle_rounds == MaxIdleRounds) report("no end");
    }
}

bool Machine::finished() const {
    return std::ranges::all_of(streams_, &Stream::halted) &&
           std::ranges::all_of(queues_,
                               [](const Queue& queue) { return queue.next == queue.waiting.size(); });
}

std::string Machine::agent_name(std::size_t agent) const {
    if (agent < streams_.size()) return std::string(isa::name_of(static_cast<isa::Engine>(agent)));
    return package_.queues[agent - streams_.size()].name;
}

void Machine::report(const char* what) const {
    std::string text = fmt::format("{}:", what);
    for (std::size_t engine = 0; engine < streams_.size(); ++engine) {
        if (streams_[engine].halted) continue;
        const Instruction& instruction = package_.programs[engine][streams_[engine].pc];
        text += fmt::format(" {} at {} [{}] with S[{}]={};", agent_name(engine), streams_[engine].pc,
                            isa::disassemble(instruction), instruction.get(field::WaitSem),
                            semaphores_[instruction.get(field::WaitSem)]);
    }
    throw Error(text);
}

bool Machine::step(std::size_t agent) {
    return agent < streams_.size() ? step_engine(agent) : step_queue(agent - streams_.size());
}

bool Machine::step_engine(std::size_t engine) {
    Stream& stream = streams_[engine];
    if (stream.halted) return false;
    const Instruction instruction = stream.registers.effective(package_.programs[engine][stream.pc]);
    if (!satisfied(instruction)) return false;
    const bool scalar = is_scalar(instruction.opcode());
    if (instruction.opcode() <= Opcode::RegisterStore && !scalar) stream.drained = stream.time;
    const auto mode = static_cast<isa::WaitMode>(instruction.get(field::WaitMode));
    learn(engine, instruction.get(field::WaitSem),
          static_cast<std::uint32_t>(instruction.get(field::WaitValue)),
          mode == isa::WaitMode::Ge || mode == isa::WaitMode::Eq,
          mode == isa::WaitMode::Le || mode == isa::WaitMode::Eq);
    only_registers_ = only_registers_ && (scalar || instruction.opcode() == Opcode::RegisterLoad);
    try {
        execute(engine, instruction);
    } catch (const std::runtime_error& error) {
        throw Error(fmt::format("{} instruction {} [{}]: {}", agent_name(engine), stream.pc,
                                isa::disassemble(package_.programs[engine][stream.pc]), error.what()));
    }
    if (executed_) executed_(static_cast<isa::Engine>(engine), instruction);
    const bool jump = instruction.opcode() == Opcode::Branch && stream.registers.taken(instruction);
    stream.pc = jump ? static_cast<std::size_t>(instruction.get(field::Target)) : stream.pc + 1;
    return true;
}

void Machine::execute(std::size_t engine, const Instruction& instruction) {
    Stream& stream = streams_[engine];
    const isa::InstructionInfo* info = instruction.info();
    if (info == nullptr || (info->engines >> engine & 1) == 0)
        throw Error("this engine does not have the instruction");
    const bool data_path = info->uses_dst || info->uses_a;
    ++stream.time;
    Clock clock =
        stream.clock;  // what is known when the instruction completes: everything before it in the stream
    clock[engine] = stream.time;
    if (data_path) check_operands(engine, instruction, clock);
    switch (instruction.opcode()) {
        case Opcode::Halt:
            stream.halted = true;
            break;
        case Opcode::Nop:
        case Opcode::EventSemaphore:
        case Opcode::Branch:
            break;
        case Opcode::RegisterAlu:
            stream.registers.calculate(instruction);
            break;
        case Opcode::RegisterLoad:
            load_register(engine, instruction, clock);
            break;
        case Opcode::RegisterStore:
            store_register(engine, instruction, clock);
            break;
        case Opcode::DmaTrigger: {
            const auto transfer = static_cast<std::size_t>(instruction.get(field::Address));
            queues_[package_.transfers[transfer].queue].waiting.push_back({transfer, stream.clock});
            break;
        }
        case Opcode::LoadStationary:
            tensor_engine_.load_stationary(instruction, memory_);
            break;
        case Opcode::MultiplyMoving:
            tensor_engine_.multiply_moving(instruction, memory_);
            break;
        default:
            run_lanes(engine, instruction);
    }
    update(engine, static_cast<isa::UpdateMode>(instruction.get(field::UpdateMode)),
           instruction.get(field::UpdateSem), static_cast<std::uint32_t>(instruction.get(field::UpdateValue)),
           clock);
}

void Machine::run_lanes(std::size_t engine, const Instruction& instruction) {
    switch (static_cast<isa::Engine>(engine)) {
        case isa::Engine::Vector:
            return run_vector(instruction, package_.target, vector_state_, memory_);
        case isa::Engine::Scalar:
            return run_scalar(instruction, package_.target, scalar_state_, memory_);
        default:
            throw Error("the instruction is not modelled");
    }
}

bool Machine::step_queue(std::size_t index) {
    Queue& queue = queues_[index];
    if (queue.next == queue.waiting.size()) return false;
    const Triggered& triggered = queue.waiting[queue.next++];
    const neff::Transfer& transfer = package_.transfers[triggered.transfer];
    ++queue.time;
    join(queue.clock, triggered.clock);
    queue.clock[streams_.size() + index] = queue.time;
    try {
        check_pattern(index, transfer, transfer.from, false);
        check_pattern(index, transfer, transfer.to, true);
        run_transfer(transfer, tensors_, memory_);
    } catch (const std::runtime_error& error) {
        throw Error(fmt::format("{} transfer {} '{}': {}", agent_name(streams_.size() + index),
                                triggered.transfer, transfer.name, error.what()));
    }
    const auto increments = static_cast<std::uint32_t>(package_.target.dma_engines);
    semaphores_[transfer.semaphore] += increments;
    history_[transfer.semaphore].changed(isa::UpdateMode::Add, increments, streams_.size() + index,
                                         queue.time, queue.clock);
    return true;
}

void Machine::check_pattern(std::size_t queue, const neff::Transfer& transfer, const neff::Pattern& pattern,
                            bool write) {
    if (pattern.place != neff::Pattern::Place::Core) return;
    // The extent within a partition: dimensions that step from partition to partition do not count.
    const auto stride = static_cast<std::int64_t>(builder::partition_stride(
        package_.target,
        builder::locate(package_.target, static_cast<std::uint32_t>(pattern.offset)).memory));
    std::int64_t low = 0, high = transfer.element_bytes;
    for (std::size_t dim = 0; dim < pattern.count.size(); ++dim) {
        const std::int64_t span =
            pattern.step[dim] % stride == 0 ? 0 : pattern.step[dim] * (pattern.count[dim] - 1LL);
        (span < 0 ? low : high) += span;
    }
    check_access(streams_.size() + queue, pattern.offset, low, high, write, queues_[queue].time,
                 queues_[queue].clock);
}

void Machine::check_operands(std::size_t engine, const Instruction& instruction, const Clock& clock) {
    const isa::InstructionInfo& info = *instruction.info();
    const auto check = [&](bool used, Role role, bool write) {
        if (!used) return;
        const Operand operand = operand_of(instruction, package_.target, role, 1);
        const auto [low, high] = std::ranges::minmax(operand.offsets);
        check_access(engine, operand.address, low, high + neff::element_bytes(operand.dtype), write,
                     streams_[engine].time, clock);
    };
    check(info.uses_a, Role::A, false);
    const bool immediate_b = info.format == "binary" && instruction.get(field::BImmediate) != 0;
    check(info.uses_b && !immediate_b, Role::B, false);
    check(info.uses_dst, Role::Dst, true);
    for (const std::uint32_t address : vector_addresses(instruction)) {
        check_access(engine, address, 0, 4, false, streams_[engine].time, clock);
    }
}

void Machine::check_access(std::size_t agent, std::uint64_t address, std::int64_t low, std::int64_t high,
                           bool write, std::uint32_t now, const Clock& clock) {
    const builder::Location location = builder::locate(package_.target, static_cast<std::uint32_t>(address));
    RaceCheck& races = races_[static_cast<std::size_t>(location.memory)];
    const std::int64_t first = location.offset + low;
    const std::int64_t end = location.offset + high;
    if (first < 0 ||
        static_cast<std::uint64_t>(end) > builder::partition_bytes(package_.target, location.memory)) {
        throw Error(fmt::format("bytes {} to {} are outside a partition of {}", first, end - 1,
                                builder::name_of(location.memory)));
    }
    const auto check = write ? &RaceCheck::write : &RaceCheck::read;
    const int other =
        (races.*check)(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end), agent, now, clock);
    if (other < 0) return;
    throw Error(fmt::format("race: {} of {} +0x{:x} to 0x{:x} is not ordered with an access of {}",
                            write ? "a write" : "a read", builder::name_of(location.memory), first, end - 1,
                            agent_name(static_cast<std::size_t>(other))));
}

}  // namespace trnsim::functional
