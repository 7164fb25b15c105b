#include "compiler/builder/loop_order.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compiler/neff/package.hpp"

namespace trnsim::builder {
namespace {

constexpr std::size_t Gone = ~std::size_t{0};

}  // namespace

LoopOrder::LoopOrder(const LoopBody& body, Depends depends) : body_(body), depends_(std::move(depends)) {
    choose_takes();
    make_steps();
    find_waits();
    remove_implied();
}

// Returns the need of the call at place `later` for the one at `earlier`, places in the order of the kernel.
// If `later` comes after `earlier`, it may need it in the same iteration or only in the previous one;
// otherwise only in the previous one.
LoopOrder::Needs LoopOrder::needs(std::size_t earlier, std::size_t later) const {
    const LoopCall& one = body_.calls[body_.order[earlier]];
    const LoopCall& other = body_.calls[body_.order[later]];
    const bool behind = earlier < later;
    const bool named = std::ranges::any_of(other.after, [&](const Event& event) {
        return event.loop == body_.number && event.index == body_.order[earlier];
    });
    if (named) return Needs::Same;
    Needs needs = Needs::Nothing;
    for (const LoopAccess& before : one.accesses) {
        for (const LoopAccess& access : other.accesses) {
            if (!depends_(before.write, access.write)) continue;
            if (behind && meets_at_once(before, access)) return Needs::Same;
            if (meets_later(before, access, 1)) needs = Needs::Previous;
        }
    }
    return needs;
}

// A transfer is taken just before the first call that needs it, in its own iteration or, if only the next
// iteration needs it, in that one. If no call needs it, it is taken before it is triggered again.
void LoopOrder::choose_takes() {
    std::map<std::pair<std::size_t, bool>, std::size_t> takes;  // key: place, previous iteration
    take_of_.resize(body_.calls.size());
    const std::size_t calls = body_.order.size();
    for (std::size_t at = 0; at < calls; ++at) {
        if (!body_.calls[body_.order[at]].queue) continue;
        std::size_t place = at + 1;
        while (place < calls && needs(at, place) == Needs::Nothing) ++place;
        const bool previous = place == calls;
        if (previous) {
            place = 0;
            while (place < at && needs(at, place) == Needs::Nothing) ++place;
        }
        const auto [take, added] = takes.try_emplace({place, previous}, takes_.size());
        if (added) takes_.push_back({{}, previous});
        takes_[take->second].transfers.push_back(body_.order[at]);
        take_of_[body_.order[at]] = take->second;
    }
    item_of_take_.resize(takes_.size());
    item_of_call_.resize(body_.calls.size());
    auto take = takes.begin();
    for (std::size_t at = 0; at < calls; ++at) {
        const std::size_t call = body_.order[at];
        const isa::Engine engine = body_.calls[call].engine;
        for (; take != takes.end() && take->first.first == at; ++take) {
            item_of_take_[take->second] = items_.size();
            items_.push_back({engine, call, &takes_[take->second]});
        }
        item_of_call_[call] = items_.size();
        items_.push_back({engine, call, nullptr});
    }
}

// Adds the order that exists without waits: an engine issues and completes in order, a transfer comes after
// its trigger.
void LoopOrder::make_steps() {
    waits_from_.resize(items_.size());
    steps_.resize(2 * items_.size());
    std::array<std::vector<std::size_t>, neff::EngineCount> streams;
    for (std::size_t item = 0; item < items_.size(); ++item) {
        streams.at(static_cast<std::size_t>(items_[item].engine)).push_back(item);
        steps_[2 * item].push_back({2 * item + 1, false});
        if (items_[item].take == nullptr) continue;
        for (const std::size_t transfer : items_[item].take->transfers)
            steps_[2 * item_of_call_[transfer]].push_back({2 * item, items_[item].take->previous});
    }
    for (const std::vector<std::size_t>& stream : streams) {
        for (std::size_t i = 0; i < stream.size(); ++i) {
            const bool last = i + 1 == stream.size();
            const std::size_t next = stream[last ? 0 : i + 1];
            steps_[2 * stream[i]].push_back({2 * next, last});
            steps_[2 * stream[i] + 1].push_back({2 * next + 1, last});
        }
    }
}

bool LoopOrder::implied(std::size_t node, const LoopWait& wait, std::size_t without) const {
    std::vector<std::array<bool, 2>> seen(steps_.size());
    std::vector<Step> reached;
    const auto reach = [&](std::size_t node, bool before, bool next) {
        if ((before && next) || ((before || next) && !wait.previous)) return;
        if (std::exchange(seen[node].at(before || next ? 1 : 0), true)) return;
        reached.push_back({node, before || next});
    };
    reach(node, false, false);
    while (!reached.empty()) {
        const Step at = reached.back();
        reached.pop_back();
        if (at.node == 2 * wait.to) return true;
        for (const Step& step : steps_[at.node]) reach(step.node, at.next, step.next);
        if (at.node % 2 == 0) continue;
        for (const std::size_t number : waits_from_[at.node / 2]) {
            if (number != without) reach(2 * waits_[number].to, at.next, waits_[number].previous);
        }
    }
    return false;
}

void LoopOrder::add(const LoopWait& wait) {
    // For a take it is enough that it has begun.
    const std::size_t node = 2 * wait.from + (items_[wait.from].take == nullptr ? 1 : 0);
    if (implied(node, wait, waits_.size())) return;
    waits_from_[wait.from].push_back(waits_.size());
    waits_.push_back(wait);
}

void LoopOrder::find_waits() {
    for (std::size_t later = 0; later < body_.order.size(); ++later) {
        const LoopCall& other = body_.calls[body_.order[later]];
        const std::size_t to = item_of_call_[body_.order[later]];
        // A transfer may be triggered again when it has been taken.
        if (other.queue) {
            const std::size_t take = take_of_[body_.order[later]];
            add({item_of_take_[take], to, !takes_[take].previous});
        }
        // A near call implies most of the calls that are further away.
        for (std::size_t back = 0; back < body_.order.size(); ++back) {
            const std::size_t earlier = (later + body_.order.size() - 1 - back) % body_.order.size();
            const LoopCall& one = body_.calls[body_.order[earlier]];
            if (!one.queue && one.engine == other.engine && other.data_path) continue;
            const Needs needs = this->needs(earlier, later);
            if (needs == Needs::Nothing) continue;
            bool previous = needs == Needs::Previous;
            std::size_t from = item_of_call_[body_.order[earlier]];
            if (one.queue) {
                const std::size_t take = take_of_[body_.order[earlier]];
                from = item_of_take_[take];
                if (takes_[take].previous || earlier < later) previous = false;
            }
            add({from, to, previous});
        }
    }
}

void LoopOrder::remove_implied() {
    for (std::size_t i = waits_.size(); i-- > 0;) {
        // Other waits may rely on the completion that it waits for.
        if (!implied(2 * waits_[i].from + 1, waits_[i], i)) continue;
        std::erase(waits_from_[waits_[i].from], i);
        waits_[i].from = Gone;
    }
    std::erase_if(waits_, [](const LoopWait& wait) { return wait.from == Gone; });
}

}  // namespace trnsim::builder
