// Prints the results of every operation of lane_loops_tb for random rows. Two models of the same source must
// print the same.
#include <array>
#include <cstdio>
#include <random>
#include <string>

#include "Vlane_loops_tb.h"

namespace {

constexpr unsigned Operations = 38;

// Returns random bits, a value of a similar exponent, or a value at the end of a range.
std::uint32_t random_element(std::mt19937& random) {
    constexpr std::array<std::uint32_t, 12> Ends{0x00000000, 0x80000000, 0x00000001, 0x807fffff,
                                                 0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                                 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800001};
    switch (random() % 8) {
        case 0:
            return Ends[random() % Ends.size()];
        case 1:
            return static_cast<std::uint32_t>(random());
        case 2:
            return static_cast<std::uint32_t>(random()) & 0xff;
        default:
            return (random() & 0x80ffffffu) | (0x7bu + random() % 8) << 23;
    }
}

template <typename Row>
void randomise(Row& row, std::mt19937& random) {
    for (auto& element : row.m_storage) element = random_element(random);
}

template <typename Row>
void add(std::uint64_t& digest, const Row& row) {
    for (const auto element : row.m_storage) digest = (digest ^ element) * 0x100000001b3u;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::stoi(argv[1]) : 1;
    Vlane_loops_tb model;
    std::mt19937 random(1);
    for (int round = 0; round < rounds; ++round) {
        for (unsigned operation = 0; operation < Operations; ++operation) {
            randomise(model.a_i, random);
            randomise(model.b_i, random);
            randomise(model.c_i, random);
            model.op_i = operation;
            model.dtype_i = random() & 15;
            model.flag_i = random() & 1;
            for (const int level : {0, 1}) {
                model.clk_i = level;
                model.eval();
            }
            std::uint64_t digest = 0;
            add(digest, model.result_o);
            add(digest, model.second_o);
            std::printf("%d %u %016llx\n", round, operation, static_cast<unsigned long long>(digest));
        }
    }
}
