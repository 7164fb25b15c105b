#include "model/core/fast/sequencer.hpp"

#include "isa/instruction.hpp"
#include "model/core/fast/decoded.hpp"
#include "model/core/fast/gpsimd_dispatch.hpp"
#include "model/core/fast/words.hpp"

namespace trnsim::tlm::core_fast {
namespace {

namespace field = isa::field;
using isa::Error;
using isa::Opcode;

std::uint32_t semaphore_address(std::uint8_t semaphore) {
    return isa::window::SemRead + semaphore * WordBytes;
}

}  // namespace

SemaphoreUpdate Sequencer::update(bool hold_done) const {
    return completes(hold_done) ? queue_.front().update : SemaphoreUpdate{};
}

bool Sequencer::satisfied(std::uint32_t value) const {
    switch (wait_mode_) {
        case isa::WaitMode::Ge:
            return value >= wait_value_;
        case isa::WaitMode::Eq:
            return value == wait_value_;
        case isa::WaitMode::Le:
            return value <= wait_value_;
        case isa::WaitMode::None:
            break;
    }
    return true;
}

bool Sequencer::full() const {
    return queue_.size() == figure(Figure::Outstanding);
}

std::uint32_t Sequencer::target() const {
    return get32(head_.bytes, field::Target);
}

Sequencer::Step Sequencer::decide(const In& in) const {
    Step step;
    step.next = state_;
    const bool completing = completes(in.hold_done);
    const bool updates = completing && queue_.front().update.mode != isa::UpdateMode::None;
    step.retire = completing && (!updates || in.updated);
    Failures failures;
    failures.overflow = updates && in.updated && in.overflow;
    step.completed = step.retire && !failures.overflow;

    switch (state_) {
        case State::Fetch:
            step.pop = in.available && !in.stop;
            if (step.pop) step.next = State::Check;
            break;
        case State::Check:
            if (!in.stop) step.next = State::Wait;
            break;
        case State::Wait:
            if (in.stop || failures.overflow || in.hold_issue) break;
            failures.check = verdict_.code != Error::None;
            if (!failures.check && satisfied(in.wait_value)) leave_wait(in, step);
            break;
        case State::Offer:
            if (!in.taken) break;
            step.issued = step.push = step.advance = true;
            step.pop = in.available && !in.stop;
            step.next = step.pop ? State::Check : State::Fetch;
            break;
        case State::Execute:
            if (!in.bus_done && !in.window_done) break;
            failures.access = uses_bus(opcode_) ? in.bus_error : in.window_error;
            step.next = failures.access ? State::Fetch : State::Update;
            step.push = !failures.access;
            step.loads = !failures.access && opcode_ == Opcode::RegisterLoad;
            break;
        case State::UnderWay:
            step.push = under_way_ == 1;
            if (step.push) step.next = State::Update;
            break;
        case State::Update:
            step.flush = step.retire && opcode_ == Opcode::Halt;
            step.advance = step.completed && !step.flush;
            if (step.retire) step.next = step.flush ? State::Halted : State::Fetch;
            break;
        case State::Idle:
        case State::Halted:
            if (in.start) step.next = State::Fetch;
            break;
    }

    if (failures.any() || in.engine_fault != Error::None) step.fault = fault(in, failures);
    step.active = step.next != state_ || oldest_done() || in.engine_done || step.leaves ||
                  step.fault.code != Error::None || under_way_ != 0 ||
                  (state_ == State::Wait && in.hold_issue);
    return step;
}

// Leaves the wait when the head's semaphore is satisfied, if there is room for the next state.
void Sequencer::leave_wait(const In& in, Step& step) const {
    if (is_scalar(opcode_)) {
        if (full()) return;
        step.push = true;
        step.operates = opcode_ == Opcode::RegisterAlu;
        step.redirect = !step.operates && registers_.taken(head_.bytes);
        step.advance = !step.redirect;
        step.pop = in.available && !step.redirect;
        step.next = step.pop ? State::Check : State::Fetch;
    } else if (is_control(opcode_)) {
        if (!queue_.empty()) return;
        step.leaves = opcode_ == Opcode::EventSemaphore;
        step.next = uses_bus(opcode_) || uses_window(opcode_) ? State::Execute
                    : step.leaves                             ? State::UnderWay
                                                              : State::Update;
        step.push = step.next == State::Update;
    } else if (!full()) {
        step.next = State::Offer;
    }
    step.issued = is_control(opcode_) && step.next != State::Wait;
}

// Returns the fault; when two meet, that of the older instruction.
CoreFault Sequencer::fault(const In& in, const Failures& failures) const {
    const auto engine = static_cast<std::uint8_t>(engine_);
    if (failures.overflow) {
        const Entry& entry = queue_.front();
        return {Error::SemaphoreOverflow, engine, entry.origin, semaphore_address(entry.update.semaphore)};
    }
    if (in.engine_fault != Error::None && !queue_.empty() && !oldest_done() && !failed_)
        return {in.engine_fault, engine, queue_.front().origin, in.engine_fault_address};
    if (failures.access)
        return {Error::Bus, engine, head(),
                uses_window(opcode_) ? static_cast<std::uint32_t>(get(issued_, field::Address)) : 0};
    if (failures.check) return {verdict_.code, engine, head(), verdict_.address};
    return {};
}

void Sequencer::edge(const In& in, const Step& step, const FetchedInstruction* popped,
                     Functional& functional) {
    if (state_ == State::Check && step.next == State::Wait) check(in.program, functional);

    // The queue.
    if (step.push) queue_.push_back({update_, head(), is_control(opcode_)});
    if (in.engine_done) ++done_;
    if (step.retire) {
        if (!queue_.front().executed) --done_;
        queue_.pop_front();
    }
    if (step.leaves)
        under_way_ = stages_;
    else if (under_way_ != 0)
        --under_way_;

    if (step.operates) registers_.operate(head_.bytes);
    if (step.loads) registers_.load(head_.bytes, in.load_data);
    if (in.start) {
        registers_.start();
        pc_ = completed_ = 0;
    } else {
        if (step.redirect)
            pc_ = target();
        else if (step.advance)
            ++pc_;
        if (step.completed) ++completed_;
    }
    failed_ = failed_ || step.fault.code != Error::None;
    state_ = step.next;
    if (popped != nullptr) take(*popped);
}

void Sequencer::take(const FetchedInstruction& instruction) {
    head_ = instruction;
    const InstructionBytes& bytes = head_.bytes;
    opcode_ = opcode_of(bytes);
    wait_mode_ = get_as<isa::WaitMode>(bytes, field::WaitMode);
    wait_semaphore_ = static_cast<std::uint8_t>(get(bytes, field::WaitSem));
    wait_value_ = get32(bytes, field::WaitValue);
    update_ = {get_as<isa::UpdateMode>(bytes, field::UpdateMode),
               static_cast<std::uint8_t>(get(bytes, field::UpdateSem)), get32(bytes, field::UpdateValue)};
}

void Sequencer::check(const ProgramPlace& program, Functional& functional) {
    issued_ = registers_.with_addresses(head_.bytes);
    const isa::InstructionInfo* info = isa::find_instruction(opcode_);
    const unsigned engine = static_cast<unsigned>(engine_);
    if (head_.failed) {
        verdict_ = {Error::Fetch, 0};
    } else if (info == nullptr || (info->engines >> engine & 1) == 0) {
        verdict_ = {Error::IllegalInstruction, 0};
    } else if (is_control(opcode_)) {
        verdict_ = check_control(program);
    } else if (engine_ == isa::Engine::Gpsimd) {
        verdict_ = {check_gpsimd(issued_, gpsimd_cores_), 0};
    } else {
        verdict_ = functional.issue(engine_, issued_);
    }
}

Verdict Sequencer::check_control(const ProgramPlace& program) const {
    constexpr unsigned PlaceBits = 58;
    const std::uint64_t address = get(issued_, field::Address);
    const auto window_address = static_cast<std::uint32_t>(address);
    const bool aligned = address % WordBytes == 0;
    switch (opcode_) {
        case Opcode::Write:
            return {aligned ? Error::None : Error::AddressAlign, 0};
        case Opcode::DmaTrigger:
            return {aligned && get(issued_, field::EngineStride) % WordBytes == 0 ? Error::None
                                                                                  : Error::AddressAlign,
                    0};
        case Opcode::Branch:
            if (get(issued_, field::Condition) > static_cast<unsigned>(isa::BranchCond::Ge))
                return {Error::UnsupportedOperand, 0};
            if ((program.base + target()) >> PlaceBits != 0 ||
                (program.length != 0 && target() >= program.length))
                return {Error::BranchTarget, 0};
            return {};
        case Opcode::RegisterAlu:
            return {get(issued_, field::RegOp) > static_cast<unsigned>(isa::RegOp::Shr)
                        ? Error::UnsupportedOperand
                        : Error::None,
                    0};
        case Opcode::RegisterLoad:
        case Opcode::RegisterStore:
            if (address >= isa::window::Size) return {Error::AddressRange, window_address};
            return aligned ? Verdict{} : Verdict{Error::AddressAlign, window_address};
        default:
            return {};
    }
}

isa::SeqState Sequencer::state(const In& in) const {
    using isa::SeqState;
    if (failed_) return SeqState::Error;
    switch (state_) {
        case State::Idle:
            return SeqState::Idle;
        case State::Fetch:
            return SeqState::Fetch;
        case State::Wait:
            if (is_control(opcode_) && !is_scalar(opcode_) && !queue_.empty()) return SeqState::Drain;
            if (!satisfied(in.wait_value)) return SeqState::WaitSem;
            return full() ? SeqState::WaitEngine : SeqState::Issue;
        case State::Offer:
            return in.taken ? SeqState::Issue : SeqState::WaitEngine;
        case State::Halted:
            return SeqState::Halted;
        default:
            return SeqState::Issue;
    }
}

bool Sequencer::quiet(bool stop) const {
    const bool in_progress =
        state_ == State::Offer || state_ == State::Execute || under_way_ != 0 || state_ == State::Update;
    return queue_.empty() && (state_ == State::Idle || state_ == State::Halted || (stop && !in_progress));
}

}  // namespace trnsim::tlm::core_fast
