#include "model/processes/run_here.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "model/processes/ending.hpp"
#include "model/processes/forwarded.hpp"
#include "model/processes/sockets.hpp"

namespace trnsim::tlm::processes {
namespace {

// The last byte of a message between the forked processes: this value, or the End of the work.
constexpr std::uint8_t Working = 0xff;

// The forked process and its link.
class Child {
  public:
    Child(Exchange& others, const std::function<std::string(Exchange&)>& work)
        : rank_(others.rank()),
          size_(others.size()),
          process_({.work = [&] { return job_text([&] { return do_work(work); }); }, .capture = false}),
          link_(mesh_.join(0)) {}

    // Returns the messages of its next exchange; nothing if it has ended.
    std::optional<std::vector<Message>> next() {
        try {
            return take_request(*link_);
        } catch (const Ended&) {
            return std::nullopt;
        }
    }
    void answer(const std::vector<Message>& messages) {
        try {
            processes::answer(*link_, messages);
        } catch (const Ended&) {  // next() says so
        }
    }
    Ending ending() {
        while (!process_.poll()) {
            pollfd ended{process_.descriptors()[2], POLLIN, 0};
            ::poll(&ended, 1, -1);
        }
        return ending_of(rank_, size_, process_.outcome());
    }

  private:
    std::string do_work(const std::function<std::string(Exchange&)>& work) {
        const auto link = mesh_.join(1);
        Forwarded exchange(*link, rank_, size_);
        return work(exchange);
    }

    unsigned rank_, size_;
    Mesh mesh_{2};
    jobs::Process process_;
    std::unique_ptr<Exchange> link_;
};

Ending taken_off(Message message) {
    const auto end = static_cast<End>(message.back());
    message.pop_back();
    return {end, {message.begin(), message.end()}};
}

std::vector<Message> to_all(unsigned count, const Ending& ending) {
    Message message(ending.text.begin(), ending.text.end());
    message.push_back(static_cast<std::uint8_t>(ending.end));
    return std::vector<Message>(count, message);
}

bool is_working(const Message& message) {
    return message.back() == Working;
}

// Returns the result of process 0 or throws the worst reason of all endings. A process that still works when
// another one has returned sees it end.
std::string result_of(const std::vector<Message>& messages) {
    const auto count = static_cast<unsigned>(messages.size());
    const bool some_work = std::ranges::any_of(messages, is_working);
    Reasons reasons;
    for (unsigned rank = 0; rank < count; ++rank) {
        if (is_working(messages[rank])) continue;
        Ending ending = taken_off(messages[rank]);
        if (some_work && ending.end == End::Returned)
            ending = {End::SawEnd, fmt::format("process {} of {} has ended", rank, count)};
        reasons.add(std::move(ending));
    }
    if (reasons.any()) reasons.fail();
    return taken_off(messages[0]).text;
}

}  // namespace

std::string run_here(Exchange& others, const std::function<std::string(Exchange&)>& work) {
    Child child(others, work);
    while (true) {
        std::optional<std::vector<Message>> request = child.next();
        if (request) {
            for (Message& message : *request) message.push_back(Working);
        } else {
            request = to_all(others.size(), child.ending());
        }
        std::vector<Message> messages = others.all_to_all(std::move(*request));
        if (!std::ranges::all_of(messages, is_working)) return result_of(messages);
        for (Message& message : messages) message.pop_back();
        child.answer(messages);
    }
}

}  // namespace trnsim::tlm::processes
