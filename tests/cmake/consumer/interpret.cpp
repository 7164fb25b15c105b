// Writes a kernel and interprets it.
#include <array>
#include <cstdio>

#include <trnsim/arch/config/config.hpp>
#include <trnsim/arch/target/target.hpp>
#include <trnsim/compiler/builder/kernel_builder.hpp>
#include <trnsim/testbench/functional/interpreter.hpp>

using namespace trnsim;

int main() {
    builder::KernelBuilder k("copy", "", target::of(config::load("small16")));
    const auto x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::U8, {2, 3});
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::U8, {2, 3});
    const auto queue = k.queue("q");
    const builder::Tile tile = k.sbuf(2, isa::Dtype::U8, {3});
    k.load(queue, tile, x);
    k.store(queue, y, tile);
    const neff::Package package = k.finish();
    functional::Interpreter machine(package);
    machine.set("x", std::array<std::uint8_t, 6>{1, 2, 3, 4, 5, 6});
    machine.run();
    for (const unsigned value : machine.get("y")) std::printf("%u", value);
    std::printf("\n");
}
