#include "arch/dma/elements.hpp"

#include "arch/dma/indices.hpp"
#include "isa/element_type.hpp"

namespace trnsim::dma {
namespace {

constexpr unsigned DtypeShift = 8, SourceShift = 12, LastSourceShift = 16, RoundingShift = 12;
constexpr std::uint32_t CodeMask = 0xff, NibbleMask = 0xf, RoundingMask = 3;
constexpr std::uint32_t ReadMask = 0xfffff, WriteMask = 0x3fff;

constexpr std::uint32_t field(std::uint32_t meta, unsigned shift, std::uint32_t mask) {
    return meta >> shift & mask;
}

bool is_type(std::uint32_t meta) {
    return isa::element_size(static_cast<isa::Dtype>(field(meta, DtypeShift, NibbleMask))) != 0;
}

}  // namespace

std::uint32_t encode(const ReadMeta& meta) {
    const auto code = static_cast<std::uint32_t>(meta.operation);
    if (meta.operation == Operation::Copy || is_constant(meta.operation) || is_of_indices(meta.operation))
        return code;
    return code | static_cast<std::uint32_t>(meta.dtype) << DtypeShift |
           std::uint32_t{meta.source} << SourceShift | std::uint32_t{meta.last_source} << LastSourceShift;
}

std::uint32_t encode(const WriteMeta& meta) {
    const auto code = static_cast<std::uint32_t>(meta.result);
    if (meta.result != Result::Elements) return code;
    return code | static_cast<std::uint32_t>(meta.dtype) << DtypeShift |
           static_cast<std::uint32_t>(meta.rounding) << RoundingShift;
}

ReadMeta decode_read(std::uint32_t meta) {
    return {static_cast<Operation>(meta & CodeMask),
            static_cast<isa::Dtype>(field(meta, DtypeShift, NibbleMask)),
            static_cast<std::uint8_t>(field(meta, SourceShift, NibbleMask)),
            static_cast<std::uint8_t>(field(meta, LastSourceShift, NibbleMask))};
}

WriteMeta decode_write(std::uint32_t meta) {
    return {static_cast<Result>(meta & CodeMask),
            static_cast<isa::Dtype>(field(meta, DtypeShift, NibbleMask)),
            static_cast<isa::Rounding>(field(meta, RoundingShift, RoundingMask))};
}

std::string_view fault_of_read(std::uint32_t meta) {
    const auto code = static_cast<Operation>(meta & CodeMask);
    if (code > Operation::Transpose) return "unknown operation, expected 0 (copy) to 11";
    if (code == Operation::Copy) return "";
    const bool typed = !is_constant(code) && !is_of_indices(code);
    std::uint32_t mask = typed ? ReadMask : CodeMask;
    if (code == Operation::IndexBounds) mask |= SkipBit | WaitBit;
    if ((meta & ~mask) != 0) return "bits of the meta word that must be 0";
    return !typed || is_type(meta) ? "" : "undefined element type";
}

std::string_view fault_of_write(std::uint32_t meta) {
    const auto code = static_cast<Result>(meta & CodeMask);
    if (code > Result::Nothing) return "unknown result, expected 0 (copy) to 2";
    if (code == Result::Copy) return "";
    const bool nothing = code == Result::Nothing;
    if ((meta & ~(nothing ? CodeMask : WriteMask)) != 0) return "bits of the meta word that must be 0";
    if (nothing) return "";
    if (!is_type(meta)) return "undefined element type";
    return decode_write(meta).rounding <= isa::Rounding::Stochastic ? "" : "undefined rounding";
}

}  // namespace trnsim::dma
