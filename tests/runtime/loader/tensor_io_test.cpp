#include "runtime/loader/tensor_io.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "common/temporary_directory.hpp"
#include "compiler/neff/package.hpp"
#include "isa/element_type.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::loader {
namespace {

using isa::Dtype;
using Bytes = std::vector<std::uint8_t>;

npy::Array floats(const std::vector<float>& values) {
    npy::Array array{npy::Type::F4, {values.size()}, Bytes(values.size() * 4)};
    std::memcpy(array.data.data(), values.data(), array.data.size());
    return array;
}

neff::Tensor tensor(Dtype dtype, std::vector<std::uint64_t> shape) {
    return {"x", neff::TensorKind::Input, dtype, std::move(shape)};
}

TEST(TensorIo, Fp32RoundsToNearestEven) {
    // 1 + 2^-8 is half way between two bf16 values, and the lower one is even; 1 + 3 x 2^-8 is half way below
    // an even upper one.
    EXPECT_EQ(to_device(tensor(Dtype::Bf16, {2}), floats({1.00390625f, 1.01171875f})),
              (Bytes{0x80, 0x3f, 0x82, 0x3f}));
    EXPECT_EQ(to_device(tensor(Dtype::Fp8E4m3, {2}), floats({1.0625f, -240.0f})), (Bytes{0x38, 0xf7}));
    EXPECT_EQ(to_device(tensor(Dtype::Fp16, {1}), floats({1.0f})), (Bytes{0x00, 0x3c}));
    EXPECT_EQ(to_device(tensor(Dtype::Tf32, {1}), floats({1.0001f})), (Bytes{0x00, 0x00, 0x80, 0x3f}));
}

TEST(TensorIo, RawArraysPassAsTheyAre) {
    const std::pair<Dtype, npy::Type> pairs[] = {
        {Dtype::Fp32, npy::Type::F4},    {Dtype::Bf16, npy::Type::V2},    {Dtype::Fp16, npy::Type::F2},
        {Dtype::Fp8E3m4, npy::Type::V1}, {Dtype::Fp8E4m3, npy::Type::V1}, {Dtype::Fp8E5m2, npy::Type::V1},
        {Dtype::I8, npy::Type::I1},      {Dtype::U8, npy::Type::U1},      {Dtype::I16, npy::Type::I2},
        {Dtype::U16, npy::Type::U2},     {Dtype::I32, npy::Type::I4},     {Dtype::U32, npy::Type::U4},
    };
    for (const auto& [dtype, type] : pairs) {
        Bytes data(2 * isa::element_size(dtype));
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(0xf9 + i);
        EXPECT_EQ(to_device(tensor(dtype, {2}), {type, {2}, data}), data);
        const npy::Array back = from_device(tensor(dtype, {2}), data);
        EXPECT_EQ(back.type, type);
        EXPECT_EQ(back.data, data);
        EXPECT_EQ(back.shape, std::vector<std::uint64_t>{2});
    }
}

TEST(TensorIo, ErrorsNameTensorShapeAndType) {
    const auto error = [](Dtype dtype, const npy::Array& array) {
        return test::message_of<Error>([&] { to_device(tensor(dtype, {2}), array); });
    };
    EXPECT_EQ(error(Dtype::Fp32, floats({1, 2, 3})), "input 'x': shape 3, expected 2");
    EXPECT_EQ(error(Dtype::Fp32, {npy::Type::I4, {2}, Bytes(8)}),
              "input 'x': array of <i4, expected <f4 for fp32");
    EXPECT_EQ(error(Dtype::Bf16, {npy::Type::V1, {2}, Bytes(2)}),
              "input 'x': array of |V1, expected <f4 or <V2 for bf16");
    EXPECT_EQ(error(Dtype::I8, floats({1, 2})), "input 'x': array of <f4, expected |i1 for i8");
    const npy::Array doubles{npy::Type::F8, {2}, Bytes(16)}, longs{npy::Type::I8, {2}, Bytes(16)};
    EXPECT_EQ(error(Dtype::Bf16, doubles),
              "input 'x': array of <f8, expected <f4 or <V2 for bf16; x.astype(np.float32) converts it");
    EXPECT_EQ(error(Dtype::Fp32, doubles),
              "input 'x': array of <f8, expected <f4 for fp32; x.astype(np.float32) converts it");
    EXPECT_EQ(error(Dtype::U16, longs),
              "input 'x': array of <i8, expected <u2 for u16; x.astype(np.uint16) converts it");
}

}  // namespace
}  // namespace trnsim::loader
