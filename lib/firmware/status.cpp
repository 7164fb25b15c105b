#include "lib/firmware/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

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

}  // namespace

std::string text_of(Status status) {
    const auto* row = std::ranges::find(StatusTexts, status, &StatusText::status);
    return row == StatusTexts.end() ? fmt::format("status {}", static_cast<unsigned>(status))
                                    : std::string(row->text);
}

}  // namespace trnsim::firmware
