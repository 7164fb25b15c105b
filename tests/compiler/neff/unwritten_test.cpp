// Finds the outputs with elements that no transfer of a package can write.
#include "compiler/neff/unwritten.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "common/random.hpp"
#include "common/sample_package.hpp"

namespace trnsim::neff {
namespace {

TEST(Unwritten, SaysHowManyElementsAndWhichIsTheFirst) {
    Package package = test::sample_package();  // stores all of y, [4, 8] fp32
    EXPECT_TRUE(unwritten_outputs(package).empty());
    Pattern& to = package.transfers[1].to;
    to.count = {8, 3, 1, 1};
    ASSERT_EQ(unwritten_outputs(package).size(), 1u);
    EXPECT_EQ(describe(package, unwritten_outputs(package)[0]),
              "output 'y': 8 of 32 elements are returned which nothing has written, the first at [3, 0]");
    to.count = {5, 4, 1, 1};
    EXPECT_EQ(describe(package, unwritten_outputs(package)[0]),
              "output 'y': 12 of 32 elements are returned which nothing has written, the first at [0, 5]");
    package.tensors[1].kind = TensorKind::Update;
    EXPECT_TRUE(unwritten_outputs(package).empty()) << "it has contents before";
    package.tensors[1].kind = TensorKind::Scratch;
    EXPECT_TRUE(unwritten_outputs(package).empty()) << "nobody gets it";
}

TEST(Unwritten, CountsEveryIterationOfALoop) {
    Package package = test::sample_package();
    package.loops.push_back({4});
    Transfer& store = package.transfers[1];
    store.loop = 0;
    store.to.count = {8, 1, 1, 1};
    store.to.iteration_step = {32, 0, 0, 0};
    store.to.iteration_count = {4, 1, 1, 1};
    EXPECT_TRUE(unwritten_outputs(package).empty());
    package.loops[0].iterations = 3;
    EXPECT_EQ(unwritten_outputs(package)[0].missing, 8u);
    EXPECT_EQ(unwritten_outputs(package)[0].first, 24u);
}

// The rows of a scatter count as written, whatever its indices are.
TEST(Unwritten, TakesTheRowsOfAScatterAsWritten) {
    Package package = test::sample_package();
    Transfer& store = package.transfers[1];
    store.to.count = {8, 1, 1, 1};
    store.indirect.emplace();
    store.indirect->scatter = true;
    store.indirect->step = 32;
    store.indirect->last = 3;
    EXPECT_TRUE(unwritten_outputs(package).empty());
    store.indirect->last = 2;
    EXPECT_EQ(unwritten_outputs(package)[0].first, 24u);
}

// Random patterns with steps of both signs, in elements of the tensor or bytes, against a set of bytes.
TEST(Unwritten, RandomPatterns) {
    auto random = test::generator();
    for (int round = 0; round < 200; ++round) {
        Package package = test::sample_package();
        package.tensors[1].shape = {7, 29};
        Transfer& store = package.transfers[1];
        store.element_bytes = round % 2 == 0 ? 4 : 1;
        std::set<std::int64_t> elements;
        Pattern& to = store.to;
        do {
            for (std::size_t dim = 0; dim < to.count.size(); ++dim) {
                to.count[dim] = 1 + static_cast<std::uint32_t>(random() % 9);
                to.step[dim] = (static_cast<std::int64_t>(random() % 41) - 20) * store.element_bytes;
            }
            to.offset = random() % (7 * 29 * 4) / store.element_bytes * store.element_bytes;
            elements.clear();
            for (std::uint32_t i = 0; i < to.count[0] * to.count[1] * to.count[2] * to.count[3]; ++i) {
                std::int64_t byte = static_cast<std::int64_t>(to.offset);
                std::uint32_t rest = i;
                for (std::size_t dim = 0; dim < to.count.size(); ++dim) {
                    byte += to.step[dim] * (rest % to.count[dim]);
                    rest /= to.count[dim];
                }
                elements.insert(byte < 0 ? -1 : byte / 4);
            }
        } while (*elements.begin() < 0 || *elements.rbegin() >= 7 * 29);
        std::uint64_t first = 0;
        while (elements.contains(static_cast<std::int64_t>(first))) ++first;
        const auto found = unwritten_outputs(package);
        ASSERT_EQ(found.size(), elements.size() == 7 * 29 ? 0u : 1u);
        if (found.empty()) continue;
        EXPECT_EQ(found[0].missing, 7 * 29 - elements.size());
        EXPECT_EQ(found[0].first, first);
    }
}

}  // namespace
}  // namespace trnsim::neff
