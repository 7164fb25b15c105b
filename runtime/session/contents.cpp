#include "runtime/session/contents.hpp"

#include "compiler/neff/sizes.hpp"
#include "runtime/loader/tensor_io.hpp"

namespace trnsim::runtime {

void clear_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                   const IsBound& bound) {
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind) || neff::is_input(tensor.kind) || bound(i)) continue;
        machine.write(image.tensor_address[i], std::vector<std::uint8_t>(neff::tensor_bytes(tensor)));
    }
}

void write_contents(CoreAccess& machine, const Image& image, const Contents& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
        if (!contents[i].empty()) machine.write(image.tensor_address[i], contents[i]);
    }
}

Arrays read_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                    const IsBound& bound) {
    Arrays outputs;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind) || bound(i)) continue;
        std::vector<std::uint8_t> bytes(neff::tensor_bytes(tensor));
        machine.read(image.tensor_address[i], bytes);
        outputs.emplace(tensor.name, loader::from_device(tensor, std::move(bytes)));
    }
    return outputs;
}

}  // namespace trnsim::runtime
