#include "isa/error_text.hpp"

#include <algorithm>
#include <array>

namespace trnsim::isa {
namespace {

constexpr std::array Texts{
    ErrorText{Error::IllegalInstruction, "illegal instruction", false},
    ErrorText{Error::AddressRange, "address out of range", true},
    ErrorText{Error::AddressAlign, "address not aligned to the element", true},
    ErrorText{Error::PartitionRange, "more partitions than there are from the start partition on", true},
    ErrorText{Error::PartitionStart, "start partition not allowed for this many partitions", true},
    ErrorText{Error::Dtype, "data type not supported by this instruction", true},
    ErrorText{Error::Shape, "shape not supported by this instruction", true},
    ErrorText{Error::BankCrossing, "destination crosses a PSUM bank", true},
    ErrorText{Error::SemaphoreOverflow, "semaphore overflow", true},
    ErrorText{Error::Fetch, "instruction fetch refused by the memory", false},
    ErrorText{Error::Bus, "write refused by the system", false},
    ErrorText{Error::UnsupportedOperand, "operand not supported by this instruction", true},
    ErrorText{Error::StationaryOperand, "the loaded stationary operand does not fit this instruction", true},
    ErrorText{Error::ActivationTable, "no loaded table set has this activation function", false},
    ErrorText{Error::BranchTarget, "branch to an instruction that is not in the program", false},
    ErrorText{Error::EventSetTwice, "an event is set that is set already", true},
    ErrorText{Error::EventClearTwice, "an event is cleared that is clear already", true},
    ErrorText{Error::NotificationOverflow, "the notification queue has no room for the event", false},
    ErrorText{Error::OperandOverlap,
              "the destination overlaps this source other than exactly in place or interleaved", true},
    ErrorText{Error::PsumAccumulate, "matmul adds to a PSUM word that no matmul has written", true},
    ErrorText{Error::PsumCollision, "PSUM word written by a matmul and by somebody else in one cycle", true},
    ErrorText{Error::Uncorrectable, "memory word with more than one wrong bit", true},
    ErrorText{Error::GpsimdFault, "a GpSimd core does not complete what it was given", true},
};

}  // namespace

const ErrorText* find_error_text(Error code) {
    const auto* found = std::ranges::find(Texts, code, &ErrorText::code);
    return found == Texts.end() ? nullptr : found;
}

}  // namespace trnsim::isa
