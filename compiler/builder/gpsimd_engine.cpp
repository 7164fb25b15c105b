// The GpSimd engine's part of KernelBuilder: images, commands of the microcode, custom operators.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "arch/firmware/image.hpp"
#include "base/files/files.hpp"
#include "base/places/places.hpp"
#include "compiler/builder/error.hpp"
#include "compiler/builder/gpsimd_command.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/builder/microcode.hpp"
#include "compiler/neff/error.hpp"
#include "compiler/neff/images.hpp"
#include "isa/element_type.hpp"

namespace trnsim::builder {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

constexpr std::array ArgumentFields{&field::W0, &field::W1, &field::W2, &field::W3, &field::W4,  &field::W5,
                                    &field::W6, &field::W7, &field::W8, &field::W9, &field::W10, &field::W11};

}  // namespace

GpsimdImage KernelBuilder::gpsimd_image(const std::filesystem::path& file, Where where) {
    return gpsimd_image(file.stem().string(), files::read(file), where);
}

GpsimdImage KernelBuilder::gpsimd_image(const std::string& name, std::vector<std::uint8_t> bytes,
                                        Where where) try {
    check_unfinished();
    const auto same = std::ranges::find(package_.images, name, &neff::GpsimdImage::name);
    if (same != package_.images.end()) {
        if (same->bytes != bytes) throw Error(fmt::format("image '{}' is there with other contents", name));
        return {static_cast<std::uint32_t>(same - package_.images.begin()), number_};
    }
    try {
        firmware::Image image = firmware::parse(bytes, fmt::format("image '{}'", name));
        neff::check_vlen(name, image.vlen, target());
        gpsimd_.operations.push_back(std::move(image.operations));
    } catch (const firmware::Error& error) {
        throw Error(error.what());
    } catch (const neff::Error& error) {
        throw Error(error.what());
    }
    package_.images.push_back({name, std::move(bytes)});
    return {static_cast<std::uint32_t>(package_.images.size() - 1), number_};
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::check_image(GpsimdImage image, std::string_view call) const {
    if (image.builder != number_ || image.number >= package_.images.size())
        throw Error(fmt::format("{}: the image is none of kernel '{}'; gpsimd_image() takes it in", call,
                                package_.name));
}

neff::GpsimdImage microcode_image(const target::Core& target) {
    const std::string name = fmt::format("firmware/microcode_vlen{}.gpsimd", target.gpsimd_vlen);
    for (const std::filesystem::path& folder : places::shipped_folders()) {
        std::error_code ignored;
        const std::filesystem::path file = folder / name;
        if (std::filesystem::is_regular_file(file, ignored)) return {"microcode", files::read(file)};
    }
    throw Error(
        fmt::format("GpSimd's microcode is not there: no {} beside the program; its target of the "
                    "build is 'microcode'",
                    name));
}

GpsimdImage KernelBuilder::microcode() {
    neff::GpsimdImage image = microcode_image(target());
    return gpsimd_image(image.name, std::move(image.bytes), {});
}

Queue KernelBuilder::gpsimd_queue() {
    if (!gpsimd_.queue) gpsimd_.queue = queue("qGpsimd", Engine::Gpsimd);
    return *gpsimd_.queue;
}

Event KernelBuilder::gpsimd(GpsimdImage image, const After& after, Where where) try {
    check_image(image, "gpsimd");
    check_own(after);
    Step step(Engine::Gpsimd, Instruction(Opcode::GpsimdStart), after);
    step.image = image;
    return take(std::move(step), where);
} catch (const Error&) {
    throw_at(where);
}

void KernelBuilder::need_image(GpsimdImage image, std::uint32_t place) {
    if (gpsimd_.loaded != image) start(image, {}, place);
}

neff::Transfer KernelBuilder::image_load(GpsimdImage image) const {
    const neff::GpsimdImage& file = package_.images[image.number];
    neff::Transfer transfer =
        neff::image_transfer(neff::contents_of(file), image.number, 0, target::gpsimd_cores(target()));
    transfer.name = fmt::format("load image {}", file.name);
    return transfer;
}

Event KernelBuilder::start(GpsimdImage image, const After& after, std::uint32_t place) {
    if (body_)
        throw Error(
            fmt::format("{}: loop: GpSimd's cores have another image; load it by gpsimd() before the loop",
                        name_of_place(place)));
    neff::Transfer transfer = image_load(image);
    transfer.queue = gpsimd_queue().number;
    // The cores must be idle while the image is loaded.
    After before = after;
    if (gpsimd_.last) before.push_back(*gpsimd_.last);
    const Event loaded = append_transfer(*gpsimd_.queue, std::move(transfer), before, place);
    Instruction start(Opcode::GpsimdStart);
    start.set(field::CoreMask, (1U << target::gpsimd_cores(target())) - 1)
        .set(field::Boot, neff::contents_of(package_.images[image.number]).entry);
    gpsimd_.loaded = image;
    gpsimd_.last = append(Engine::Gpsimd, start, {loaded}, true, place);
    return *gpsimd_.last;
}

void KernelBuilder::append_arguments(const std::vector<std::uint32_t>& words, std::uint32_t place) {
    for (std::size_t first = 0; first < words.size(); first += ArgumentFields.size()) {
        Instruction arguments(Opcode::GpsimdArguments);
        const std::size_t count = std::min(words.size() - first, ArgumentFields.size());
        arguments.set(field::FirstWord, first).set(field::Words, count);
        for (std::size_t i = 0; i < count; ++i) arguments.set(*ArgumentFields[i], words[first + i]);
        append(Engine::Gpsimd, arguments, {}, true, place);
    }
}

Event KernelBuilder::append_gpsimd(GpsimdImage image, std::uint32_t operation, const GpsimdCommand& command,
                                   const After& after, const Where& where) {
    Step step = command.step(operation, after);
    for (const Access& access : step.accesses) check_own(*access.tile());
    check_own(after);
    step.image = image;
    step.custom = image != gpsimd_.microcode;
    return take(std::move(step), where);
}

Event KernelBuilder::append_microcode(std::uint32_t operation, const GpsimdCommand& command,
                                      const After& after, const Where& where) {
    if (!gpsimd_.microcode) gpsimd_.microcode = microcode();
    return append_gpsimd(*gpsimd_.microcode, operation, command, after, where);
}

Event KernelBuilder::custom_op(GpsimdImage image, const std::string& operation, std::span<const Tile> tensors,
                               std::span<const Number> scalars, const CustomOp& options, Where where) try {
    GpsimdCommand command(target(), operation);
    check_image(image, operation);
    const std::vector<std::string>& names = gpsimd_.operations[image.number];
    const auto found = std::ranges::find(names, operation);
    command.require(found != names.end(),
                    fmt::format("image '{}' has no such operator, there are: {}",
                                package_.images[image.number].name, fmt::join(names, ", ")));
    command.require(!tensors.empty() && tensors.size() <= firmware::MostTensors &&
                        scalars.size() <= firmware::MostScalars,
                    fmt::format("takes 1 to {} tensors and up to {} scalars", firmware::MostTensors,
                                firmware::MostScalars));
    command.require(options.results >= 1 && options.results <= tensors.size(),
                    fmt::format("{} results of {} tensors", options.results, tensors.size()));
    firmware::CustomOpArguments arguments{};
    arguments.tensors = static_cast<std::uint32_t>(tensors.size());
    arguments.scalars = static_cast<std::uint32_t>(scalars.size());
    std::ranges::transform(scalars, arguments.scalar, [](const Number& number) {
        return std::visit([](auto value) { return std::bit_cast<std::uint32_t>(value); }, number);
    });
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tile& tile = tensors[i];
        command.read(tile);
        if (i + options.results >= tensors.size()) command.write(tile);
        command.require(tile.axes.size() < firmware::MostAxes,
                        fmt::format("{}: an operator takes {} free axes at most", tile.describe(),
                                    firmware::MostAxes - 1));
        firmware::TensorDescriptor& descriptor = arguments.tensor[i];
        descriptor = {tile.partition,
                      tile.offset,
                      static_cast<firmware::Dtype>(tile.dtype),
                      static_cast<std::uint32_t>(tile.axes.size()) + 1,
                      {tile.partitions},
                      {}};
        for (std::size_t axis = 0; axis < tile.axes.size(); ++axis) {
            descriptor.shape[axis + 1] = tile.axes[axis].count;
            descriptor.strides[axis + 1] =
                static_cast<std::int32_t>(tile.axes[axis].step * isa::element_size(tile.dtype));
        }
    }
    const std::size_t used =
        offsetof(firmware::CustomOpArguments, tensor) + tensors.size() * sizeof(firmware::TensorDescriptor);
    std::vector<GpsimdCommand::TileWord> places;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::size_t descriptor =
            offsetof(firmware::CustomOpArguments, tensor) + i * sizeof(firmware::TensorDescriptor);
        places.push_back({descriptor + offsetof(firmware::TensorDescriptor, address), tensors[i]});
    }
    command.set_words({reinterpret_cast<const std::uint8_t*>(&arguments), used}, places);
    return append_gpsimd(image, static_cast<std::uint32_t>(found - names.begin()), command, options.after,
                         where);
} catch (const Error&) {
    throw_at(where);
}

}  // namespace trnsim::builder
