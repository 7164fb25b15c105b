// Arguments of built-in kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "isa/isa_tables.hpp"

namespace trnsim::kernels {

// A bad kernel name or argument; what() lists the allowed ones.
struct ArgumentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class ArgumentKind : std::uint8_t {
    Count,     // whole number of at least 1
    Dtype,     // floating-point type that the Tensor engine multiplies
    AnyDtype,  // any element type
    Number,    // 0 or a number that fp32 holds, at least 0 and below `below`
    Choice,    // one of `choices`
};

struct ArgumentInfo {
    std::string_view name, doc;
    ArgumentKind kind = ArgumentKind::Count;
    std::string_view fallback{};                             // empty: required
    std::string_view choices{};                              // for a Choice, separated by blanks
    double below = std::numeric_limits<double>::infinity();  // for a Number
    bool quiet = false;  // Arguments::text() leaves it out when it is its fallback
};

// Checked values by name.
class Arguments {
  public:
    // `given`: name to text. Throws ArgumentError for an unknown, missing or malformed argument.
    Arguments(std::string_view kernel, std::span<const ArgumentInfo> infos,
              const std::map<std::string, std::string>& given);

    std::uint64_t count(const std::string& name) const;
    isa::Dtype dtype(const std::string& name) const;
    double number(const std::string& name) const;
    const std::string& choice(const std::string& name) const { return texts_.at(name); }

    // Throws ArgumentError for a value that does not fit the others.
    [[noreturn]] void refuse(const std::string& name, std::string_view expected) const;

    // Returns "M=128 K=256 ...", in the kernel's order, defaults included except those of quiet arguments.
    const std::string& text() const { return text_; }

  private:
    std::string kernel_;
    std::map<std::string, std::uint64_t> values_;  // for numbers the bits of a double
    std::map<std::string, std::string> texts_;
    std::string text_;
};

// Returns the types that a matmul takes, separated by ", ".
std::string matmul_dtype_names();

}  // namespace trnsim::kernels
