#include "model/processes/ending.hpp"

#include <fmt/format.h>

#include "model/processes/exchange.hpp"
#include "model/processes/run.hpp"

namespace trnsim::tlm::processes {
namespace {

std::string text_of(End end, const std::string& text) {
    return static_cast<char>(end) + text;
}

}  // namespace

std::string job_text(const std::function<std::string()>& work) {
    try {
        return text_of(End::Returned, work());
    } catch (const Ended& ended) {
        return text_of(End::SawEnd, ended.what());
    } catch (const Failure& failure) {
        return text_of(End::Failed, failure.what());
    } catch (const std::exception& error) {
        return text_of(End::Threw, error.what());
    }
}

void Reasons::fail() const {
    if (worst_->end >= End::Failed) throw Failure(worst_->text);
    throw Error(worst_->text);
}

Ending ending_of(unsigned rank, unsigned count, const jobs::Outcome& outcome) {
    if (!outcome.returned())
        return {End::Died,
                count == 1 ? outcome.text : fmt::format("process {} of {}: {}", rank, count, outcome.text)};
    return {static_cast<End>(outcome.text.at(0)), outcome.text.substr(1)};
}

}  // namespace trnsim::tlm::processes
