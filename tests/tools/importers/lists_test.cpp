// Lists of shapes of other tools become sweeps whose cases have the shapes and labels of the list.
#include <gtest/gtest.h>

#include <tuple>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "tools/importers/deepbench.hpp"
#include "tools/importers/error.hpp"
#include "tools/importers/scale_sim.hpp"
#include "tools/sweep/plan.hpp"

namespace trnsim::importers {
namespace {

class Lists : public testing::Test {
  protected:
    std::filesystem::path file(const std::string& name, const std::string& text) const {
        files::write(folder / name, text);
        return folder / name;
    }
    // Returns the points of the sweep that a list makes: label and arguments.
    std::vector<std::pair<std::string, std::string>> points(const std::vector<Matmul>& matmuls) const {
        const auto sweep = file("sweep.yaml", sweep_of(matmuls, "a list.csv", "test", {.base = "small16"}));
        std::vector<std::pair<std::string, std::string>> points;
        for (const sweep::Point& point : sweep::make_plan(sweep::read_sweep(sweep)).points)
            points.emplace_back(point.label, point.argument_text);
        return points;
    }
    template <typename Read>
    std::string refusal(const std::string& text, Read read) const {
        const std::filesystem::path path = file("bad", text);
        std::string message = test::message_of<Error>([&] { read(path); });
        const std::string folder_text = (folder / "").string();
        if (const std::size_t at = message.find(folder_text); at != std::string::npos)
            message.erase(at, folder_text.size());
        return message;
    }

