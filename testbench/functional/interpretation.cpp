#include "testbench/functional/interpretation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isa/element_type.hpp"
#include "testbench/functional/refusal.hpp"
#include "testbench/functional/scalar_engine.hpp"
#include "testbench/functional/vector_engine.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

// The number of rounds with no progress outside the sequencers after which their loops count as endless.
constexpr std::uint64_t MaxIdleRounds = 1'000'000;

}  // namespace

Interpretation::Interpretation(const neff::Package& package, const Options& options,
                               const std::vector<std::vector<std::uint8_t>>& tensors, Histories& histories,
                               const Meets& meets)
    : package_(package),
      agents_(package),
      executed_(options.executed),
      began_(options.began),
      watcher_(options.watcher),
      random_(options.seed),
      shuffle_(options.adversary == Adversary::Random),
      journal_(package),
      storage_(package, tensors, journal_, options.races, options.watcher),
      budget_(options.limits, package),
      dma_(
          package, storage_, journal_, options.adversary, random_,
          [this](std::size_t transfer, const Actor& actor) { completed(transfer, actor); }, meets, budget_),
      tensor_engine_(package.target),
      gpsimd_engine_(package, storage_),
      vector_state_(package.target, isa::Engine::Vector, options.rounding),
      scalar_state_(package.target, isa::Engine::Scalar, options.rounding),
      history_(histories) {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        streams_[i].halted = package.programs[i].empty();
        streams_[i].clock.resize(agents_.clock_entries());
    }
}

void Interpretation::run() {
    advance();
    expect_end();
}

bool Interpretation::advance() {
    std::array<std::size_t, neff::EngineCount> order{};
    std::iota(order.begin(), order.end(), 0);
    std::uint64_t idle_rounds = 0;
    bool any = false;
    while (!finished()) {
        if (shuffle_) std::ranges::shuffle(order, random_);
        bool progress = false;
        only_registers_ = true;
        for (const std::size_t engine : order) progress = step_engine(engine) || progress;
        if (dma_.step(!progress || only_registers_)) {
            progress = true;
            only_registers_ = false;
        }
        if (!progress) break;
        any = true;
        idle_rounds = only_registers_ ? idle_rounds + 1 : 0;
        if (idle_rounds == MaxIdleRounds) report("no end");
    }
    return any;
}

void Interpretation::expect_end() const {
    if (!finished()) report("deadlock");
}

bool Interpretation::finished() const {
    return std::ranges::all_of(streams_, &Stream::halted) && dma_.idle();
}

void Interpretation::report(const char* what) const {
    std::string text = fmt::format("{}:", what);
    for (std::size_t engine = 0; engine < streams_.size(); ++engine) {
        if (streams_[engine].halted) continue;
        const std::size_t pc = streams_[engine].pc;
        const std::uint64_t semaphore = package_.programs[engine][pc].get(field::WaitSem);
        text += fmt::format(" {} with S[{}]={};", describe_instruction(package_, engine, pc), semaphore,
                            semaphores_[semaphore]);
    }
    throw Error(text);
}

bool Interpretation::step_engine(std::size_t engine) {
    Stream& stream = streams_[engine];
    if (stream.halted) return false;
    const Instruction instruction = stream.registers.effective(package_.programs[engine][stream.pc]);
    if (!satisfied(instruction)) return false;
    if (began_) began_(static_cast<isa::Engine>(engine), stream.pc);
    if (watcher_ != nullptr)
        watcher_->begins(static_cast<isa::Engine>(engine), stream.pc, instruction, storage_);
    const bool scalar = is_scalar(instruction.opcode());
    if (instruction.opcode() <= Opcode::RegisterStore && !scalar) stream.drained = stream.time;
    const auto mode = static_cast<isa::WaitMode>(instruction.get(field::WaitMode));
    if (mode != isa::WaitMode::None)
        learn(engine, stream.time + 1, instruction.get(field::WaitSem),
              static_cast<std::uint32_t>(instruction.get(field::WaitValue)),
              mode == isa::WaitMode::Ge || mode == isa::WaitMode::Eq,
              mode == isa::WaitMode::Le || mode == isa::WaitMode::Eq);
    only_registers_ = only_registers_ && (scalar || instruction.opcode() == Opcode::RegisterLoad);
    try {
        execute(engine, instruction);
    } catch (const std::runtime_error& error) {
        throw Error(fmt::format("{}: {}", describe_instruction(package_, engine, stream.pc), error.what()));
    }
    if (executed_) executed_(static_cast<isa::Engine>(engine), instruction);
    const bool jump = instruction.opcode() == Opcode::Branch && stream.registers.taken(instruction);
    stream.pc = jump ? static_cast<std::size_t>(instruction.get(field::Target)) : stream.pc + 1;
    return true;
}

