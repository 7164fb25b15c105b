#include "testbench/functional/dma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "compiler/neff/sizes.hpp"
#include "testbench/functional/combine.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {
namespace {

constexpr unsigned MaxSpeed = 8;
constexpr unsigned SpeedChange = 64;   // steps between changes of speed, on average
constexpr std::size_t ReachAhead = 4;  // shares of a ring at work at the same time

}  // namespace

Dma::Dma(const neff::Package& package, Storage& storage, Journal& journal, Adversary adversary,
         std::mt19937_64& random, OnComplete on_complete, const Meets& meets, const Budget& budget)
    : package_(package),
      agents_(package),
      storage_(storage),
      journal_(journal),
      adversary_(adversary),
      random_(random),
      on_complete_(std::move(on_complete)),
      meets_(meets),
      budget_(budget),
      orders_(neff::ring_orders(package)),
      rings_(agents_.count() - neff::EngineCount),
      speeds_(agents_.dma_engines(), MaxSpeed) {}

bool Dma::idle() const {
    return std::ranges::all_of(rings_, [](const Ring& ring) { return ring.shares.empty(); });
}

// Deals the elements so that each DMA engine has the same columns of every row.
std::vector<std::vector<Piece>> Dma::deal_columns(const neff::Transfer& transfer) const {
    std::vector<std::vector<Piece>> hands(agents_.dma_engines());
    const std::vector<Piece> pieces = pieces_of(transfer);
    std::uint64_t column = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i == 0 || pieces[i].index != pieces[i - 1].index) column = 0;
        for (std::uint32_t at = 0; at < pieces[i].bytes; at += transfer.element_bytes) {
            const Piece& piece = pieces[i];
            hands[column++ % hands.size()].push_back(
                {piece.from + at, piece.to + at, transfer.element_bytes, piece.index});
        }
    }
    return hands;
}

// Returns the pieces of each DMA engine's share. Neighbouring pieces go to one engine; the Random adversary
// cuts and deals them at random.
std::vector<std::vector<Piece>> Dma::deal(const neff::Transfer& transfer) {
    if (transfer.indirect && transfer.combination) return deal_columns(transfer);
    const std::size_t engines = agents_.dma_engines();
    std::vector<std::vector<Piece>> hands(engines);
    const std::vector<Piece> pieces = pieces_of(transfer);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        if (adversary_ != Adversary::Random) {
            hands[i * engines / pieces.size()].push_back(piece);
            continue;
        }
        const std::uint32_t elements = piece.bytes / transfer.element_bytes;
        const auto cut = static_cast<std::uint32_t>(random_() % elements) * transfer.element_bytes;
        if (cut != 0) hands[random_() % engines].push_back({piece.from, piece.to, cut, piece.index});
        hands[random_() % engines].push_back(
            {piece.from + cut, piece.to + cut, piece.bytes - cut, piece.index});
    }
    if (adversary_ == Adversary::Random) {
        for (std::vector<Piece>& hand : hands) std::ranges::shuffle(hand, random_);
    }
    return hands;
}

void Dma::trigger(std::size_t transfer, const Clock& known) {
    const neff::Transfer& triggered = package_.transfers[transfer];
    const std::uint32_t queue = triggered.queue;
    const neff::RingOrder& order = orders_[queue];
    const neff::Firing next = order.at(rings_[agents_.ring(queue, 0) - neff::EngineCount].time);
    if (next.transfer != transfer) {
        throw Error(
            fmt::format("triggers transfer {} '{}', but the ring of queue '{}' has transfer {} '{}' next",
                        transfer, package_.transfers[transfer].name, package_.queues[queue].name,
                        next.transfer, package_.transfers[next.transfer].name));
    }
    if (triggered.collective) return begin_collective(next, known);
    const auto shared = std::make_shared<const Clock>(known);
    std::vector<std::vector<Piece>> hands =
        deal(neff::at_iteration(package_.transfers[transfer], next.iteration));
    for (std::size_t engine = 0; engine < hands.size(); ++engine) {
        const std::size_t number = agents_.ring(queue, engine) - neff::EngineCount;
        Ring& ring = rings_[number];
        check_room(number, order.length(), known);
        journal_.note(neff::EngineCount + number, transfer);
        ring.shares.push_back({transfer, ++ring.time, shared, nullptr, std::move(hands[engine]), {}});
        if (triggered.indirect && triggered.combination) {
            const auto own = std::make_shared<Clock>(known);
            (*own)[neff::EngineCount + number] = ring.time;
            ring.shares.back().own = own;
        }
        if (adversary_ == Adversary::Earliest) finish(number);
    }
}

