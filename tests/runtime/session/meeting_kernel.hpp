// A kernel that does little except take part in collectives.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "arch/target/target.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::test {

// A kernel that, for each collective, makes its input from x (copied through SBUF), takes part in it, and
// copies its output to y. All collectives write one tensor t. `delay` is the number of instructions before
// each beginning and before each reading, so that ranks come at different times.
struct Meeting {
    std::vector<neff::Collective> collectives;
    unsigned delay = 0;
    bool in_place = false;
    builder::Waits waits = builder::Waits::Derived;
};

inline neff::Package meeting_kernel(const config::Config& config, const Meeting& shape) {
    builder::KernelBuilder k("meets", "", target::of(config), shape.waits);
    const builder::Queue loads = k.queue("loads"), stores = k.queue("stores", isa::Engine::Scalar);
    const builder::Queue meets = k.queue("meets", isa::Engine::Gpsimd);
    const builder::Tile busy = k.sbuf(1, isa::Dtype::Fp32, {8});
    const auto dawdle = [&] {
        for (unsigned i = 0; i < shape.delay; ++i) k.memset(busy, {1.0F});
    };
    std::uint64_t most = 0;
    for (const neff::Collective& one : shape.collectives) {
        const collectives::Sizes sizes = collectives::sizes_of(one.request, neff::members_of(one));
        most = std::max({most, sizes.input, sizes.output});
    }
    const isa::Dtype dtype = shape.collectives.front().request.dtype;
    const builder::TensorView t = k.tensor("t", neff::TensorKind::Scratch, dtype, {most});
    for (std::size_t i = 0; i < shape.collectives.size(); ++i) {
        const neff::Collective& one = shape.collectives[i];
        const collectives::Sizes sizes = collectives::sizes_of(one.request, neff::members_of(one));
        const auto row = [](const builder::TensorView& view) { return view.split(0, view.axes[0].count); };
        const builder::TensorView x =
            k.tensor(fmt::format("x{}", i), neff::TensorKind::Input, dtype, {sizes.input});
        const builder::TensorView y =
            k.tensor(fmt::format("y{}", i), neff::TensorKind::Output, dtype, {sizes.output});
        const builder::TensorView out = t.slice(0, 0, sizes.output);
        const builder::TensorView in =
            shape.in_place ? out
                           : k.tensor(fmt::format("s{}", i), neff::TensorKind::Scratch, dtype, {sizes.input});
        const std::uint64_t mark = k.sbuf_mark();
        const builder::Tile a = k.sbuf(1, dtype, {static_cast<std::uint32_t>(sizes.input)});
        const builder::Tile b = k.sbuf(1, dtype, {static_cast<std::uint32_t>(sizes.input)});
        const builder::Tile c = k.sbuf(1, dtype, {static_cast<std::uint32_t>(sizes.output)});
        const builder::Tile d = k.sbuf(1, dtype, {static_cast<std::uint32_t>(sizes.output)});
        k.load(loads, a, row(x));
        dawdle();
        k.tensor_copy(b, a);
        k.store(stores, row(in), b);
        k.collective(meets, out, in, one);
        dawdle();
        k.load(loads, c, row(out));
        k.tensor_copy(d, c);
        dawdle();
        k.store(stores, row(y), d);
        k.sbuf_release(mark);
    }
    return k.finish();
}

}  // namespace trnsim::test