    const test::TemporaryDirectory folder;
};

using Shape = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // M, N, K
Shape shape_of(const Matmul& one) {
    return {one.m, one.n, one.k};
}

const auto ReadDeepbench = [](const std::filesystem::path& path) { return read_deepbench(path); };

TEST_F(Lists, GemmsOfScaleSim) {
    const auto list = read_scale_sim(file("vit.csv",
                                          "Layer,M,N,K,\n"
                                          "qkv, 196, 192, 384,\n"
                                          "\n"
                                          "scores,196,196,64,3,\r\n"
                                          "fc,196,192,384,1:1,\n"
                                          "last,10,20,30"));
    ASSERT_EQ(list.size(), 4u);
    EXPECT_EQ(shape_of(list[0]), Shape(196, 192, 384));
    EXPECT_EQ(list[1].times, 3u);
    EXPECT_EQ(shape_of(list[3]), Shape(10, 20, 30));
    EXPECT_FALSE(list[0].ta || list[0].tb);
    using Points = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(points(list), (Points{{"qkv, fc", "M=196 K=384 N=192 dtype=bf16"},
                                    {"scores x 3", "M=196 K=64 N=196 dtype=bf16"},
                                    {"last", "M=10 K=30 N=20 dtype=bf16"}}));
}

// A 3 x 3 window moves over 7 x 7 in 5 x 5 positions, in 3 x 3 with a stride of 2; the last position of a 4 x
// 4 input with a stride of 2 is not whole and counts.
TEST_F(Lists, ConvolutionsOfScaleSim) {
    const auto list = read_scale_sim(file(
        "net.csv",
        "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
        "a, 7, 7, 3, 3, 192, 384, 1,\n"
        "b, 7, 7, 3, 3, 2, 5, 2,\n"
        "c, 4, 4, 3, 3, 2, 5, 2,\n"
        "DP1, 7, 7, 3, 3, 32, 1, 1,\n"
        "d, 7, 9, 1, 1, 2, 5, 1, 2,\n"));
    ASSERT_EQ(list.size(), 5u);
    EXPECT_EQ(shape_of(list[0]), Shape(25, 384, 9 * 192));
    EXPECT_EQ(shape_of(list[1]), Shape(9, 5, 18));
    EXPECT_EQ(shape_of(list[2]), Shape(4, 5, 18));
    EXPECT_EQ(shape_of(list[3]), Shape(25, 1, 9));
    EXPECT_EQ(list[3].times, 32u);
    EXPECT_EQ(shape_of(list[4]), Shape(7 * 5, 5, 2));
}

TEST_F(Lists, WhatScaleSimFilesAreRefusedFor) {
    EXPECT_EQ(refusal("", read_scale_sim), "bad: found no layer, expected a heading and layers");
    EXPECT_EQ(refusal("Layer,M,N,K\nfc,1,2,3,2:4,\n", read_scale_sim),
              "bad:2: found a sparse layer, 2:4, expected a dense one: no kernel skips zeros");
    EXPECT_EQ(refusal("Layer,M,N,K\nfc,1,2\n", read_scale_sim),
              "bad:2: found 3 columns, expected at least 4");
    EXPECT_EQ(refusal("Layer,M,N,K\nfc,1,0,3\n", read_scale_sim),
              "bad:2: N: found '0', expected a whole number from 1");
    EXPECT_EQ(
        refusal("Layer name, IFMAP Height, w, f, f, c, n, s,\na, 2, 9, 3, 3, 1, 1, 1,\n", read_scale_sim),
        "bad:2: found a filter of 3 for an input of 2, expected one that fits");
    EXPECT_TRUE(
        refusal("a,b,c\n1,2,3\n", read_scale_sim).starts_with("bad:1: found no heading of SCALE-Sim"));
}

TEST_F(Lists, HeaderOfDeepBench) {
    const std::string header =
        "// m, n, k, a_t, b_t\n"
        "std::vector<std::tuple<int, int, int, bool, bool>> first_set = {\n"
        "    std::make_tuple(35, 84, 17, false, true),\n"
        "    // std::make_tuple(1, 1, 1, false, false),\n"
        "    std::make_tuple(35, 84, 17, true, false)\n"
        "};\n"
        "std::vector<std::tuple<int, int, int, bool, bool>> second_set = {\n"
        "    std::make_tuple(5, 6, 7, false, false)\n};\n";
    const auto all = read_deepbench(file("gemm.h", header));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(shape_of(all[0]), Shape(35, 84, 17));
    using Points = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(points(all), (Points{{"35x84x17 NT", "M=35 K=17 N=84 dtype=bf16 ta=0 tb=1"},
                                   {"35x84x17 TN", "M=35 K=17 N=84 dtype=bf16"},
                                   {"5x6x7 NN", "M=5 K=7 N=6 dtype=bf16 ta=0"}}));
    const auto second = read_deepbench(folder / "gemm.h", "second_set");
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(shape_of(second[0]), Shape(5, 6, 7));
    EXPECT_EQ(test::message_of<Error>([&] { read_deepbench(folder / "gemm.h", "third"); }),
              (folder / "gemm.h").string() + ": found no list third, expected one of first_set, second_set");
}

TEST_F(Lists, CommentsOfDeepBenchAreNoShapes) {
    const std::string begin =
        "/* old_set = {\n  std::make_tuple(1, 1, 1, false, false),\n*/\nset = {\n"
        "  std::make_tuple(35, /* n */ 84, 17, false, true), // */\n"
        "  /* std::make_tuple(2, 2, 2, false, false) */\n";
    const std::string end = "};\n/* no end\nstd::make_tuple(3, 3, 3, false, false)";
    const auto list = read_deepbench(file("gemm.h", begin + end));
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(shape_of(list[0]), Shape(35, 84, 17));
    EXPECT_EQ(list[0].place, (folder / "gemm.h").string() + ":5");
    EXPECT_EQ(refusal(begin + "  std::make_tuple(0, 6, 7, false, false)\n" + end, ReadDeepbench),
              "bad:7: m: found '0', expected a whole number from 1");
}

// A window of 5 x 3 over 12 x 10 with padding of 1 and 0 and strides of 2 and 1: 5 x 8 positions of 4 images.
TEST_F(Lists, ConvolutionsAndTablesOfDeepBench) {
    const auto list = read_deepbench(
        file("conv.h", "auto training_set = {\n  std::make_tuple(12, 10, 3, 4, 32, 5, 3, 1, 0, 2, 1)\n};\n"));
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(shape_of(list[0]), Shape(4 * 5 * 8, 32, 3 * 5 * 3));
    const auto table = read_deepbench(file("t.csv", "time,M,n,k,a_t,b_t\n0.5,8,9,10,T,n\n0.25,1,2,3,0,1\n"));
    ASSERT_EQ(table.size(), 2u);
    EXPECT_EQ(table[0].label, "8x9x10 TN");
    EXPECT_EQ(table[1].label, "1x2x3 NT");
    EXPECT_EQ(
        refusal("m,n\n", ReadDeepbench),
        "bad: found neither make_tuple(...) nor a heading with m, n, k, a_t, b_t, expected one of them");
    EXPECT_EQ(refusal("x = { make_tuple(1, 2, 3, \"lstm\") };", ReadDeepbench),
              "bad:1: found a tuple of 4, expected 5, a matrix product, or 11, a convolution");
    EXPECT_EQ(refusal("m,n,k,a_t,b_t\n1,2,3,yes,no\n", ReadDeepbench),
              "bad:2: a_t: found 'yes', expected true or false");
}

}  // namespace
}  // namespace trnsim::importers
