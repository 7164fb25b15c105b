#include "testbench/random_programs/sequence_writer.hpp"

#include <algorithm>

#include "arch/target/memory.hpp"
#include "testbench/random_programs/control_instructions.hpp"
#include "testbench/random_programs/scalar_instructions.hpp"
#include "testbench/random_programs/semaphores.hpp"
#include "testbench/random_programs/values.hpp"

namespace trnsim::random_programs {

namespace field = isa::field;
using isa::BranchCond;
using isa::Engine;
using isa::Instruction;
using isa::Opcode;
using isa::RegOp;
using isa::UpdateMode;
using isa::WaitMode;

namespace {

// Registers: 1 to 8 hold data, the others hold addresses and the loop counters, one for each nesting level.
constexpr unsigned DataRegisters = 8, AddressRegister = 9, IndexRegister = 10, FirstCounter = 11, Depth = 2;
constexpr std::uint32_t AddressMask = 0x7c, IndexMask = 0xfc;
constexpr unsigned MostElements = 16, StationaryColumns = 4;
constexpr std::uint32_t OwnResults = OwnSbuf / 2;  // bytes of a partition, in either memory

}  // namespace

Area own_area(const target::Core& target, Engine engine, bool psum) {
    const auto number = static_cast<std::uint32_t>(engine);
    return psum ? Area{true, number * target::bank_bytes(target), OwnPsum}
                : Area{false, number * OwnSbuf, OwnSbuf};
}

unsigned SequenceWriter::data() {
    return pick(DataRegisters + 1);  // register 0 is among them
}

bool SequenceWriter::has_data_path() const {
    return engine_ == Engine::Tensor || engine_ == Engine::Vector || engine_ == Engine::Scalar;
}

// Returns the core-window address of a word of the engine's own, at least `most` bytes before the end.
std::uint32_t SequenceWriter::word(unsigned most) {
    const std::uint32_t offset = own_area(target_, engine_, false).offset + 4 * pick((OwnSbuf - most) / 4);
    return target::address_of(target_, target::Memory::Sbuf, pick(static_cast<unsigned>(target_.partitions)),
                              offset);
}

void SequenceWriter::begin() {
    for (unsigned r = 1; r <= DataRegisters; ++r)
        add(move_immediate(r, pick(2) ? pick(40) : static_cast<std::uint32_t>(random_())));
    if (engine_ == Engine::Scalar) add(act_table_load(isa::ActivationSet::GeluAndOthers));
    if (engine_ != Engine::Tensor) return;
    Tensors t;
    t.a.offset = own_area(target_, engine_, false).offset;
    add(tensor(t).set(field::AReg, 0));
}

void SequenceWriter::block(unsigned items) {
    if (engine_ == Engine::Tensor) {
        // Overwrites every word that later matmuls may add to.
        Tensors t;
        t.a.offset = own_area(target_, engine_, false).offset;
        t.count = {OwnResults / 4, 1, 1, 1};
        add(matmul(t, 0, false));
    }
    block(0, items);
}

void SequenceWriter::store_registers() {
    const std::uint32_t first = word(4 * DataRegisters);
    for (unsigned r = 1; r <= DataRegisters; ++r) add(store_register(r, first + 4 * (r - 1)));
}

// Returns a load of a stationary operand with the one shape that all matmuls use.
Instruction SequenceWriter::tensor(Tensors& t) {
    t.partitions = static_cast<unsigned>(target_.rows);
    t.count = {StationaryColumns, 1, 1, 1};
    t.a.dtype = isa::Dtype::Bf16;
    Instruction i(Opcode::LoadStationary);
    set_shape(i, t);
    set_a(i, t.a);
    return i;
}

// Returns a matmul with the loaded operand; its result lies `offset` bytes into the engine's part of PSUM.
Instruction SequenceWriter::matmul(Tensors t, std::uint32_t offset, bool accumulate) {
    t.partitions = static_cast<unsigned>(target_.rows);
    t.a.dtype = isa::Dtype::Bf16;
    t.dst = {.psum = true, .offset = own_area(target_, engine_, true).offset + offset};
    Instruction i(Opcode::MultiplyMoving);
    set_shape(i, t);
    set_dst(i, t.dst);
    set_a(i, t.a);
    return i.set(field::Columns, StationaryColumns).set(field::Accumulate, accumulate);
}

// Takes sources in the lower half of the engine's part and puts results into the upper one or into PSUM, with
// room for what the address register adds.
Instruction SequenceWriter::data_path() {
    constexpr std::uint32_t Half = OwnResults, Room = Half - AddressMask - 4 * MostElements;
    const std::uint32_t own = own_area(target_, engine_, false).offset;
    Tensors t;
    t.partitions = 1 + pick(static_cast<unsigned>(target_.partitions));
    t.count = {1 + pick(MostElements), 1, 1, 1};
    t.a.offset = own + 4 * pick(Room / 4);
    t.b.offset = own + 4 * pick(Room / 4);
    t.dst.offset = own + Half + 4 * pick(Room / 4);
    Instruction i;
    if (engine_ == Engine::Vector) {
        i = tensor_tensor(t, {AllOps[pick(AllOps.size())], pick(2) == 1});
        if (pick(2)) i.set(field::BReg, AddressRegister);
    } else if (engine_ == Engine::Scalar) {
        i = activate(t, {.function = pick(2) ? isa::Activation::Relu : isa::Activation::Square});
    } else if (pick(2)) {
        i = tensor(t);
    } else {
        i = matmul(t, 4 * pick(Room / 4), pick(2) == 1);
    }
    if (pick(2)) i.set(field::AReg, AddressRegister);
    if (i.info()->uses_dst && pick(2)) i.set(field::DstReg, AddressRegister);
    return i;
}

void SequenceWriter::address_register() {
    add(alu_immediate(RegOp::And, AddressRegister, data(), AddressMask));
}

// Sets the engine's semaphore once everything before has completed, then waits for it and updates it in a
// random mode.
void SequenceWriter::handshake() {
    const unsigned semaphore = own_semaphore(engine_), value = pick(1000);
    if (has_data_path()) address_register();
    add(then_update(Instruction(Opcode::EventSemaphore), semaphore, UpdateMode::Set, value));
    Instruction i(pick(2) ? Opcode::Nop : Opcode::EventSemaphore);
    if (has_data_path() && pick(2)) i = data_path();
    const auto mode = static_cast<WaitMode>(pick(4));
    if (mode != WaitMode::None) {
        const unsigned off = mode == WaitMode::Eq ? 0 : pick(3);
        const unsigned bound = mode == WaitMode::Le ? value + off : value - std::min(value, off);
        i = wait_for(i, semaphore, mode, bound);
    }
    const auto update = static_cast<UpdateMode>(pick(4));
    if (update != UpdateMode::None)
        i = then_update(i, semaphore, update, update == UpdateMode::Sub ? pick(value + 1) : pick(1000));
    add(i);
}

void SequenceWriter::item(unsigned depth) {
    switch (pick(12)) {
        case 0:
            return loop(depth);
        case 1:
            return skip(depth);
        case 2:
            add(alu_immediate(RegOp::And, IndexRegister, data(), IndexMask));
            return add(store_register(data(), word(4 + IndexMask), IndexRegister));
        case 3:
            return add(load_register(data(), word(4)));
        case 4:
        case 5:
        case 6:
            return handshake();
        case 7:
        case 8:
            if (!has_data_path()) return add(Instruction(Opcode::Nop));
            address_register();
            return add(data_path());
        case 9:
            return add(alu_immediate(static_cast<RegOp>(pick(9)), data(), data(),
                                     pick(2) ? pick(40) : static_cast<std::uint32_t>(random_())));
        default:
            return add(alu(static_cast<RegOp>(pick(9)), data(), data(), data()));
    }
}

void SequenceWriter::block(unsigned depth, unsigned items) {
    for (unsigned i = 0; i < items; ++i) item(depth);
}

void SequenceWriter::loop(unsigned depth) {
    if (depth == Depth) return;
    const unsigned counter = FirstCounter + depth;
    add(move_immediate(counter, 1 + pick(4)));
    const auto begin = static_cast<unsigned>(program_.size());
    block(depth + 1, pick(5));
    add(alu_immediate(RegOp::Sub, counter, counter, 1));
    add(branch(begin, pick(2) ? BranchCond::Ne : BranchCond::Lt, 0, counter));
}

// Writes a branch over a few items, which is taken or not.
void SequenceWriter::skip(unsigned depth) {
    if (depth == Depth) return;
    const std::size_t at = program_.size();
    add(branch(0, static_cast<BranchCond>(pick(5)), data(), data()));
    block(depth + 1, pick(4));
    program_[at].set(field::Target, program_.size());
}

}  // namespace trnsim::random_programs