// Reads the input at once. The race check finds a write to it before the end of the collective.
void Dma::begin_collective(const neff::Firing& firing, const Clock& known) {
    const std::size_t transfer = firing.transfer;
    const neff::Transfer& triggered = package_.transfers[transfer];
    if (meets_.rendezvous == nullptr) throw Error("a collective, expected all ranks to be interpreted");
    const std::size_t first = agents_.ring(triggered.queue, 0) - neff::EngineCount;
    if (rings_[first].time == orders_[triggered.queue].length())
        throw Error(
            fmt::format("triggers collective '{}' once more than its loop has iterations", triggered.name));
    check_memory(first, transfer, known);
    const auto shared = std::make_shared<const Clock>(known);
    for (std::size_t engine = 0; engine < agents_.dma_engines(); ++engine) {
        const std::size_t number = first + engine;
        journal_.note(neff::EngineCount + number, transfer);
        rings_[number].shares.push_back({transfer, ++rings_[number].time, shared, nullptr, {}, {}});
    }
    const neff::Pattern from = neff::at_iteration(triggered.from, firing.iteration);
    Bytes input(neff::moved_bytes(triggered));
    if (!input.empty()) storage_.read(from, from.offset, input, actor(first, rings_[first].shares.back()));
    meets_.rendezvous->begin(meets_.rank, *triggered.collective, std::move(input));
}

// Ends the oldest collective if all ranks have begun it. The adversary may end it late.
bool Dma::end_collective(bool stuck) {
    if (meets_.rendezvous == nullptr || !meets_.rendezvous->done(meets_.rank)) return false;
    if (!stuck &&
        (adversary_ == Adversary::Latest || (adversary_ == Adversary::Random && random_() % MaxSpeed != 0)))
        return false;
    const auto first = static_cast<std::size_t>(
        std::ranges::find_if(rings_, [this](const Ring& ring) { return is_collective(ring); }) -
        rings_.begin());
    const Share share = rings_[first].shares.front();
    const std::optional<Bytes> output = meets_.rendezvous->take(meets_.rank);
    const neff::Transfer& transfer = package_.transfers[share.transfer];
    const neff::Pattern to =
        neff::at_iteration(transfer.to, orders_[transfer.queue].at(share.time - 1).iteration);
    try {
        if (!output)  // this rank receives nothing
            storage_.keep(to, neff::written_bytes(transfer), actor(first, share));
        else if (!output->empty())
            storage_.write(to, to.offset, *output, actor(first, share));
    } catch (const std::runtime_error& error) {
        fail(first, share, error);
    }
    for (std::size_t engine = 0; engine < agents_.dma_engines(); ++engine) complete(first + engine);
    return true;
}

void Dma::check_room(std::size_t ring, std::uint64_t length, const Clock& known) const {
    const std::uint64_t time = rings_[ring].time + std::uint64_t{1};
    if (time <= length || known[neff::EngineCount + ring] >= time - length) return;
    throw Error(
        fmt::format("the ring may be full: nothing orders the trigger after the completion of {}",
                    journal_.describe(neff::EngineCount + ring, static_cast<std::uint32_t>(time - length))));
}

// `ring` is the first ring of the collective's queue; a collective completes on all rings of the queue at
// once.
void Dma::check_memory(std::size_t ring, std::size_t transfer, const Clock& known) {
    const std::uint32_t before = std::exchange(begun_[transfer], rings_[ring].time + 1);
    if (known[neff::EngineCount + ring] >= before) return;
    throw Error(fmt::format("its memory may be in use: nothing orders the trigger after the completion of {}",
                            journal_.describe(neff::EngineCount + ring, before)));
}

void Dma::fail(std::size_t ring, const Share& share, const std::exception& error) const {
    throw Error(fmt::format("{}: {}", journal_.describe(neff::EngineCount + ring, share.time), error.what()));
}

bool Dma::find_row(std::size_t ring, const Share& share, Piece& piece) {
    if (!piece.index) return true;
    const neff::Indirect& indirect = *package_.transfers[share.transfer].indirect;
    std::array<std::uint8_t, 4> bytes{};
    storage_.read(indirect.index, *piece.index, bytes,
                  {neff::EngineCount + ring, share.time, share.known.get()});
    const auto index =
        static_cast<std::int32_t>(bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
                                  std::uint32_t{bytes[3]} << 24);
    if (index < indirect.first || index > indirect.last) {
        if (indirect.skip) return false;
        throw Error(fmt::format("index {} is out of bounds, expected {} to {}", index, indirect.first,
                                indirect.last));
    }
    std::uint64_t& side = indirect.scatter ? piece.to : piece.from;
    side += static_cast<std::uint64_t>((std::int64_t{index} - indirect.first) * indirect.step);
    return true;
}

