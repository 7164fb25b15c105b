// trnsim compile: what it prints, writes and refuses.
#include "tools/compile/compile.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <stdexcept>

#include "base/files/files.hpp"
#include "base/npy/npy.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::test {
namespace {

constexpr const char* Model = R"(HloModule m
ENTRY main {
 x = f32[2] parameter(0)
 weight = bf16[2] parameter(1)
 p = pred[2] parameter(2)
 w = f32[2] convert(weight)
 product = f32[2] multiply(x, w)
 zero = f32[2] subtract(x, x)
 chosen = f32[2] select(p, product, zero)
 large = u64[1] constant({18446744073709551615})
 ROOT r = (f32[2], pred[2], u64[1], bf16[2]) tuple(chosen, p, large, weight)
}
)";

template <typename T>
std::vector<std::uint8_t> bytes_of(std::initializer_list<T> values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.begin(), bytes.size());
    return bytes;
}

class Compile : public testing::Test {
  protected:
    Compile() {
        files::write(path("m.hlo"), std::string_view(Model));
        npy::write(path("x.npy"), {npy::Type::F4, {2}, bytes_of<float>({3, 5})});
        npy::write(path("w.npy"), {npy::Type::F4, {2}, bytes_of<float>({2, 1.001F})});
        npy::write(path("p.npy"), {npy::Type::B1, {2}, {1, 1}});
        options_.model = path("m.hlo");
    }

    std::string path(const std::string& name) const { return (directory_ / name).string(); }
    // Returns the message of the refusal.
    std::string run() {
        out_.str("");
        const command::Environment environment{out_, err_};
        return message_of<std::exception>(
            [&] { EXPECT_EQ(compile::run(options_, environment), command::Success); });
    }
    void evaluate() {
        options_.evaluate = true;
        options_.inputs = {"arg0=" + path("x.npy"), "weight=" + path("w.npy"), "arg2=" + path("p.npy")};
    }

    TemporaryDirectory directory_;
    compile::Options options_;
    std::ostringstream out_, err_;
};

TEST_F(Compile, RefusesToCompileYet) {
    EXPECT_EQ(run(), path("m.hlo") +
                         ": is valid, but compilation to a kernel is not there yet; --evaluate computes its "
                         "results on this machine");
}

TEST_F(Compile, VerifiesAndPrints) {
    options_.verify = true;
    EXPECT_EQ(run(), "");
    options_.print = true;
    EXPECT_EQ(run(), "");
    EXPECT_NE(out_.str().find("  %product = f32[2]{0} multiply(%x, %w)\n"), std::string::npos) << out_.str();
    files::write(path("m.hlo"),
                 std::string_view(
                     "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n ROOT r = f32[3] negate(x)\n}"));
    EXPECT_EQ(run(), path("m.hlo") + ": %r: negate has the shape f32[3], expected f32[2]");
}

TEST_F(Compile, EvaluatesFilesIntoFiles) {
    evaluate();
    for (int i = 0; i < 4; ++i)
        options_.outputs.push_back("out" + std::to_string(i) + "=" +
                                   path("out" + std::to_string(i) + ".npy"));
    EXPECT_EQ(run(), "");
    EXPECT_EQ(out_.str(), "out0 f32[2]\nout1 pred[2]\nout2 u64[1]\nout3 bf16[2]\n");
    EXPECT_EQ(npy::read(path("out0.npy")).data, bytes_of<float>({6, 5}));  // 1.001 is 1 in bf16
    EXPECT_EQ(npy::read(path("out1.npy")).type, npy::Type::B1);
    EXPECT_EQ(npy::read(path("out2.npy")).data, bytes_of<std::uint64_t>({~std::uint64_t{0}}));
    EXPECT_EQ(npy::read(path("out3.npy")).data, bytes_of<std::uint16_t>({0x4000, 0x3f80}));
}

TEST_F(Compile, MistakesInArgumentsAreNamed) {
    options_.inputs = {"arg0=" + path("x.npy")};
    EXPECT_EQ(run(), "--input and --output: expected --evaluate with them");
    options_.evaluate = true;
    EXPECT_EQ(run(),
              "there is no --input arg1: the module has 3 arguments, and this one, %weight, is bf16[2]");
    evaluate();
    options_.inputs.push_back("arg3=" + path("x.npy"));
    EXPECT_EQ(run(), "--input arg3: the module has no such argument, expected arg0 to arg2");
    evaluate();
    options_.inputs[2] = "arg2=" + path("x.npy");
    EXPECT_EQ(run(), path("x.npy") + ": an array of <f4, expected |b1 for pred");
    evaluate();
    options_.inputs[0] = "arg0";
    EXPECT_EQ(run(), "--input arg0: expected NAME=FILE.npy");
    evaluate();
    options_.outputs = {"out4=" + path("o.npy")};
    EXPECT_EQ(run(), "--output out4: the module has no such result, expected out0 to out3");
    evaluate();
    options_.outputs = {"out0=" + path("x.npy")};
    EXPECT_NE(run(), "");
    npy::write(path("x.npy"), {npy::Type::F4, {3}, bytes_of<float>({3, 5, 7})});
    options_.outputs.clear();
    EXPECT_EQ(run(), path("x.npy") + ": an array of the shape 3, expected f32[2]");
}

}  // namespace
}  // namespace trnsim::test
