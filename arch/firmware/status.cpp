#include "arch/firmware/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "firmware/include/trnsim/custom_op_arguments.hpp"

namespace trnsim::firmware {
namespace {

struct StatusText {
    Status status;
    std::string_view text;
};

constexpr std::array StatusTexts{
    StatusText{Status::UnknownCommand, "the image has no such operation"},
    StatusText{Status::BadDtype, "type of elements that it does not take"},
    StatusText{Status::BadShape, "counts, partitions or steps that it does not take"},
    StatusText{Status::BadOperation, "ALU operation that it does not have"},
    StatusText{Status::OutOfBounds, "an operand leaves its partitions"},
    StatusText{Status::Misaligned, "address not aligned to the element"},
    StatusText{Status::BadIndex, "an index names what is not there"},
    StatusText{Status::OutOfMemory, "no memory left"},
    StatusText{Status::BadArguments, "tensors or scalars that it does not take"},
    StatusText{Status::Failed, "said that it failed"},
};

// The text of an mcause; has_value: mtval is an instruction or an address.
struct CauseText {
    std::uint32_t cause;
    std::string_view text;
    bool has_value;
};

constexpr std::uint32_t IllegalInstruction = 2, LoadAccess = 5, StoreAccess = 7;
constexpr std::uint32_t Unimp = 0xc0001073;  // the instruction that require() makes
constexpr std::array Causes{
    CauseText{0, "jump to an address that is not aligned", true},
    CauseText{1, "instruction fetch outside its memory", true},
    CauseText{IllegalInstruction, "illegal instruction", true},
    CauseText{3, "breakpoint", false},
    CauseText{4, "load not aligned", true},
    CauseText{LoadAccess, "load outside its memory", true},
    CauseText{6, "store not aligned", true},
    CauseText{StoreAccess, "store outside its memory", true},
    CauseText{11, "environment call", false},
};

// For a pc that is in no function, returns the call before the return address if that is in one.
std::string text_of_call(const Image* image, const TrapRecord& trap) {
    constexpr std::uint32_t InstructionBytes = 4;
    const auto is_in_function = [image](std::uint32_t address) {
        return image != nullptr && place(*image, address) != fmt::format("0x{:x}", address);
    };
    const std::uint32_t call = trap.caller - InstructionBytes;
    if (is_in_function(trap.pc) || !is_in_function(call)) return {};
    return ", called from " + text_of_place(image, call);
}

}  // namespace

std::string text_of(Status status) {
    const auto* row = std::ranges::find(StatusTexts, status, &StatusText::status);
    return row == StatusTexts.end() ? fmt::format("status {}", static_cast<unsigned>(status))
                                    : std::string(row->text);
}

std::string text_of_trap(std::uint32_t cause, std::uint32_t value) {
    const auto row = std::ranges::find(Causes, cause, &CauseText::cause);
    if (row == Causes.end()) return fmt::format("trap {}", cause);
    std::string text(row->text);
    if (row->has_value) text += fmt::format(" 0x{:x}", value);
    const bool below_stack = value < TRNSIM_TCM_BASE && value >= TRNSIM_TCM_BASE - TRNSIM_TCM_BYTES;
    if ((cause == LoadAccess || cause == StoreAccess) && below_stack) text += " (stack overflow)";
    if (cause == IllegalInstruction && value == Unimp) text += " (require)";
    return text;
}

std::string text_of_place(const Image* image, std::uint32_t address) {
    const std::string number = fmt::format("0x{:x}", address);
    const std::string name = image == nullptr ? number : place(*image, address);
    return name == number ? number : fmt::format("{}, {}", number, name);
}

std::string text_of_end(const Image* image, const Mailbox& mailbox) {
    if (mailbox.status == Status::Trapped)
        return fmt::format("{} at {}{}", text_of_trap(mailbox.trap.cause, mailbox.trap.value),
                           text_of_place(image, mailbox.trap.pc), text_of_call(image, mailbox.trap));
    const bool named = image != nullptr && mailbox.command < image->operations.size();
    const std::string name =
        named ? image->operations[mailbox.command] : fmt::format("operation {}", mailbox.command);
    CustomOpArguments given;
    std::memcpy(&given, mailbox.arguments, sizeof given);
    // An image of an older trnsim has no number of taken tensors; otherwise there is at least a destination.
    const bool told = mailbox.taken_tensors != 0;
    const bool same = given.tensors == mailbox.taken_tensors && given.scalars == mailbox.taken_scalars;
    if (mailbox.status == Status::BadArguments && told && !same)
        return fmt::format("{}: {} tensors and {} scalars, expected {} and {}", name, given.tensors,
                           given.scalars, mailbox.taken_tensors, mailbox.taken_scalars);
    return fmt::format("{}: {}", name, text_of(mailbox.status));
}

}  // namespace trnsim::firmware
