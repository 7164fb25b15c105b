#include "python/src/arrays.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arch/config/units.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/error.hpp"

namespace trnsim::python {

namespace nb = nanobind;

npy::Array to_array(const nb::handle& handle) {
    const nb::tuple parts = nb::cast<nb::tuple>(handle);
    const std::string descr = nb::cast<std::string>(parts[0]);
    const auto bytes = nb::cast<nb::bytes>(parts[2]);
    npy::Array array{{}, nb::cast<std::vector<std::uint64_t>>(parts[1]), {}};
    for (int type = 0; type <= static_cast<int>(npy::Type::V1); ++type) {
        if (npy::descr(static_cast<npy::Type>(type)) != descr) continue;
        array.type = static_cast<npy::Type>(type);
        const auto* data = static_cast<const std::uint8_t*>(bytes.data());
        array.data.assign(data, data + bytes.size());
        return array;
    }
    throw runtime::Error(
        fmt::format("array of type {}, expected one of an element type of the device", descr),
        Status::ExecBadInput);
}

nb::tuple to_python(const npy::Array& array) {
    const std::string_view descr = npy::descr(array.type);
    return nb::make_tuple(nb::str(descr.data(), descr.size()), nb::tuple(nb::cast(array.shape)),
                          nb::bytes(array.data.data(), array.data.size()));
}

runtime::Arrays to_arrays(const nb::dict& arrays) {
    runtime::Arrays result;
    for (const auto& [name, array] : arrays) result.emplace(nb::cast<std::string>(name), to_array(array));
    return result;
}

std::map<std::string, std::vector<std::uint8_t>> bytes_of(const neff::Package& package,
                                                          const runtime::Arrays& arrays) {
    std::map<std::string, std::vector<std::uint8_t>> bytes;
    for (const neff::Tensor& tensor : package.tensors) {
        const auto array = arrays.find(tensor.name);
        if (array != arrays.end()) bytes.emplace(tensor.name, loader::to_device(tensor, array->second));
    }
    return bytes;
}

nb::dict to_python(const runtime::Arrays& arrays) {
    nb::dict result;
    for (const auto& [name, array] : arrays) result[name.c_str()] = to_python(array);
    return result;
}

std::uint64_t to_time(const std::string& max_time) {
    const auto time = config::parse_quantity(max_time, config::Quantity::Time);
    if (!time || *time == 0)
        throw runtime::Error(fmt::format("max_time {}: expected a time above 0 such as '5 ms'", max_time));
    return *time;
}

}  // namespace trnsim::python
