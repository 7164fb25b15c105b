#include "isa/matmul_passes.hpp"

namespace trnsim::isa {
namespace {

unsigned parts(const Instruction& instruction) {
    const bool fp32 = static_cast<Dtype>(instruction.get(field::ADtype)) == Dtype::Fp32;
    return fp32 && instruction.get(field::Onezero) == 0 ? 2 : 1;
}

}  // namespace

unsigned MatmulPasses::next(const Instruction& instruction) {
    if (instruction.opcode() == Opcode::LoadStationary) stationary_parts_ = parts(instruction);
    return instruction.opcode() == Opcode::MultiplyMoving ? stationary_parts_ * parts(instruction) : 1;
}

}  // namespace trnsim::isa