void Dma::read_piece(std::size_t ring, const Share& share, Piece& piece, std::vector<std::uint8_t>& data) {
    const neff::Transfer& transfer = package_.transfers[share.transfer];
    if (!find_row(ring, share, piece)) {
        data.clear();
        return;
    }
    storage_.read(transfer.from, piece.from, data, actor(ring, share));
    if (!transfer.combination) return;
    std::vector<std::uint8_t> there(data.size());
    storage_.read(transfer.to, piece.to, there, actor(ring, share));
    combine(*transfer.combination, data, there);
}

void Dma::read(std::size_t ring, Share& share, std::size_t count) {
    for (; count != 0 && share.data.size() < share.pieces.size(); --count) {
        budget_.poll();
        if (share.own && share.data.size() != share.written) return;  // one piece after the other
        Piece& piece = share.pieces[share.data.size()];
        std::vector<std::uint8_t>& data = share.data.emplace_back(piece.bytes);
        try {
            read_piece(ring, share, piece, data);
        } catch (const std::runtime_error& error) {
            fail(ring, share, error);
        }
    }
}

void Dma::write(std::size_t ring, Share& share, std::size_t count) {
    const neff::Pattern &to = package_.transfers[share.transfer].to,
                        &from = package_.transfers[share.transfer].from;
    for (; count != 0 && share.written < share.data.size(); --count, ++share.written) {
        std::vector<std::uint8_t>& data = share.data[share.written];
        if (data.empty()) continue;  // the piece belongs to a row that is left out
        try {
            const Piece& piece = share.pieces[share.written];
            storage_.write(to, piece.to, data, actor(ring, share),
                           Place{from.place, from.tensor, piece.from});
        } catch (const std::runtime_error& error) {
            fail(ring, share, error);
        }
        data = {};
    }
}

// Completes the oldest share of a ring if all of it has been moved.
bool Dma::complete(std::size_t number) {
    Ring& ring = rings_[number];
    const Share& share = ring.shares.front();
    if (share.written != share.pieces.size()) return false;
    Clock clock = *share.known;
    clock[neff::EngineCount + number] = share.time;
    on_complete_(share.transfer, {neff::EngineCount + number, share.time, &clock});
    ring.shares.pop_front();
    return true;
}

// Moves and completes the oldest share of a ring.
void Dma::finish(std::size_t number) {
    Share& share = rings_[number].shares.front();
    do {
        read(number, share, share.pieces.size());
        write(number, share, share.pieces.size());
    } while (share.written != share.pieces.size());
    complete(number);
}

bool Dma::step(bool stuck) {
    const bool ended = end_collective(stuck);
    return step_adversary(stuck && !ended) || ended;
}

bool Dma::step_adversary(bool stuck) {
    switch (adversary_) {
        case Adversary::Earliest:
            return false;
        case Adversary::Latest:
            return stuck && step_latest();
        case Adversary::Random:
            return step_random(stuck);
    }
    return false;
}

// Finishes one share of the first DMA engine that has any.
bool Dma::step_latest() {
    const std::size_t engines = agents_.dma_engines();
    for (std::size_t i = 0; i < rings_.size(); ++i) {
        const std::size_t queues = rings_.size() / engines;
        const std::size_t number = i % queues * engines + i / queues;
        if (rings_[number].shares.empty() || is_collective(rings_[number])) continue;
        finish(number);
        return true;
    }
    return false;
}

bool Dma::step_random(bool stuck) {
    if (random_() % SpeedChange == 0) {
        for (unsigned& speed : speeds_)
            speed = random_() % 2 == 0 ? MaxSpeed : static_cast<unsigned>(random_() % 3);
    }
    bool progress = false;
    for (std::size_t number = 0; number < rings_.size(); ++number) {
        if (!rings_[number].shares.empty() && !is_collective(rings_[number]) &&
            random_() % MaxSpeed < speeds_[number % speeds_.size()])
            progress = move_some(number) || progress;
    }
    // When every agent waits, one ring has to go on, however slow it is.
    const std::size_t first = random_() % std::max<std::size_t>(1, rings_.size());
    for (std::size_t i = 0; stuck && !progress && i < rings_.size(); ++i) {
        const std::size_t number = (first + i) % rings_.size();
        if (rings_[number].shares.empty() || is_collective(rings_[number])) continue;
        finish(number);
        progress = true;
    }
    return progress;
}

bool Dma::move_some(std::size_t number) {
    Ring& ring = rings_[number];
    const std::size_t ahead = std::min(ring.shares.size(), ReachAhead);
    Share& share = ring.shares[random_() % ahead];
    const std::size_t left = share.pieces.size() - share.written;
    const std::size_t count = left == 0 ? 0 : 1 + random_() % left;
    const std::size_t before = share.data.size() + share.written;
    if (random_() % 2 == 0) read(number, share, count);
    if (random_() % 2 == 0) write(number, share, count);
    const bool moved = share.data.size() + share.written != before;
    return (random_() % 2 == 0 && complete(number)) || moved;
}

}  // namespace trnsim::functional
