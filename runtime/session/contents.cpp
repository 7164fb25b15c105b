#include "runtime/session/contents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/neff/sizes.hpp"
#include "runtime/session/error.hpp"
#include "runtime/session/tensor_io.hpp"

namespace trnsim::runtime {

std::string names_of(const neff::Package& package, bool (*has)(neff::TensorKind)) {
    std::string names;
    for (const neff::Tensor& tensor : package.tensors) {
        if (has(tensor.kind)) names += (names.empty() ? "" : " ") + tensor.name;
    }
    return names.empty() ? "none" : names;
}

std::string type_text(const neff::Tensor& tensor) {
    return fmt::format("{} {}", npy::format_shape(tensor.shape), name_of(tensor.dtype));
}

Contents contents_of(const neff::Package& package, const Arrays& inputs, const IsBound& bound) {
    Contents contents(package.tensors.size());
    for (const auto& [name, array] : inputs) {
        const auto tensor = std::ranges::find(package.tensors, name, &neff::Tensor::name);
        if (tensor == package.tensors.end() || !neff::is_input(tensor->kind)) {
            throw Error(fmt::format("kernel '{}' has no input '{}'; its inputs: {}", package.name, name,
                                    names_of(package, neff::is_input)),
                        Status::ExecBadInput);
        }
        contents[static_cast<std::size_t>(tensor - package.tensors.begin())] = to_device(*tensor, array);
    }
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_input(tensor.kind) || bound(i) || inputs.contains(tensor.name)) continue;
        throw Error(
            fmt::format("kernel '{}' needs input '{}' of {}", package.name, tensor.name, type_text(tensor)),
            Status::ExecBadInput);
    }
    return contents;
}

void clear_outputs(Machine& machine, const neff::Package& package, const Image& image, const IsBound& bound) {
    if (machine.random_memory()) return;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind) || neff::is_input(tensor.kind) || bound(i)) continue;
        machine.write(image.tensor_address[i], std::vector<std::uint8_t>(neff::tensor_bytes(tensor)));
    }
}

void write_contents(Machine& machine, const Image& image, const Contents& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
        if (!contents[i].empty()) machine.write(image.tensor_address[i], contents[i]);
    }
}

Arrays read_outputs(Machine& machine, const neff::Package& package, const Image& image,
                    const IsBound& bound) {
    Arrays outputs;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind) || bound(i)) continue;
        std::vector<std::uint8_t> bytes(neff::tensor_bytes(tensor));
        machine.read(image.tensor_address[i], bytes);
        outputs.emplace(tensor.name, from_device(tensor, std::move(bytes)));
    }
    return outputs;
}

}  // namespace trnsim::runtime
