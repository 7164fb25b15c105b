#include "runtime/loader/contents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/loader/error.hpp"
#include "runtime/loader/tensor_io.hpp"

namespace trnsim::loader {

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

Inputs borrowed(const Arrays& arrays) {
    Inputs inputs;
    for (const auto& [name, array] : arrays) inputs.emplace(name, borrowed(array));
    return inputs;
}

Contents contents_of(const neff::Package& package, const Arrays& inputs, const IsBound& bound) {
    return contents_of(package, borrowed(inputs), bound);
}

Contents contents_of(const neff::Package& package, const Inputs& inputs, const IsBound& bound) {
    Contents contents(package.tensors.size());
    for (const auto& [name, input] : inputs) {
        const auto tensor = std::ranges::find(package.tensors, name, &neff::Tensor::name);
        if (tensor == package.tensors.end() || !neff::is_input(tensor->kind)) {
            throw Error(fmt::format("kernel '{}' has no input '{}'; its inputs: {}", package.name, name,
                                    names_of(package, neff::is_input)),
                        Status::ExecBadInput);
        }
        contents[static_cast<std::size_t>(tensor - package.tensors.begin())] = to_device(*tensor, input);
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

}  // namespace trnsim::loader
