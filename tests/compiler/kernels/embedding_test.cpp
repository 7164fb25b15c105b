// Compares the embedding kernel in the interpreter with rows that the host copies.
#include <gtest/gtest.h>

#include <cstring>

#include "common/random.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "isa/element_type.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Shape {
    std::size_t rows, vocabulary, dim;
    isa::Dtype dtype;
};

// A quarter of the numbers (with `far` all of them) are outside the table.
void check(const Shape& shape, const target::Core& target, std::mt19937_64& random, bool far = false) {
    const neff::Package package = kernels::build_kernel("embedding",
                                                        {{"rows", std::to_string(shape.rows)},
                                                         {"vocabulary", std::to_string(shape.vocabulary)},
                                                         {"dim", std::to_string(shape.dim)},
                                                         {"dtype", std::string(isa::name_of(shape.dtype))}},
                                                        target);
    SCOPED_TRACE(package.arguments + " on " + std::to_string(target.partitions) + " partitions");
    const std::size_t row = shape.dim * isa::element_size(shape.dtype);
    Bytes table(shape.vocabulary * row), expected(shape.rows * row), ids(4 * shape.rows);
    for (std::uint8_t& byte : table) byte = static_cast<std::uint8_t>(random());
    for (std::size_t i = 0; i < shape.rows; ++i) {
        auto id = static_cast<std::int32_t>(random() % shape.vocabulary);
        if (far || random() % 4 == 0) {
            const std::int32_t others[] = {-1, INT32_MIN, INT32_MAX,
                                           static_cast<std::int32_t>(shape.vocabulary)};
            id = others[random() % 4];
        } else {
            std::memcpy(&expected[i * row], &table[static_cast<std::size_t>(id) * row], row);
        }
        std::memcpy(&ids[4 * i], &id, sizeof id);
    }
    functional::Interpreter machine(package, functional::in_order(random() % 20));
    machine.set("table", table);
    machine.set("ids", ids);
    machine.run();
    EXPECT_EQ(machine.get("y"), expected);
}

TEST(Embedding, Corners) {
    auto random = test::generator();
    const Shape shapes[] = {{1, 1, 1, isa::Dtype::U8},     {1, 30, 7, isa::Dtype::Fp32},
                            {30, 1, 3, isa::Dtype::Bf16},  {9, 17, 8, isa::Dtype::Fp16},
                            {130, 10, 5, isa::Dtype::I32}, {3, 7, 2500, isa::Dtype::Fp32}};
    for (const Shape& shape : shapes) {
        for (const target::Core& target : {test::small_target(), test::odd_target(), test::trn1_target()}) {
            ASSERT_NO_FATAL_FAILURE(check(shape, target, random));
            ASSERT_NO_FATAL_FAILURE(check(shape, target, random, true));
        }
    }
}

TEST(Embedding, RandomShapes) {
    auto random = test::generator();
    for (std::uint64_t i = 0; i < 20 * test::scale(); ++i) {
        const isa::Dtype types[] = {isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp8E4m3, isa::Dtype::U16};
        const Shape shape{1 + random() % 60, 1 + random() % 100, 1 + random() % 300, types[random() % 4]};
        ASSERT_NO_FATAL_FAILURE(check(shape, i % 2 == 0 ? test::small_target() : test::odd_target(), random));
    }
}

}  // namespace
}  // namespace trnsim
