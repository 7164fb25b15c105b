#include "model/rv32/hart.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <string>

#include "model/rv32/csr.hpp"
#include "model/rv32/state.hpp"

namespace trnsim::rv32 {

namespace {

constexpr std::uint32_t WordBytes = 4, Registers = 32;

// Makes the host's floating-point environment the core's during a run.
class HostFloats {
  public:
    explicit HostFloats(State& state) : state_(state) {
        std::feholdexcept(&environment_);
        state.running = true;
        state.host_mode = 4;  // no mode of the host, so that set_host_mode() sets it
        set_host_mode(state, 0);
    }
    ~HostFloats() {
        state_.fflags = flags(state_);
        state_.running = false;
        std::fesetenv(&environment_);
    }
    HostFloats(const HostFloats&) = delete;
    HostFloats& operator=(const HostFloats&) = delete;

  private:
    State& state_;
    std::fenv_t environment_{};
};

}  // namespace

State::State(const Sizes& all)
    : sizes(all),
      v(std::size_t{32} * all.vlen / 8),
      vlenb(all.vlen / 8),
      tcm(all.tcm_bytes),
      code(all.tcm_bytes / 64),
      ops(all.tcm_bytes / 4 + 1) {
    for (std::uint32_t line = 0; line < code.size(); ++line) forget(line);
    ops.back().handler = fetch_from_nowhere;
    lost.handler = fetch_from_nowhere;
    next = &ops.front();
}

void State::forget(std::uint32_t line) {
    code[line] = 0;
    for (std::uint32_t word = 16 * line; word < 16 * (line + 1); ++word) ops[word].handler = decode_first;
}

Hart::Hart(const Sizes& sizes) {
    if (!std::has_single_bit(sizes.vlen) || sizes.vlen < 128 || sizes.vlen > 1024)
        throw std::invalid_argument("VLEN is " + std::to_string(sizes.vlen) +
                                    ", expected a power of two from 128 to 1024");
    if (sizes.tcm_bytes == 0 || sizes.tcm_bytes % 64 != 0)
        throw std::invalid_argument("the TCM has " + std::to_string(sizes.tcm_bytes) +
                                    " bytes, expected a multiple of 64");
    state_ = std::make_unique<State>(sizes);
}

Hart::~Hart() = default;

void Hart::attach(const Slice& slice) {
    state_->slice = slice;
    if (slice.pitch == 0) state_->slice.pitch = slice.partition_bytes;
}

void Hart::write_tcm(std::uint32_t address, std::span<const std::uint8_t> bytes) {
    const std::uint32_t offset = address - TRNSIM_TCM_BASE;
    if (offset > state_->tcm.size() || bytes.size() > state_->tcm.size() - offset)
        throw std::out_of_range("bytes outside of the TCM");
    if (bytes.empty()) return;
    std::ranges::copy(bytes, state_->tcm.begin() + offset);
    state_->written(offset, static_cast<std::uint32_t>(bytes.size()));
}

std::span<const std::uint8_t> Hart::tcm() const {
    return state_->tcm;
}

void Hart::start(std::uint32_t pc) {
    state_->next = state_->at(pc);
}

void Hart::interrupt(bool level) {
    state_->interrupt = level;
}

Stop Hart::run(std::uint64_t most) {
    const HostFloats floats(*state_);
    return execute(most);
}

Stop Hart::step(bool floats) {
    return floats ? run(1) : execute(1);
}

Stop Hart::execute(std::uint64_t most) {
    State& s = *state_;
    s.executed = s.retired();
    s.asked = s.left = most;
    s.unused = 0;
    s.stop = Stop::Limit;
    Op* op = or_interrupt(s, s.next);
    while (s.left != 0) {
        --s.left;
        op = op->handler(s, op);
    }
    s.next = op;
    return s.stop;
}

void Hart::end_wait() {
    state_->next = state_->at(pc() + WordBytes);
    ++state_->executed;
}

void Hart::pass(std::uint64_t cycles) {
    state_->cycle_offset += cycles;
}

std::uint32_t Hart::pc() const {
    return state_->pc_of(state_->next);
}

std::uint64_t Hart::retired() const {
    return state_->retired();
}

std::uint32_t Hart::x(std::uint32_t index) const {
    return state_->x.at(index);
}

std::uint32_t Hart::f(std::uint32_t index) const {
    return state_->f.at(index);
}

std::span<const std::uint8_t> Hart::v(std::uint32_t index) const {
    return std::span<const std::uint8_t>(state_->v).subspan(std::size_t{index} * state_->vlenb,
                                                            state_->vlenb);
}

Interrupts Hart::interrupts() const {
    return {state_->meie, state_->mie, state_->mtvec};
}

VectorState Hart::vector_state() const {
    return {state_->vl, state_->vstart, state_->vtype.sew(), state_->vtype.lmul()};
}

std::uint32_t Hart::csr(std::uint32_t number) const {
    const Csr* csr = csr_of(number);
    if (!csr) throw std::out_of_range("there is no CSR " + std::to_string(number));
    return csr->read(*state_);
}

void Hart::set_x(std::uint32_t index, std::uint32_t value) {
    if (index == 0) return;
    if (index >= Registers) throw std::out_of_range("there is no x" + std::to_string(index));
    state_->x[index] = value;
}

void Hart::set_f(std::uint32_t index, std::uint32_t value) {
    state_->f.at(index) = value;
}

void Hart::set_v(std::uint32_t index, std::span<const std::uint8_t> bytes) {
    if (index >= Registers || bytes.size() != state_->vlenb)
        throw std::out_of_range("there is no v" + std::to_string(index) + " of " +
                                std::to_string(bytes.size()) + " bytes");
    std::ranges::copy(bytes, state_->v.begin() + std::ptrdiff_t{state_->vlenb} * index);
}

void Hart::set_csr(std::uint32_t number, std::uint32_t value) {
    constexpr std::uint32_t Minstret = 0xb02, Minstreth = 0xb82, Vl = 0xc20, VectorType = 0xc21;
    State& s = *state_;
    const Csr* csr = csr_of(number);
    if (!csr) throw std::out_of_range("there is no CSR " + std::to_string(number));
    if (csr->write != nullptr) csr->write(s, value);
    if (number == Minstret || number == Minstreth)
        ++s.instret_offset;  // no instruction retires here that would count
    if (number == Vl) s.vl = value;
    if (number == VectorType) s.vtype = {(value >> 31) != 0, static_cast<std::uint8_t>(value)};
    s.update_tag();
}

}  // namespace trnsim::rv32
