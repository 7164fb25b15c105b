#include "runtime/session/contents.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "compiler/neff/sizes.hpp"
#include "runtime/loader/tensor_io.hpp"

namespace trnsim::runtime {

void clear_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                   const IsBound& bound) {
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind) || neff::is_input(tensor.kind) || bound(i)) continue;
        machine.forget(image.tensor_address[i], neff::tensor_bytes(tensor));
    }
}

void write_contents(CoreAccess& machine, const Image& image, const Contents& contents) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
        std::uint64_t address = image.tensor_address[i];
        contents[i].give([&](std::span<const std::uint8_t> piece) {
            machine.write(address, piece);
            address += piece.size();
        });
    }
}

Arrays read_outputs(CoreAccess& machine, const neff::Package& package, const Image& image,
                    const IsBound& bound, bool takes) {
    Arrays outputs;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const neff::Tensor& tensor = package.tensors[i];
        if (!neff::is_output(tensor.kind) || bound(i)) continue;
        const std::uint64_t all = neff::tensor_bytes(tensor);
        std::vector<std::uint8_t> bytes;
        bytes.reserve(all);
        while (bytes.size() < all) {
            const std::uint64_t done = bytes.size(), count = std::min(loader::PieceBytes, all - done);
            bytes.resize(done + count);
            machine.read(image.tensor_address[i] + done, std::span(bytes).subspan(done));
            if (takes) machine.forget(image.tensor_address[i] + done, count);
        }
        outputs.emplace(tensor.name, loader::from_device(tensor, std::move(bytes)));
    }
    return outputs;
}

}  // namespace trnsim::runtime
