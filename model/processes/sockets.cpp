#include "model/processes/sockets.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace trnsim::tlm::processes {
namespace {

using Length = std::uint64_t;

// A message on its way in one direction: its length, then its bytes.
struct Transfer {
    Message bytes;
    std::array<std::uint8_t, sizeof(Length)> length{};
    std::size_t done = 0;
    bool complete() const { return done >= sizeof(Length) && done == sizeof(Length) + bytes.size(); }
    std::uint8_t* next() { return done < sizeof(Length) ? &length[done] : &bytes[done - sizeof(Length)]; }
    std::size_t left() const {
        return done < sizeof(Length) ? sizeof(Length) - done : sizeof(Length) + bytes.size() - done;
    }
};

class Sockets : public Exchange {
  public:
    Sockets(unsigned rank, std::vector<int> ends) : rank_(rank), ends_(std::move(ends)) {}
    Sockets(const Sockets&) = delete;
    Sockets& operator=(const Sockets&) = delete;
    ~Sockets() override {
        for (const int end : ends_) {
            if (end >= 0) ::close(end);
        }
    }

    unsigned rank() const override { return rank_; }
    unsigned size() const override { return static_cast<unsigned>(ends_.size()); }

    // Each process sends before it waits for another, and no sending blocks.
    std::vector<Message> all_to_all(std::vector<Message> messages) override {
        std::vector<Transfer> out(size()), in(size());
        for (unsigned p = 0; p < size(); ++p) {
            if (p == rank_) continue;
            const Length length = messages[p].size();
            std::memcpy(out[p].length.data(), &length, sizeof(length));
            out[p].bytes = std::move(messages[p]);
        }
        while (step(out, in)) wait(out, in);
        for (unsigned p = 0; p < size(); ++p) {
            if (p != rank_) messages[p] = std::move(in[p].bytes);
        }
        return messages;
    }

  private:
    // Moves what can be moved. Returns true while something is left.
    bool step(std::vector<Transfer>& out, std::vector<Transfer>& in) {
        bool left = false;
        for (unsigned p = 0; p < size(); ++p) {
            if (p == rank_) continue;
            while (!out[p].complete() && send(p, out[p])) {
            }
            while (!in[p].complete() && receive(p, in[p])) {
            }
            left = left || !out[p].complete() || !in[p].complete();
        }
        return left;
    }

    bool send(unsigned p, Transfer& transfer) {
        return moved(p, transfer, ::send(ends_[p], transfer.next(), transfer.left(), MSG_NOSIGNAL));
    }

    bool receive(unsigned p, Transfer& transfer) {
        const ssize_t count = ::recv(ends_[p], transfer.next(), transfer.left(), 0);
        if (count == 0) throw_ended(p);
        if (!moved(p, transfer, count)) return false;
        if (transfer.done == sizeof(Length)) {
            Length length = 0;
            std::memcpy(&length, transfer.length.data(), sizeof(length));
            transfer.bytes.resize(length);
        }
        return true;
    }

    bool moved(unsigned p, Transfer& transfer, ssize_t count) {
        if (count >= 0) {
            transfer.done += static_cast<std::size_t>(count);
            return true;
        }
        if (errno == EINTR) return true;
        if (errno != EAGAIN && errno != EWOULDBLOCK) throw_ended(p);
        return false;
    }

    void wait(const std::vector<Transfer>& out, const std::vector<Transfer>& in) {
        waiting_.clear();
        for (unsigned p = 0; p < size(); ++p) {
            if (p == rank_) continue;
            const int events = (out[p].complete() ? 0 : POLLOUT) | (in[p].complete() ? 0 : POLLIN);
            if (events != 0) waiting_.push_back({ends_[p], static_cast<short>(events), 0});
        }
        ::poll(waiting_.data(), waiting_.size(), -1);
    }

    [[noreturn]] void throw_ended(unsigned p) const {
        throw Ended(fmt::format("process {} of {} has ended", p, size()));
    }

    unsigned rank_;
    std::vector<int> ends_;  // by rank; -1: this process
    std::vector<pollfd> waiting_;
};

}  // namespace

Mesh::Mesh(unsigned size) : size_(size), ends_(std::size_t{size} * size, -1) {
    for (unsigned a = 0; a < size; ++a) {
        for (unsigned b = a + 1; b < size; ++b) {
            std::array<int, 2> pair{};
            if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0) {
                const int error = errno;
                close();
                throw std::system_error(error, std::generic_category(), "socketpair");
            }
            ends_[std::size_t{a} * size + b] = pair[0];
            ends_[std::size_t{b} * size + a] = pair[1];
        }
    }
}

std::unique_ptr<Exchange> Mesh::join(unsigned rank) {
    const auto begin = ends_.begin() + static_cast<std::ptrdiff_t>(std::size_t{rank} * size_);
    std::vector<int> own(begin, begin + size_);
    std::fill(begin, begin + size_, -1);
    close();
    return std::make_unique<Sockets>(rank, std::move(own));
}

void Mesh::close() {
    for (int& end : ends_) {
        if (end >= 0) ::close(end);
        end = -1;
    }
}

}  // namespace trnsim::tlm::processes
