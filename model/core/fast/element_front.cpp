#include "model/core/fast/element_front.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm::core_fast {

ElementFront::ElementFront(std::uint64_t issue_latency, std::uint64_t dependent_latency, unsigned sources)
    : setup_cycles_(issue_latency - std::min<std::uint64_t>(issue_latency, figure(Figure::SetupAccept))),
      dependent_latency_(dependent_latency),
      depth_(static_cast<unsigned>(issue_latency / figure(Figure::StartInterval) + 1)),
      source_count_(sources),
      setup_(depth_) {}

// Returns whether only times keep the head from starting.
bool ElementFront::able() const {
    if (fill_ == 0 || setup_[head_].left != 0 || (fresh_ && fresh_slot_ == head_)) return false;
    if (bank_busy_[next_bank_]) return false;
    const unsigned other = 1 - next_bank_;
    return !(bank_busy_[other] && setup_[head_].operation->reads_what(bank_[other]->writes));
}

Ports<PortClaim> ElementFront::claims() const {
    Ports<PortClaim> claims;
    for (unsigned i = 0; i < bank_.size(); ++i) {
        if (!bank_busy_[i]) continue;
        claims.sbuf.uses |= bank_[i]->sbuf;
        claims.psum.uses |= bank_[i]->psum;
    }
    const bool starts = able();
    claims.sbuf.needs = claims.sbuf.uses || (starts && setup_[head_].operation->sbuf);
    claims.psum.needs = claims.psum.uses || (starts && setup_[head_].operation->psum);
    return claims;
}

// Returns the cycles for which an instruction waits that reads the results of the one done now. The rest of
// the interval counts only if the interval is that one's.
std::uint64_t ElementFront::restart() const {
    const std::uint64_t rest = bank_busy_[1 - oldest_] || interval_ == 0 ? 0 : interval_ - 1;
    return dependent_latency_ + rest;
}

std::uint64_t ElementFront::quiet() const {
    if (fill_ == 0 || fresh_ || bank_busy_[0] || bank_busy_[1] || sources_[0].busy() || sources_[1].busy())
        return 0;
    return setup_[head_].left;
}

void ElementFront::skip(std::uint64_t cycles) {
    for (Setup& setup : setup_) setup.left -= std::min(setup.left, cycles);
    interval_ -= std::min(interval_, cycles);
}

ElementFront::Out ElementFront::cycle(In in) {
    const Reads reads = decide_reads(in.grant);
    const Start start = decide_start(in.grant, reads);
    edge_sources(in, reads, start);
    edge_setup(in.done);
    Out out;
    edge_banks(in.done, start, out);
    edge_queue(std::move(in.accepted), start.pop);
    return out;
}

ElementFront::Reads ElementFront::decide_reads(const Ports<PortGrant>& grant) const {
    const auto wants = [this](unsigned i, bool psum) {
        return sources_[i].wants() && sources_[i].psum() == psum;
    };
    const bool imm_wanted = imm_known_ && (imm_left_[0] || imm_left_[1]);
    Reads reads;
    reads.sbuf = reads_.sbuf.grants(grant.sbuf.granted, wants(0, false), wants(1, false), imm_wanted);
    reads.psum = reads_.psum.grants(grant.psum.granted, wants(0, true), wants(1, true), false);
    reads.issues = {sources_[0].issues(reads.sbuf.a || reads.psum.a),
                    sources_[1].issues(reads.sbuf.b || reads.psum.b)};
    return reads;
}

ElementFront::Start ElementFront::decide_start(const Ports<PortGrant>& grant, const Reads& reads) const {
    Start start;
    start.head = fill_ != 0 ? setup_[head_].operation.get() : nullptr;
    start.imm_left = imm_left_;
    start.started = started_;
    if (reads.sbuf.immediate) start.imm_left[imm_left_[0] ? 0 : 1] = false;
    if (start.head == nullptr) return start;
    const ElementOperation& head = *start.head;
    start.may_read = able() && !(grant.sbuf.hold && head.sbuf) && !(grant.psum.hold && head.psum);
    const bool has_vectors = head.vectors[0] || head.vectors[1];
    const bool may_start = start.may_read && interval_ == 0 &&
                           (!has_vectors || (imm_known_ && !start.imm_left[0] && !start.imm_left[1]));
    const std::array<bool, 2> uses{true, head.uses_b};
    std::array<bool, 2> ready{};
    for (unsigned i = 0; i < source_count_; ++i) ready[i] = uses[i] && sources_[i].ready(reads.issues[i]);
    start.starts = may_start && (ready[0] || ready[1]);
    const bool going = start.starts || started_[0] || started_[1];
    for (unsigned i = 0; i < 2; ++i) {
        start.sources[i] = going && ready[i] && !started_[i];
        start.started[i] = started_[i] || start.sources[i];
    }
    start.pop = start.started == uses;
    return start;
}

void ElementFront::edge_sources(const In& in, const Reads& reads, const Start& start) {
    reads_.sbuf.edge(in.grant.sbuf.granted, reads.sbuf, sources_[0].far(), sources_[1].far());
    reads_.psum.edge(in.grant.psum.granted, reads.psum, sources_[0].far(), sources_[1].far());
    const ElementOperation* const head = start.head;
    std::array<ElementSource::Start, 2> operands;
    if (start.sources[0])
        operands[0] = {&head->a, &head->count, head->reads_a, head->reuse_words, head->a_far};
    if (start.sources[1]) operands[1] = {&head->b, &head->b_count, true, head->reuse_words, head->b_far};
    for (unsigned i = 0; i < source_count_; ++i)
        sources_[i].edge(reads.issues[i], in.pops[i], start.sources[i] ? &operands[i] : nullptr);
}

// Instructions that read the results of the one done now begin their access start-up.
void ElementFront::edge_setup(bool done) {
    const std::uint64_t again = done ? restart() : 0;
    for (unsigned k = 0, slot = head_; k < fill_; ++k, slot = next(slot)) {
        Setup& setup = setup_[slot];
        const bool restarts = done && again >= setup.left && !(fresh_ && fresh_slot_ == slot) &&
                              setup.operation->reads_what(bank_[oldest_]->writes);
        if (restarts)
            setup.left = again;
        else if (setup.left != 0)
            --setup.left;
    }
}

void ElementFront::edge_banks(bool done, const Start& start, Out& out) {
    imm_left_ = start.imm_left;
    if (start.may_read && !imm_known_) {
        imm_left_ = start.head->vectors;
        imm_known_ = true;
    }
    if (start.pop) imm_known_ = false;
    if (start.starts)
        interval_ = figure(Figure::StartInterval) - 1;
    else if (interval_ != 0)
        --interval_;
    if (start.starts) {
        out.started = setup_[head_].operation;
        out.bank = next_bank_;
        bank_[next_bank_] = setup_[head_].operation;
    }
    if (done) bank_busy_[oldest_] = false;
    if (start.starts) bank_busy_[next_bank_] = true;
    started_ = start.pop ? std::array<bool, 2>{} : start.started;
    if (start.pop) next_bank_ = 1 - next_bank_;
    if (done) oldest_ = 1 - oldest_;
}

void ElementFront::edge_queue(OperationPtr accepted, bool pop) {
    if (pop) {
        setup_[head_].operation.reset();
        head_ = next(head_);
        --fill_;
    }
    fresh_ = accepted != nullptr;
    if (fresh_) {
        fresh_slot_ = tail_;
        setup_[tail_] = {std::move(accepted), setup_cycles_};
        tail_ = next(tail_);
        ++fill_;
    }
}

}  // namespace trnsim::tlm::core_fast
