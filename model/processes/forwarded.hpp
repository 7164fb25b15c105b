// An exchange that another process carries out: its messages go through that process.
#pragma once

#include "model/processes/exchange.hpp"

namespace trnsim::tlm::processes {

class Forwarded : public Exchange {
  public:
    // `link` has two processes: this one, and the one that serves it. It must outlive this.
    Forwarded(Exchange& link, unsigned rank, unsigned size) : link_(link), rank_(rank), size_(size) {}

    unsigned rank() const override { return rank_; }
    unsigned size() const override { return size_; }
    std::vector<Message> all_to_all(std::vector<Message> messages) override;

  private:
    Exchange& link_;
    unsigned rank_, size_;
};

// The other end of the link: take_request() takes the messages of one exchange, answer() gives the answer.
// Both throw Ended.
std::vector<Message> take_request(Exchange& link);
void answer(Exchange& link, const std::vector<Message>& messages);

}  // namespace trnsim::tlm::processes
