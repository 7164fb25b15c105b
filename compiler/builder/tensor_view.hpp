// Views of tensors in HBM.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/builder/loop_index.hpp"
#include "compiler/builder/where.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::builder {

// A part of a tensor of the package, the outermost axis first; offset and steps in elements.
struct TensorView {
    struct Axis {
        std::uint64_t count = 1;
        std::int64_t step = 1;
    };

    std::uint32_t tensor = 0;  // index in Package::tensors
    std::string name;
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::uint64_t offset = 0;
    std::vector<Axis> axes;
    // A slice that depends on the iteration of a loop begins `iteration_step` elements later in each.
    std::uint32_t loop = 0;  // counted from 1; 0: none
    std::uint32_t iterations = 1;
    std::int64_t iteration_step = 0;
    // The same for further loops, around that one or within it.
    struct Move {
        std::uint32_t loop = 0, iterations = 1;
        std::int64_t step = 0;
    };
    std::vector<Move> others{};
    BuilderNumber builder = NoBuilder;

    // Returns elements first .. first + count - 1 of an axis. Throws Error outside the view.
    TensorView slice(std::size_t axis, std::uint64_t first, std::uint64_t count,
                     const Where& where = Where::current()) const;
    // In a loop `first` depends on the iteration. Throws Error when a slice of an iteration is outside.
    TensorView slice(std::size_t axis, const LoopOffset& first, std::uint64_t count,
                     const Where& where = Where::current()) const;
    // Returns the view with an axis of n * inner elements as two axes [n, inner]. Throws Error when `inner`
    // does not divide it.
    TensorView split(std::size_t axis, std::uint64_t inner, const Where& where = Where::current()) const;
    // Returns the same elements with two axes exchanged.
    TensorView swapped(std::size_t axis, std::size_t other, const Where& where = Where::current()) const;

    std::string describe() const;  // "a[128, 4, 512]"
};

}  // namespace trnsim::builder
