// The bytes of a tensor, made when they are needed: a tensor is not in the memory of the host as well as in
// that of a simulated device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace trnsim::loader {

// Pieces in which large data are moved, in bytes; a multiple of the size of every element.
inline constexpr std::uint64_t PieceBytes = 1 << 20;

class Content {
  public:
    using Take = std::function<void(std::span<const std::uint8_t> piece)>;
    // Calls its argument with consecutive pieces that are together the content.
    using Source = std::function<void(const Take& take)>;

    Content() = default;  // has no bytes
    explicit Content(Source source) : source_(std::move(source)) {}
    // Content that is there. `bytes` must outlive it.
    static Content borrowed(std::span<const std::uint8_t> bytes) {
        return Content([bytes](const Take& take) {
            for (std::size_t done = 0; done < bytes.size(); done += PieceBytes)
                take(bytes.subspan(done, std::min<std::size_t>(PieceBytes, bytes.size() - done)));
        });
    }

    bool empty() const { return !source_; }
    // Makes the content, anew each time.
    void give(const Take& take) const {
        if (source_) source_(take);
    }
    std::vector<std::uint8_t> bytes() const {
        std::vector<std::uint8_t> all;
        give([&all](std::span<const std::uint8_t> piece) {
            all.insert(all.end(), piece.begin(), piece.end());
        });
        return all;
    }

  private:
    Source source_;
};

}  // namespace trnsim::loader
