#include "runtime/session/bound_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/neff/sizes.hpp"

namespace trnsim::runtime {
namespace {

bool is_outside(neff::TensorKind kind) {
    return neff::is_input(kind) || neff::is_output(kind);
}

}  // namespace

std::size_t find_outside(const neff::Package& package, std::string_view name) {
    const auto tensor = std::ranges::find(package.tensors, name, &neff::Tensor::name);
    if (tensor == package.tensors.end() || !is_outside(tensor->kind)) {
        throw Error(fmt::format("kernel '{}' has no input or output '{}'; its inputs: {}; its outputs: {}",
                                package.name, name, loader::names_of(package, neff::is_input),
                                loader::names_of(package, neff::is_output)),
                    Status::ExecBadInput);
    }
    return static_cast<std::size_t>(tensor - package.tensors.begin());
}

void check_fits(const neff::Package& package, const neff::Tensor& wanted, const DeviceTensor& given) {
    const std::string place =
        fmt::format("kernel '{}', '{}' bound to tensor '{}': ", package.name, wanted.name, given.name);
    if (given.type && (given.type->dtype != wanted.dtype || given.type->shape != wanted.shape)) {
        throw Error(
            place + fmt::format("{}, expected {}", loader::type_text(*given.type), loader::type_text(wanted)),
            Status::ExecBadInput);
    }
    if (given.bytes != neff::tensor_bytes(wanted)) {
        throw Error(place + fmt::format("{} bytes, expected {} ({})", given.bytes, neff::tensor_bytes(wanted),
                                        loader::type_text(wanted)),
                    Status::ExecBadInput);
    }
}

void check_distinct(const neff::Package& package, std::span<const std::optional<TensorId>> bound) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
        for (std::size_t k = i + 1; k < bound.size(); ++k) {
            if (!bound[i] || bound[i] != bound[k]) continue;
            const neff::Tensor &a = package.tensors[i], &b = package.tensors[k];
            if (!neff::is_output(a.kind) && !neff::is_output(b.kind)) continue;
            throw Error(fmt::format("kernel '{}': '{}' and '{}' are bound to the same tensor, which the "
                                    "kernel writes",
                                    package.name, a.name, b.name),
                        Status::ExecBadInput);
        }
    }
}

void check_collectives(const neff::Package& package, std::span<const std::uint64_t> placed,
                       std::span<const std::uint64_t> now) {
    for (const neff::Transfer& transfer : package.transfers) {
        if (!transfer.collective) continue;
        for (const neff::Pattern* end : {&transfer.from, &transfer.to}) {
            if (placed[end->tensor] == now[end->tensor]) continue;
            throw Error(
                fmt::format(
                    "kernel '{}': '{}' is bound to another tensor than at load(), expected the same, as "
                    "collective '{}' has it",
                    package.name, package.tensors[end->tensor].name, transfer.name),
                Status::ExecBadInput);
        }
    }
}

}  // namespace trnsim::runtime
