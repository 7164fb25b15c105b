#include "model/processes/forwarded.hpp"

#include "model/processes/bytes.hpp"

namespace trnsim::tlm::processes {
namespace {

Message packed(const std::vector<Message>& messages) {
    std::size_t bytes = 0;
    for (const Message& message : messages) bytes += sizeof(std::uint64_t) + message.size();
    Message all;
    all.reserve(bytes);
    Writer writer(all);
    for (const Message& message : messages) writer.put_bytes(message);
    return all;
}

std::vector<Message> unpacked(const Message& all) {
    std::vector<Message> messages;
    for (Reader reader(all); !reader.at_end();) {
        const auto bytes = reader.get_bytes();
        messages.emplace_back(bytes.begin(), bytes.end());
    }
    return messages;
}

void send(Exchange& link, Message message) {
    std::vector<Message> messages(2);
    messages[1 - link.rank()] = std::move(message);
    link.all_to_all(std::move(messages));
}

Message receive(Exchange& link) {
    return std::move(link.all_to_all(std::vector<Message>(2))[1 - link.rank()]);
}

}  // namespace

std::vector<Message> Forwarded::all_to_all(std::vector<Message> messages) {
    send(link_, packed(messages));
    return unpacked(receive(link_));
}

std::vector<Message> take_request(Exchange& link) {
    return unpacked(receive(link));
}

void answer(Exchange& link, const std::vector<Message>& messages) {
    send(link, packed(messages));
}

}  // namespace trnsim::tlm::processes
