// Prints a digest of the outputs of clock_edges_tb for random inputs: clock_edges_digest SEED CYCLES
#include <Vclock_edges_tb.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int, char** argv) {
    std::mt19937 random(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)));
    Vclock_edges_tb top;
    std::uint64_t digest = 0xcbf29ce484222325;
    const auto add = [&](std::uint32_t value) { digest = (digest ^ value) * 0x100000001b3; };
    const auto outputs = [&] {
        for (const std::uint32_t value : {top.sum_o, top.kept_o, top.far_o, top.mixed_o}) add(value);
    };
    top.rst_ni = 1;
    top.eval();
    for (unsigned long cycle = std::strtoul(argv[2], nullptr, 10); cycle > 0; --cycle) {
        top.clk_i = 0;
        top.rst_ni = random() % 50 != 0;
        top.en_i = random() % 4;
        top.data_i = static_cast<std::uint32_t>(random());
        top.eval();
        outputs();
        top.clk_i = 1;
        top.eval();
        outputs();
        if (random() % 3 == 0) {  // an evaluation without an edge
            top.data_i = static_cast<std::uint32_t>(random());
            top.eval();
            outputs();
        }
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(digest));
}
