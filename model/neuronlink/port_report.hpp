// Tells a listener what happens at the sending end of a link.
#pragma once

#include <optional>

#include "model/neuronlink/packet.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm::neuronlink {

static_assert(trace::LinkStanding::Channels == Channels);

class PortReport {
  public:
    // `sink` must outlive the report; null: there is no listener.
    PortReport(trace::Sink* sink, trace::LinkEnd from) : sink_(sink), from_(from) {}

    explicit operator bool() const { return sink_ != nullptr; }

    void frame(trace::LinkFrame frame) const {
        frame.from = from_;
        if (sink_ != nullptr) sink_->link_frame(frame);
    }
    void stall(Time start, Time end) const {
        if (sink_ != nullptr) sink_->link_stall({from_, start, end});
    }
    void standing(Time now, const trace::LinkStanding& standing) {
        if (sink_ == nullptr || last_ == standing) return;
        last_ = standing;
        sink_->link_standing(from_, now, standing);
    }

    // The next standing is told even if it is the last one again.
    void renew() { last_.reset(); }

  private:
    trace::Sink* sink_;
    trace::LinkEnd from_;
    std::optional<trace::LinkStanding> last_;
};

}  // namespace trnsim::tlm::neuronlink
