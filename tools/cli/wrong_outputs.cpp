#include "tools/cli/wrong_outputs.hpp"

namespace trnsim::cli {

std::vector<std::string> WrongOutputs::disagreements(const runtime::Result& result) {
    std::vector<std::string> lines;
    if (!result.done()) return lines;
    for (std::size_t t = 0; t < request_.package().tensors.size(); ++t) {
        const neff::Tensor& tensor = request_.package().tensors[t];
        const auto expected = request_.files.expected.find(tensor.name);
        if (expected == request_.files.expected.end()) continue;
        npy::InputFile file(expected->second);
        const auto found = disagreement(tensor, result.outputs.at(tensor.name), file, request_.tolerance);
        if (found)
            lines.push_back(found->text + trial::writer_text(request_.package(), t, found->worst) +
                            origin_of({t, found->worst}));
    }
    return lines;
}

std::vector<std::string> WrongOutputs::differences(const GoldenCheck& check, const runtime::Result& result) {
    std::vector<std::string> lines;
    for (const trial::Difference& difference : check.differences(result.outputs))
        lines.push_back(trial::describe(request_.package(), difference) +
                        origin_of({difference.tensor, difference.elements.front()}));
    return lines;
}

std::string WrongOutputs::origin_of(const NamedElement& element) {
    if (request_.resumed || (request_.options.no_check && request_.options.wave_on_error.empty())) return "";
    std::vector<trial::Writer> writers;
    try {
        writers = trial::writers_of(trial_of(request_.package(), request_.config, prepared_),
                                    rounding_of(prepared_), element.tensor, element.element, request_.limits);
    } catch (const functional::Error&) {
        return "";  // a kernel that the interpreter cannot run
    } catch (const functional::Interrupted&) {
        return "";  // the differences stay without it
    }
    if (!first_ && !writers.empty()) first_ = {element, *trial::computed(writers)};
    return trial::origin_text(request_.package(), writers);
}

}  // namespace trnsim::cli
