// Communication between the processes of one simulation. All of them call the same functions in the same
// order.
//
// A transport has to provide only this: sockets between forked processes are one (sockets.hpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace trnsim::tlm::processes {

using Message = std::vector<std::uint8_t>;

// Another process has ended. what() is one line, "process 2 of 4 has ended".
struct Ended : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Exchange {
  public:
    virtual ~Exchange() = default;

    virtual unsigned rank() const = 0;  // rank of this process, from 0
    virtual unsigned size() const = 0;  // number of processes

    // Sends messages[p] to each process p and returns what each has sent to this one, by rank; the message to
    // itself is returned as well. Returns when all messages have arrived. Throws Ended.
    virtual std::vector<Message> all_to_all(std::vector<Message> messages) = 0;
};

}  // namespace trnsim::tlm::processes
