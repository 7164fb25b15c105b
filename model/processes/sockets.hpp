// Processes on one host, forked from one, with a pair of sockets between every two of them.
#pragma once

#include <memory>
#include <vector>

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

// The sockets of all processes: made before they are forked.
class Mesh {
  public:
    // Throws std::system_error.
    explicit Mesh(unsigned size);
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;
    ~Mesh() { close(); }

    // For the process of this rank, which calls it once: takes its own sockets and closes those of the others.
    std::unique_ptr<Exchange> join(unsigned rank);

    // Closes all. Whoever forks the processes does so when they are there: only then does the end of one show.
    void close();

  private:
    unsigned size_;
    std::vector<int> ends_;  // [rank * size + other]: of `rank`, to `other`; -1: none
};

}  // namespace trnsim::tlm::processes
