// The names and rules shared by the writer and the reader of the container's members.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {

inline constexpr std::string_view FormatName = "trnsim kernel";
inline constexpr std::uint64_t FormatVersion = 1;
inline constexpr std::array<std::string_view, 4> KindNames{"input", "output", "tmp-buf",
                                                           "update"};  // index: TensorKind

// The meaning of a key that a container lacks: it is refused, or the member keeps its initial value.
enum class Missing : std::uint8_t { Refused, Keeps };

// The index is Indirect::skip.
inline constexpr std::array<std::string_view, 2> OutOfBoundsNames{"error", "skip"};

inline constexpr std::array<std::string_view, 5> OperationNames{"copy", "transpose", "gather", "scatter",
                                                                "collective"};

inline std::string_view operation_name(const Transfer& transfer) {
    if (transfer.collective) return "collective";
    if (transfer.transposes) return "transpose";
    if (!transfer.indirect) return "copy";
    return transfer.indirect->scatter ? "scatter" : "gather";
}

struct TargetField {
    const char* name;
    std::uint64_t (*get)(const target::Core&);
    void (*set)(target::Core&, std::uint64_t);
    std::uint64_t maximum;
    Missing missing;
};

template <auto Member>
constexpr TargetField target_field(const char* name, Missing missing = Missing::Refused) {
    using Type = std::remove_reference_t<decltype(std::declval<target::Core&>().*Member)>;
    return {name, [](const target::Core& t) { return static_cast<std::uint64_t>(t.*Member); },
            [](target::Core& t, std::uint64_t value) { t.*Member = static_cast<Type>(value); },
            static_cast<std::uint64_t>(std::numeric_limits<Type>::max()), missing};
}

inline constexpr std::array TargetFields{
    target_field<&target::Core::rows>("rows"),
    target_field<&target::Core::columns>("columns"),
    target_field<&target::Core::partitions>("partitions"),
    target_field<&target::Core::sbuf_partition>("sbuf_partition"),
    target_field<&target::Core::psum_partition>("psum_partition"),
    target_field<&target::Core::psum_banks>("psum_banks"),
    target_field<&target::Core::dma_engines>("dma_engines"),
    target_field<&target::Core::dma_rings>("dma_rings"),
    target_field<&target::Core::gpsimd_vlen>("gpsimd_vlen", Missing::Keeps),
};

inline std::string json_member(int engine) {
    std::string name(name_of(static_cast<isa::Engine>(engine)));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name + ".json";
}

inline std::string image_member(std::size_t image) {
    return fmt::format("images/{}.gpsimd", image);
}

// The member with the source lines, which a container may lack.
inline constexpr std::string_view SourcesMember = "sources.json";
inline std::string places_member(int engine) {
    return std::string(name_of(static_cast<isa::Engine>(engine))) + ".places";
}

inline std::string binary_member(int engine) {
    return std::string(name_of(static_cast<isa::Engine>(engine))) + ".bin";
}

}  // namespace trnsim::neff