void Interpretation::execute(std::size_t engine, const Instruction& instruction) {
    Stream& stream = streams_[engine];
    const auto which = static_cast<isa::Engine>(engine);
    require_accepted(which, instruction, package_.target, {tensor_engine_, vector_state_, scalar_state_});
    budget_.add(which, stream.pc, instruction);
    const isa::InstructionInfo* info = instruction.info();
    const bool data_path = info->uses_dst || info->uses_a;
    stream.clock[agents_.issue_entry(engine)] = ++stream.time;
    journal_.note(engine, stream.pc);
    Clock& clock = completion_;  // completion comes after everything before it in the stream
    clock = stream.clock;
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
        case Opcode::DmaTrigger:
            trigger(engine, static_cast<std::size_t>(instruction.get(field::Address)));
            break;
        case Opcode::LoadStationary:
            tensor_engine_.load_stationary(instruction, storage_.core);
            break;
        case Opcode::MultiplyMoving:
            tensor_engine_.multiply_moving(instruction, storage_.core);
            break;
        case Opcode::GpsimdArguments:
        case Opcode::GpsimdCommand:
        case Opcode::GpsimdStart: {
            const std::uint64_t before = storage_.accessed();
            gpsimd_engine_.execute(instruction, {engine, stream.time, &clock});
            budget_.add_bytes(storage_.accessed() - before);
            break;
        }
        default:
            run_lanes(engine, instruction);
    }
    update(engine, static_cast<isa::UpdateMode>(instruction.get(field::UpdateMode)),
           instruction.get(field::UpdateSem), static_cast<std::uint32_t>(instruction.get(field::UpdateValue)),
           clock);
}

void Interpretation::run_lanes(std::size_t engine, const Instruction& instruction) {
    switch (static_cast<isa::Engine>(engine)) {
        case isa::Engine::Vector:
            return run_vector(instruction, package_.target, vector_state_, storage_.core);
        case isa::Engine::Scalar:
            return run_scalar(instruction, package_.target, scalar_state_, storage_.core);
        default:
            throw Error("the instruction is not modelled");
    }
}

void Interpretation::trigger(std::size_t engine, std::size_t transfer) {
    const neff::Transfer& triggered = package_.transfers[transfer];
    budget_.add(triggered);
    for (std::size_t dma = 0; dma < agents_.dma_engines(); ++dma)
        history_[triggered.semaphore].announced(1, agents_.ring(triggered.queue, dma),
                                                streams_[engine].clock);
    dma_.trigger(transfer, streams_[engine].clock);
}

void Interpretation::completed(std::size_t transfer, const Actor& actor) {
    const std::uint8_t semaphore = package_.transfers[transfer].semaphore;
    ++semaphores_[semaphore];
    history_[semaphore].changed(isa::UpdateMode::Add, 1, actor.agent, actor.time, *actor.clock);
}

void Interpretation::check_operands(std::size_t engine, const Instruction& instruction, const Clock& clock) {
    const isa::InstructionInfo& info = *instruction.info();
    const Actor actor{engine, streams_[engine].time, &clock};
    const auto note = [&](bool used, Role role, bool write) {
        if (!used) return;
        const Operand operand = operand_of(instruction, package_.target, role,
                                           operand_partitions(instruction, package_.target, role));
        for (const Run& run : runs_of(operand)) {
            for (std::uint32_t partition = 0; partition < operand.partitions; ++partition) {
                storage_.note(write, address_at(package_.target, operand, partition, run.offset), run.bytes,
                              actor);
            }
        }
    };
    note(info.uses_a, Role::A, false);
    note(instruction.reads_b(), Role::B, false);
    note(info.uses_dst, Role::Dst, true);
    for (const Operand& operand : vector_operands(static_cast<isa::Engine>(engine), instruction)) {
        for (std::uint32_t partition = 0; partition < operand.partitions; ++partition) {
            storage_.note(false, element_address(package_.target, operand, partition, 0),
                          isa::element_size(operand.dtype), actor);
        }
    }
}

}  // namespace trnsim::functional
