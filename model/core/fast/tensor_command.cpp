#include "model/core/fast/tensor_command.hpp"

namespace trnsim::tlm::core_fast {

TensorCommand TensorDecoder::next(const InstructionBytes& bytes) {
    TensorCommand command = decode_tensor(bytes, core_, geometry_);
    command.other_low = low_[command.stream];
    if (command.load) low_[command.stream] = command.low;
    return command;
}

}  // namespace trnsim::tlm::core_fast
