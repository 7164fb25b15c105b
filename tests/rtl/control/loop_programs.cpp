#include "rtl/control/loop_programs.hpp"

#include "rtl/control/program_model.hpp"

namespace trnsim::test {
namespace {

using isa::BranchCond;
using isa::Instruction;
using isa::Opcode;
using isa::RegOp;
using isa::UpdateMode;
using isa::WaitMode;
namespace field = isa::field;

// Registers 1 to 8 hold data; the others hold addresses and a loop counter for each nesting level.
constexpr unsigned DataRegisters = 8, AddressRegister = 9, IndexRegister = 10, FirstCounter = 11, Depth = 3;
constexpr std::uint32_t AddressMask = 0x7fc, IndexMask = 0xfc;

class Generator {
  public:
    Generator(std::mt19937_64& random, int engine) : random_(random), engine_(engine) {}

    Program make() {
        for (unsigned r = 1; r <= DataRegisters; ++r)
            add(move_immediate(r, pick(2) ? pick(40) : static_cast<std::uint32_t>(random_())));
        block(0, 10 + pick(40));
        program_.push_back(halt());
        return std::move(program_);
    }

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    unsigned data() { return pick(DataRegisters + 1); }  // includes register 0
    std::uint32_t word() const { return sbuf(32 + static_cast<unsigned>(engine_), 0); }

    // Semaphore updates and waits come in between. Counts are reached for certain if they come from updates
    // outside of branches.
    void add(Instruction instruction) {
        if (pick(4) == 0)
            instruction = wait_for(instruction, own_semaphore(engine_), WaitMode::Ge, pick(reached_ + 1));
        if (pick(4) == 0) {
            const unsigned step = pick(3);
            instruction = then_update(instruction, own_semaphore(engine_), UpdateMode::Add, step);
            if (skipped_ == 0) reached_ += step;
        }
        program_.push_back(instruction);
    }

    void item(unsigned depth) {
        switch (pick(12)) {
            case 0:
                if (depth < Depth) loop(depth);
                break;
            case 1:
                skip(depth);
                break;
            case 2:
                add(alu_immediate(RegOp::And, IndexRegister, data(), IndexMask));
                add(store_register(data(), word() + 4 * pick(8), IndexRegister));
                break;
            case 3:
                add(load_register(data(), word() + 4 * pick(64)));
                break;
            case 4:
            case 5:
            case 6:
                if (has_data_path(engine_)) {
                    add(alu_immediate(RegOp::And, AddressRegister, data(), AddressMask));
                    Instruction instruction = data_path(engine_);
                    if (pick(2)) instruction.set(field::AReg, AddressRegister);
                    if (instruction.info()->uses_dst && pick(2))
                        instruction.set(field::DstReg, AddressRegister);
                    add(instruction);
                    break;
                }
                add(Instruction(Opcode::Nop));
                break;
            case 7:
                add(alu_immediate(static_cast<RegOp>(pick(9)), data(), data(),
                                  pick(2) ? pick(40) : static_cast<std::uint32_t>(random_())));
                break;
            default:
                add(alu(static_cast<RegOp>(pick(9)), data(), data(), data()));
        }
    }

    void block(unsigned depth, unsigned items) {
        for (unsigned i = 0; i < items; ++i) item(depth);
    }

    void loop(unsigned depth) {
        const unsigned counter = FirstCounter + depth;
        add(move_immediate(counter, 1 + pick(5)));
        const auto begin = static_cast<unsigned>(program_.size());
        block(depth + 1, pick(6));
        add(alu_immediate(RegOp::Sub, counter, counter, 1));
        add(branch(begin, pick(2) ? BranchCond::Ne : BranchCond::Lt, 0, counter));
    }

    // A branch over a few items, which may be taken or not.
    void skip(unsigned depth) {
        const std::size_t at = program_.size();
        add(branch(0, static_cast<BranchCond>(pick(5)), data(), data()));
        ++skipped_;
        block(depth, pick(4));
        --skipped_;
        program_[at].set(field::Target, program_.size());
    }

    std::mt19937_64& random_;
    int engine_;
    unsigned skipped_ = 0;
    std::uint32_t reached_ = 0;
    Program program_;
};

}  // namespace

Program random_loop_program(std::mt19937_64& random, int engine) {
    return Generator(random, engine).make();
}

LoopResult run_loop_program(const Program& program) {
    LoopResult result;
    ProgramModel model(program);
    for (;;) {
        const Instruction instruction = model.effective();
        const auto address = static_cast<std::uint32_t>(instruction.get(field::Address));
        std::uint32_t loaded = 0;
        if (instruction.opcode() == Opcode::RegisterLoad) loaded = result.words[address];
        if (instruction.opcode() == Opcode::RegisterStore) result.words[address] = model.store_data();
        result.updates = updated(instruction, result.updates);
        ++result.executed;
        if (instruction.opcode() == Opcode::Halt) return result;
        model.advance(loaded);
    }
}

}  // namespace trnsim::test
