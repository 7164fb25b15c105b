#include "model/core/fast/element_front.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm::core_fast {

ElementFront::ElementFront(std::uint64_t issue_latency, std::uint64_t dependent_latency, unsigned sources)
    : setup_cycles_(issue_latency - std::min<std::uint64_t>(issue_latency, cost(Cost::SetupAccept))),
      dependent_latency_(dependent_latency),
      depth_(static_cast<unsigned>(issue_latency / cost(Cost::StartInterval) + 1)),
      source_count_(sources),
      setup_(depth_) {}

// Whether nothing but times stand between the head and its start.
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

// What an instruction that reads the results of the one done now waits for: what is left of the interval counts only where it is
// that one's.
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
    const std::array<ElementSource, 2>& from = sources_;
    const auto wants = [&](unsigned i, bool psum) { return from[i].wants() && from[i].psum() == psum; };
    const bool imm_wanted = imm_known_ && (imm_left_[0] || imm_left_[1]);
    const auto sbuf = reads_.sbuf.grants(in.grant.sbuf.granted, wants(0, false), wants(1, false), imm_wanted);
    const auto psum = reads_.psum.grants(in.grant.psum.granted, wants(0, true), wants(1, true), false);
    const std::array<bool, 2> issues{from[0].issues(sbuf.a || psum.a), from[1].issues(sbuf.b || psum.b)};

    // Start of the head.
    const ElementOperation* const head = fill_ != 0 ? setup_[head_].operation.get() : nullptr;
    const bool may_read = head != nullptr && able() && !(in.grant.sbuf.hold && head->sbuf) &&
                          !(in.grant.psum.hold && head->psum);
    std::array<bool, 2> imm_left = imm_left_;
    if (sbuf.immediate) imm_left[imm_left_[0] ? 0 : 1] = false;
    const bool has_vectors = head != nullptr && (head->vectors[0] || head->vectors[1]);
    const bool may_start =
        may_read && interval_ == 0 && (!has_vectors || (imm_known_ && !imm_left[0] && !imm_left[1]));
    const std::array<bool, 2> uses{true, head != nullptr && head->uses_b};
    std::array<bool, 2> source_ready{}, source_start{};
    for (unsigned i = 0; i < source_count_; ++i) source_ready[i] = uses[i] && from[i].ready(issues[i]);
    Out out;
    const bool starts = may_start && (source_ready[0] || source_ready[1]);
    const bool going = starts || started_[0] || started_[1];
    for (unsigned i = 0; i < 2; ++i) source_start[i] = going && source_ready[i] && !started_[i];
    const std::array<bool, 2> started{started_[0] || source_start[0], started_[1] || source_start[1]};
    const bool pop = head != nullptr && started[0] == uses[0] && started[1] == uses[1];

    // Sources and ports.
    const ElementSource::Start a{head != nullptr ? &head->a : nullptr,
                                 head != nullptr ? &head->count : nullptr, head != nullptr && head->reads_a,
                                 head != nullptr && head->reuse_words, head != nullptr && head->a_far};
    const ElementSource::Start b{head != nullptr ? &head->b : nullptr,
                                 head != nullptr ? &head->b_count : nullptr, true,
                                 head != nullptr && head->reuse_words, head != nullptr && head->b_far};
    reads_.sbuf.edge(in.grant.sbuf.granted, sbuf, sources_[0].far(), sources_[1].far());
    reads_.psum.edge(in.grant.psum.granted, psum, sources_[0].far(), sources_[1].far());
    sources_[0].edge(issues[0], in.pops[0], source_start[0] ? &a : nullptr);
    if (source_count_ == 2) sources_[1].edge(issues[1], in.pops[1], source_start[1] ? &b : nullptr);

    // Instructions in setup. Those that read what is done now begin their access start-up.
    const std::uint64_t again = in.done ? restart() : 0;
    for (unsigned k = 0, slot = head_; k < fill_; ++k, slot = slot + 1 == depth_ ? 0 : slot + 1) {
        Setup& setup = setup_[slot];
        const bool restarts = in.done && again >= setup.left && !(fresh_ && fresh_slot_ == slot) &&
                              setup.operation->reads_what(bank_[oldest_]->writes);
        if (restarts)
            setup.left = again;
        else if (setup.left != 0)
            --setup.left;
    }

    // Immediates, interval, banks.
    if (may_read && !imm_known_) {
        imm_left = head->vectors;
        imm_known_ = true;
    }
    imm_left_ = imm_left;
    if (pop) imm_known_ = false;
    if (starts)
        interval_ = cost(Cost::StartInterval) - 1;
    else if (interval_ != 0)
        --interval_;
    if (starts) {
        out.started = setup_[head_].operation;
        out.bank = next_bank_;
        bank_[next_bank_] = setup_[head_].operation;
    }
    if (in.done) bank_busy_[oldest_] = false;
    if (starts) bank_busy_[next_bank_] = true;
    started_ = pop ? std::array<bool, 2>{} : started;
    if (pop) next_bank_ = 1 - next_bank_;
    if (in.done) oldest_ = 1 - oldest_;

    const auto next = [this](unsigned slot) { return slot + 1 == depth_ ? 0 : slot + 1; };
    if (pop) {
        setup_[head_].operation.reset();
        head_ = next(head_);
        --fill_;
    }
    fresh_ = in.accepted != nullptr;
    if (fresh_) {
        fresh_slot_ = tail_;
        setup_[tail_] = {std::move(in.accepted), setup_cycles_};
        tail_ = next(tail_);
        ++fill_;
    }
    return out;
}

}  // namespace trnsim::tlm::core_fast
