#include "testbench/functional/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "compiler/neff/check.hpp"
#include "compiler/neff/sizes.hpp"

namespace trnsim::functional {

Ranks::Ranks(std::vector<const neff::Package*> packages, CarryOut carry_out, const Options& options)
    : packages_(std::move(packages)), carry_out_(std::move(carry_out)), options_(options) {
    options_.races = nullptr;
    options_.executed = nullptr;
    options_.began = nullptr;
    for (const neff::Package* package : packages_) {
        neff::check(*package);
        Tensors& tensors = tensors_.emplace_back();
        for (const neff::Tensor& tensor : package->tensors) tensors.emplace_back(neff::tensor_bytes(tensor));
        given_.emplace_back(tensors.size());
    }
}

void Ranks::set(std::size_t rank, const std::string& tensor, std::span<const std::uint8_t> bytes) {
    const std::size_t index = tensor_index(*packages_[rank], tensor);
    Bytes& contents = tensors_.at(rank)[index];
    if (bytes.size() != contents.size())
        throw Error(fmt::format("rank {}: tensor '{}' has {} bytes, got {}", rank, tensor, contents.size(),
                                bytes.size()));
    std::ranges::copy(bytes, contents.begin());
    given_[rank][index] = true;
}

const Bytes& Ranks::get(std::size_t rank, const std::string& tensor) const {
    return tensors_.at(rank)[tensor_index(*packages_[rank], tensor)];
}

void Ranks::run() {
    std::vector<std::unique_ptr<Histories>> histories(packages_.size());
    for (auto& one : histories) one = std::make_unique<Histories>();
    while (!run_once(histories)) {
    }
}

// Returns false when semaphores told more than they do in every order: then the run has to be repeated.
bool Ranks::run_once(std::vector<std::unique_ptr<Histories>>& histories) {
    Rendezvous rendezvous(packages_.size(), carry_out_);
    std::vector<std::unique_ptr<Interpretation>> ranks;
    for (std::size_t rank = 0; rank < packages_.size(); ++rank)
        ranks.push_back(std::make_unique<Interpretation>(*packages_[rank], options_, tensors_[rank],
                                                         *histories[rank], Meets{&rendezvous, rank}));
    const auto each = [&](const auto& work) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            try {
                work(*ranks[rank], rank);
            } catch (const Error& error) {
                throw Error(fmt::format("rank {}: {}", rank, error.what()));
            }
        }
    };
    for (bool progress = true; progress;) {
        progress = false;
        each([&](Interpretation& rank, std::size_t) { progress = rank.advance() || progress; });
    }
    each([](const Interpretation& rank, std::size_t) { rank.expect_end(); });
    bool again = false;
    for (auto& one : histories) {
        for (SemaphoreHistory& history : *one) again = history.restart() || again;
    }
    if (again) return false;
    each([&](const Interpretation& it, std::size_t rank) { it.expect_outputs(given_[rank]); });
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        tensors_[rank] = std::move(ranks[rank]->tensors());
    return true;
}

}  // namespace trnsim::functional
