#include "python/src/arrays.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arch/config/units.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/error.hpp"

namespace trnsim::python {

namespace nb = nanobind;

namespace {

npy::Type type_of(const std::string& descr) {
    for (int type = 0; type <= static_cast<int>(npy::Type::V1); ++type) {
        if (npy::descr(static_cast<npy::Type>(type)) == descr) return static_cast<npy::Type>(type);
    }
    throw runtime::Error(
        fmt::format("array of type {}, expected one of an element type of the device", descr),
        Status::ExecBadInput);
}

// Returns an array whose bytes stay those of Python's object.
loader::Input to_input(const nb::handle& handle) {
    const nb::tuple parts = nb::cast<nb::tuple>(handle);
    const auto bytes = nb::cast<nb::bytes>(parts[2]);
    return {type_of(nb::cast<std::string>(parts[0])), nb::cast<std::vector<std::uint64_t>>(parts[1]),
            loader::Content::borrowed({static_cast<const std::uint8_t*>(bytes.data()), bytes.size()})};
}

}  // namespace

npy::Array to_array(const nb::handle& handle) {
    loader::Input input = to_input(handle);
    return {input.type, std::move(input.shape), input.data.bytes()};
}

nb::tuple to_python(const npy::Array& array) {
    const std::string_view descr = npy::descr(array.type);
    return nb::make_tuple(nb::str(descr.data(), descr.size()), nb::tuple(nb::cast(array.shape)),
                          nb::bytearray(array.data.data(), array.data.size()));
}

loader::Inputs to_inputs(const nb::dict& arrays) {
    loader::Inputs inputs;
    for (const auto& [name, array] : arrays) inputs.emplace(nb::cast<std::string>(name), to_input(array));
    return inputs;
}

std::map<std::string, std::vector<std::uint8_t>> bytes_of(const neff::Package& package,
                                                          const loader::Inputs& inputs) {
    std::map<std::string, std::vector<std::uint8_t>> bytes;
    for (const neff::Tensor& tensor : package.tensors) {
        const auto input = inputs.find(tensor.name);
        if (input != inputs.end())
            bytes.emplace(tensor.name, loader::to_device(tensor, input->second).bytes());
    }
    return bytes;
}

nb::dict to_python(runtime::Arrays arrays) {
    nb::dict result;
    while (!arrays.empty()) {  // each is freed before the next one is copied
        const auto node = arrays.extract(arrays.begin());
        result[node.key().c_str()] = to_python(node.mapped());
    }
    return result;
}

std::uint64_t to_time(const std::string& max_time) {
    const auto time = config::parse_quantity(max_time, config::Quantity::Time);
    if (!time || *time == 0)
        throw runtime::Error(fmt::format("max_time {}: expected a time above 0 such as '5 ms'", max_time));
    return *time;
}

}  // namespace trnsim::python
