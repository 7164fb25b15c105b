// The bytes are a module as a file has it: serialised, gzip or not, or text. One that is valid is also evaluated, within
// small limits, with zeros for arguments.
#include <algorithm>

#include "compiler/hlo/error.hpp"
#include "compiler/hlo/evaluate/evaluate.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"
#include "fuzz/targets.hpp"

namespace trnsim::fuzz {
namespace {

constexpr std::uint64_t Memory = std::uint64_t{1} << 24, Work = std::uint64_t{1} << 22;

hlo::evaluate::Value zeros(const hlo::Shape& shape) {
    if (shape.is_tuple()) {
        std::vector<hlo::evaluate::Value> parts;
        for (const hlo::Shape& part : shape.tuple) parts.push_back(zeros(part));
        return {shape.type, {}, nullptr, std::move(parts)};
    }
    const auto count = shape.is_array() ? static_cast<std::size_t>(hlo::elements(shape)) : 0;
    return {shape.type, shape.dimensions, std::make_shared<const hlo::evaluate::Cells>(count), {}};
}

void evaluate(const hlo::Module& module) {
    hlo::evaluate::Options options;
    options.memory = Memory;
    options.work = Work;
    std::int64_t bytes = 0;
    hlo::evaluate::Arguments arguments;
    const hlo::Computation& entry = module.entry_computation();
    for (const hlo::Position at : entry.parameters()) {
        const hlo::Shape& shape = entry.instructions[at].shape;
        bytes = std::max(bytes, hlo::bytes(shape));
        if (bytes > static_cast<std::int64_t>(Memory) / 8) return;
        arguments.push_back(zeros(shape));
    }
    try {
        (void)hlo::evaluate::run(module, arguments, options);
    } catch (const hlo::Error& error) {
        expect_line(error.what());
    }
}

}  // namespace

void hlo(Bytes input) {
    hlo::Module module;
    try {
        module = hlo::parse(input, "input.hlo.pb");
        const std::string written = hlo::serialise(module);
        expect(hlo::serialise(hlo::parse_proto(written)) == written,
               "what is written is read back as something else");
        hlo::verify(module);
    } catch (const hlo::Error& error) {
        expect_line(error.what());
        return;
    }
    // A valid module has a text, unless its names are no words. Text that was read and printed is a fixed point.
    try {
        const std::string text = hlo::print(hlo::parse_text(hlo::print(module)));
        expect(hlo::print(hlo::parse_text(text)) == text, "the text is read back as something else");
    } catch (const hlo::Error& error) {
        expect_line(error.what());
    }
    evaluate(module);
}

}  // namespace trnsim::fuzz
