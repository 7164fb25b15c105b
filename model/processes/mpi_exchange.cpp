// The exchange on MPI, in a library of its own.
#include <mpi.h>

#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "model/processes/mpi_library.hpp"

namespace trnsim::tlm::processes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds MeetingTime{30};

// Returns where each part begins if they lie one after the other.
std::vector<int> places_of(const std::vector<int>& lengths) {
    std::vector<int> places(lengths.size());
    std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
    return places;
}

class MpiExchange : public Exchange {
  public:
    MpiExchange() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        meet();
    }
    MpiExchange(const MpiExchange&) = delete;
    MpiExchange& operator=(const MpiExchange&) = delete;
    ~MpiExchange() override { MPI_Finalize(); }

    unsigned rank() const override { return static_cast<unsigned>(rank_); }
    unsigned size() const override { return static_cast<unsigned>(size_); }

    std::vector<Message> all_to_all(std::vector<Message> messages) override {
        std::vector<int> out(size()), in(size());
        Message sent;
        for (unsigned p = 0; p < size(); ++p) {
            sent.insert(sent.end(), messages[p].begin(), messages[p].end());
            if (sent.size() > std::numeric_limits<int>::max())
                throw std::runtime_error("MPI: messages of more than 2 GiB between two windows");
            out[p] = static_cast<int>(messages[p].size());
        }
        MPI_Request request{};
        MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
        wait_for(request);
        const std::vector<int> from = places_of(out), to = places_of(in);
        Message received(static_cast<std::size_t>(to.back()) + static_cast<std::size_t>(in.back()));
        MPI_Ialltoallv(sent.data(), out.data(), from.data(), MPI_BYTE, received.data(), in.data(), to.data(),
                       MPI_BYTE, MPI_COMM_WORLD, &request);
        wait_for(request);
        for (unsigned p = 0; p < size(); ++p)
            messages[p].assign(received.begin() + to[p], received.begin() + to[p] + in[p]);
        return messages;
    }

  private:
    // Makes all processes begin MPI, which connects them when they first exchange something. If a message
    // cannot reach another host, MPI tries for ever.
    void meet() {
        limit_ = Clock::now() + MeetingTime;
        all_to_all(std::vector<Message>(size(), Message(1)));
        limit_.reset();
    }

    // Waits so that the processor is free for processes that simulate; MPI's own waiting keeps it busy.
    void wait_for(MPI_Request& request) const {
        int done = 0;
        while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0) {
            if (limit_ && Clock::now() > *limit_)
                throw std::runtime_error(
                    "MPI: not every process has answered within " + std::to_string(MeetingTime.count()) +
                    " seconds, expected a network of all hosts: mpirun --mca btl_tcp_if_include");
            std::this_thread::yield();
        }
    }

    int rank_ = 0, size_ = 1;
    std::optional<Clock::time_point> limit_;
};

}  // namespace
}  // namespace trnsim::tlm::processes

extern "C" trnsim::tlm::processes::Exchange* trnsim_mpi_exchange() {
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS) return nullptr;
    return new trnsim::tlm::processes::MpiExchange;
}
