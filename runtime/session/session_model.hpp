// The loaded packages of a session: one for each rank, with its memory.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "runtime/session/collectives.hpp"
#include "runtime/session/session.hpp"

namespace trnsim::runtime {

// Returns the bindings of a rank.
inline const Bindings& of(const std::vector<Bindings>& bindings, std::uint32_t rank) {
    static const Bindings none;
    return bindings.empty() ? none : bindings.at(rank);
}

struct Session::Model {
    struct Rank {
        Rank(std::shared_ptr<const neff::Package> package, loader::Blocks blocks)
            : package(std::move(package)), blocks(std::move(blocks)) {}

        std::shared_ptr<const neff::Package> package;
        loader::Blocks blocks;
        Image image{};
        // By Package::tensors, at load(): valid for tensors in memory of the model and for those that are
        // bound in every execution, undefined for others.
        std::vector<std::uint64_t> placed{};
    };

    std::vector<LoadedPackage> loaded() const {
        std::vector<LoadedPackage> loaded;
        for (const Rank& rank : ranks) loaded.push_back({rank.package.get(), &rank.image});
        return loaded;
    }
    void place_collectives() {
        if (!collectives) return;
        std::vector<const Image*> images;
        std::vector<loader::Blocks*> blocks;
        for (Rank& rank : ranks) {
            images.push_back(&rank.image);
            blocks.push_back(&rank.blocks);
        }
        collectives->place(images, blocks);
    }

    std::vector<Bindings> bindings;  // by rank, or none
    std::vector<Rank> ranks;
    std::unique_ptr<Collectives> collectives;  // for a server
    bool written = false;                      // images are in memory
};

// Errors of a rank of a server name the rank.
template <typename Work>
auto Session::of_rank(std::uint32_t rank, Work work) const {
    try {
        return work();
    } catch (const Error& error) {
        if (!server_) throw;
        throw Error(fmt::format("rank {}: {}", rank, error.what()), error.status);
    }
}

}  // namespace trnsim::runtime
