#include "runtime/loader/tensor_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "arch/numerics/format.hpp"
#include "compiler/neff/package.hpp"
#include "isa/element_type.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::loader {
namespace {

struct TypeRow {
    isa::Dtype dtype;
    npy::Type raw;  // the type that is copied as it is, and written
    bool rounds;    // takes fp32, too
};

constexpr std::array Types{
    TypeRow{isa::Dtype::Fp32, npy::Type::F4, false},   TypeRow{isa::Dtype::Tf32, npy::Type::F4, true},
    TypeRow{isa::Dtype::Bf16, npy::Type::V2, true},    TypeRow{isa::Dtype::Fp16, npy::Type::F2, true},
    TypeRow{isa::Dtype::Fp8E3m4, npy::Type::V1, true}, TypeRow{isa::Dtype::Fp8E4m3, npy::Type::V1, true},
    TypeRow{isa::Dtype::Fp8E5m2, npy::Type::V1, true}, TypeRow{isa::Dtype::I8, npy::Type::I1, false},
    TypeRow{isa::Dtype::U8, npy::Type::U1, false},     TypeRow{isa::Dtype::I16, npy::Type::I2, false},
    TypeRow{isa::Dtype::U16, npy::Type::U2, false},    TypeRow{isa::Dtype::I32, npy::Type::I4, false},
    TypeRow{isa::Dtype::U32, npy::Type::U4, false},
};

std::string_view numpy_name(npy::Type integer) {
    switch (integer) {
        case npy::Type::I1:
            return "int8";
        case npy::Type::U1:
            return "uint8";
        case npy::Type::I2:
            return "int16";
        case npy::Type::U2:
            return "uint16";
        case npy::Type::U4:
            return "uint32";
        default:
            return "int32";
    }
}

const TypeRow& row_of(isa::Dtype dtype) {
    const auto row = std::ranges::find(Types, dtype, &TypeRow::dtype);
    if (row == Types.end()) throw Error(fmt::format("undefined data type {}", static_cast<unsigned>(dtype)));
    return *row;
}

// Returns a hint for a message: the conversion of an array that NumPy makes of plain numbers to an accepted
// one.
std::string conversion(const neff::Tensor& tensor, npy::Type found, const TypeRow& row) {
    if (found != npy::Type::F8 && found != npy::Type::I8) return "";
    const bool takes_floats = row.rounds || row.raw == npy::Type::F4;
    const std::string_view type = takes_floats ? "float32" : numpy_name(row.raw);
    return fmt::format("; {}.astype(np.{}) converts it", tensor.name, type);
}

std::vector<std::uint8_t> round(const npy::Array& array, isa::Dtype dtype) {
    const std::size_t bytes = isa::element_size(dtype);
    const std::size_t elements = array.data.size() / sizeof(float);
    std::vector<std::uint8_t> out(elements * bytes);
    // The bytes of a vector are aligned like its allocation, which suits every type.
    const std::span values(reinterpret_cast<const float*>(array.data.data()), elements);
    numerics::from_fp32(values, dtype, out.data());
    return out;
}

}  // namespace

std::vector<std::uint8_t> to_device(const neff::Tensor& tensor, const npy::Array& array) {
    const TypeRow& row = row_of(tensor.dtype);
    if (array.shape != tensor.shape) {
        throw Error(fmt::format("input '{}': shape {}, expected {}", tensor.name,
                                npy::format_shape(array.shape), npy::format_shape(tensor.shape)),
                    Status::ExecBadInput);
    }
    if (row.rounds && array.type == npy::Type::F4) return round(array, tensor.dtype);
    if (array.type != row.raw) {
        throw Error(
            fmt::format("input '{}': array of {}, expected {}{} for {}{}", tensor.name,
                        npy::descr(array.type), row.rounds && row.raw != npy::Type::F4 ? "<f4 or " : "",
                        npy::descr(row.raw), name_of(tensor.dtype), conversion(tensor, array.type, row)),
            Status::ExecBadInput);
    }
    return array.data;
}

npy::Array from_device(const neff::Tensor& tensor, std::vector<std::uint8_t> bytes) {
    return {row_of(tensor.dtype).raw, tensor.shape, std::move(bytes)};
}

npy::Array as_fp32(const neff::Tensor& tensor, const npy::Array& array) {
    if (!numerics::is_float(tensor.dtype))
        throw Error(fmt::format("output '{}': {} is not converted to fp32, expected a floating-point type",
                                tensor.name, name_of(tensor.dtype)));
    if (array.type == npy::Type::F4) return array;
    const std::size_t bytes = npy::item_bytes(array.type), elements = array.data.size() / bytes;
    npy::Array wide{npy::Type::F4, array.shape, std::vector<std::uint8_t>(elements * sizeof(float))};
    for (std::size_t i = 0; i < elements; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &array.data[i * bytes], bytes);
        const float value = numerics::to_fp32(bits, tensor.dtype);
        std::memcpy(&wide.data[i * sizeof value], &value, sizeof value);
    }
    return wide;
}

}  // namespace trnsim::loader
