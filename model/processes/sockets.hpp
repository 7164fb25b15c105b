// Exchange between processes on one host, forked from one, with a pair of sockets between every two of them.
#pragma once

#include <memory>
#include <vector>

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

// The sockets of all processes; they are made before the fork.
class Mesh {
  public:
    // Throws std::system_error.
    explicit Mesh(unsigned size);
    Mesh(const Mesh&) = delete;
    Mesh& operator=(const Mesh&) = delete;
    ~Mesh() { close(); }

    // Takes the sockets of this rank and closes those of the others. The process of this rank calls it once.
    std::unique_ptr<Exchange> join(unsigned rank);

    // Closes all sockets. The process that forks the others must do so after the fork: otherwise the end of
    // one is not seen.
    void close();

  private:
    unsigned size_;
    std::vector<int> ends_;  // [rank * size + other]: socket of `rank` to `other`; -1: none
};

}  // namespace trnsim::tlm::processes
