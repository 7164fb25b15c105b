#include "model/system/other_chips.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "model/simulation/simulation.hpp"
#include "model/system/frame_bytes.hpp"

namespace trnsim::tlm {
namespace {

using processes::Message;
using processes::Reader;
using processes::Writer;

void put_standing(Writer& to, const Standing& standing) {
    for (const bool fact : {standing.goes_on, standing.cores_rest, standing.has_run, standing.dma_idle,
                            standing.pending, standing.quiescent, !!standing.failure})
        to.put(fact);
    to.put(standing.progress);
    if (!standing.failure) return;
    to.put(standing.failure->outcome);
    to.put_text(standing.failure->message);
}

Standing get_standing(Reader& from) {
    Standing standing;
    bool failed = false;
    for (bool* fact : {&standing.goes_on, &standing.cores_rest, &standing.has_run, &standing.dma_idle,
                       &standing.pending, &standing.quiescent, &failed})
        *fact = from.get<bool>();
    standing.progress = from.get<std::uint64_t>();
    if (failed) {
        const auto outcome = from.get<Outcome>();
        standing.failure = Standing::Failure{outcome, from.get_text()};
    }
    return standing;
}

}  // namespace

OtherChips::OtherChips(processes::Exchange* exchange, unsigned chips) : exchange_(exchange), chips_(chips) {
    if (!any()) return;
    if (exchange_->size() > chips_)
        throw std::invalid_argument(fmt::format("{} processes for {} chips, expected at most one for each",
                                                exchange_->size(), chips_));
    frames_.resize(exchange_->size());
}

unsigned OtherChips::process_of(unsigned chip) const {
    const unsigned size = exchange_->size();
    unsigned process = size - 1;
    while (process * chips_ / size > chip) --process;
    return process;
}

void OtherChips::send(neuronlink::End to, neuronlink::Frame frame, Time at) {
    Writer writer(frames_[process_of(to.chip)]);
    writer.put(to);
    writer.put(at);
    put_frame(writer, frame);
}

Standing OtherChips::meet(Standing own, const std::string& fault, const Receive& receive) {
    if (!any()) {
        if (!fault.empty()) throw SimulationError(fault);
        return own;
    }
    const unsigned rank = exchange_->rank(), size = exchange_->size();
    for (const Message& frames : frames_) {
        own.pending = own.pending || !frames.empty();
        own.quiescent = own.quiescent && frames.empty();
    }
    Message head;
    Writer writer(head);
    writer.put_text(fault);
    put_standing(writer, own);
    std::vector<Message> messages(size, head);
    for (unsigned p = 0; p < size; ++p) {
        messages[p].insert(messages[p].end(), frames_[p].begin(), frames_[p].end());
        frames_[p].clear();
    }
    messages = exchange_->all_to_all(std::move(messages));
    Standing all;
    std::string first_fault;
    for (unsigned p = 0; p < size; ++p) {
        Reader reader(messages[p]);
        const std::string text = reader.get_text();
        if (first_fault.empty()) first_fault = text;
        all.add(get_standing(reader));
        while (p != rank && !reader.at_end()) {
            const auto to = reader.get<neuronlink::End>();
            const auto at = reader.get<Time>();
            receive(to, get_frame(reader), at);
        }
    }
    if (!first_fault.empty()) throw SimulationError(first_fault);
    return all;
}

std::vector<Message> OtherChips::tell_all(const Message& message) {
    return any() ? exchange_->all_to_all(std::vector<Message>(exchange_->size(), message))
                 : std::vector<Message>{message};
}

std::vector<std::string> OtherChips::texts(const std::string& own) {
    std::vector<std::string> texts;
    for (const Message& message : tell_all({own.begin(), own.end()}))
        texts.emplace_back(message.begin(), message.end());
    return texts;
}

std::vector<std::string> OtherChips::gather(const std::string& own) {
    if (!any()) return {own};
    std::vector<Message> messages(exchange_->size());
    messages.front().assign(own.begin(), own.end());
    messages = exchange_->all_to_all(std::move(messages));
    if (exchange_->rank() != 0) return {};
    std::vector<std::string> texts;
    texts.reserve(messages.size());
    for (const Message& message : messages) texts.emplace_back(message.begin(), message.end());
    return texts;
}

std::vector<std::uint64_t> OtherChips::numbers(std::uint64_t own) {
    Message message;
    Writer(message).put(own);
    std::vector<std::uint64_t> numbers;
    for (const Message& one : tell_all(message)) numbers.push_back(Reader(one).get<std::uint64_t>());
    return numbers;
}

}  // namespace trnsim::tlm
