// Measured times of all-reduces, from documents of AWS, an example of DraNet on EKS, and a third party:
// docs/collectives.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/collectives/request.hpp"

namespace trnsim::collectives {

// The program that measures, and where.
struct Platform {
    std::string_view name;
    std::uint32_t servers;  // trn1.32xlarge, or what is taken for it
    double floor;           // us before the first transfer, fitted to the smallest size
};
inline constexpr std::array Platforms{
    Platform{"nccom-test, 2 ranks", 1, 53},    Platform{"nccom-test, 16 ranks", 1, 550},
    Platform{"nccom-test, 64 ranks", 2, 1100}, Platform{"third party", 1, 0},
    Platform{"2 ranks over EFA", 2, 0},
};

struct PublishedPoint {
    std::string_view platform;
    std::uint32_t ranks;
    std::uint64_t bytes;  // of a rank's buffer
    double microseconds;
    std::optional<Algorithm> algorithm{};  // set if it is known or if there is only one
    bool contradicted = false;             // by other points of its source
};

inline constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

inline constexpr std::array PublishedPoints{
    PublishedPoint{"nccom-test, 2 ranks", 2, KiB, 58},
    PublishedPoint{"nccom-test, 2 ranks", 2, MiB, 68},
    PublishedPoint{"nccom-test, 2 ranks", 2, 16 * MiB, 332},
    PublishedPoint{"nccom-test, 2 ranks", 2, 32 * MiB, 768, {}, true},
    PublishedPoint{"nccom-test, 2 ranks", 2, GiB, 18930},
    PublishedPoint{"nccom-test, 16 ranks", 16, 128 * KiB, 574, Algorithm::Mesh},
    PublishedPoint{"nccom-test, 16 ranks", 16, 2 * MiB, 686, Algorithm::HalvingDoubling},
    PublishedPoint{"nccom-test, 16 ranks", 16, 32 * MiB, 2754, Algorithm::Kangaring, true},
    PublishedPoint{"nccom-test, 16 ranks", 16, 512 * MiB, 9689, Algorithm::Kangaring, true},
    PublishedPoint{"nccom-test, 64 ranks", 64, 8, 520},
    PublishedPoint{"nccom-test, 64 ranks", 64, KiB, 840},
    PublishedPoint{"nccom-test, 64 ranks", 64, 64 * KiB, 1315},
    PublishedPoint{"nccom-test, 64 ranks", 64, MiB, 1328},
    PublishedPoint{"nccom-test, 64 ranks", 64, 16 * MiB, 2138},
    PublishedPoint{"nccom-test, 64 ranks", 64, 64 * MiB, 3963},
    PublishedPoint{"nccom-test, 64 ranks", 64, 256 * MiB, 11954},
    PublishedPoint{"nccom-test, 64 ranks", 64, GiB, 41806},
    PublishedPoint{"third party", 8, KiB, 6.3},
    PublishedPoint{"third party", 8, MiB, 70.3},
    PublishedPoint{"third party", 8, 64 * MiB, 1759},
    PublishedPoint{"third party", 16, KiB, 7.1},
    PublishedPoint{"third party", 16, MiB, 60.2},
    PublishedPoint{"third party", 16, 64 * MiB, 1847},
    PublishedPoint{"third party", 16, GiB, 29283},
    PublishedPoint{"third party", 32, KiB, 9.1},
    PublishedPoint{"third party", 32, MiB, 63.9},
    PublishedPoint{"third party", 32, 8 * MiB, 307},
    PublishedPoint{"third party", 32, 64 * MiB, 1054},
    PublishedPoint{"third party", 32, 256 * MiB, 4075},
    PublishedPoint{"third party", 32, GiB, 16218},
    PublishedPoint{"2 ranks over EFA", 2, 64 * KiB, 43.77, Algorithm::Ring},
    PublishedPoint{"2 ranks over EFA", 2, 512 * KiB, 126.55, Algorithm::Ring},
    PublishedPoint{"2 ranks over EFA", 2, 4 * MiB, 517.65, Algorithm::Ring},
    PublishedPoint{"2 ranks over EFA", 2, 8 * MiB, 949.92, Algorithm::Ring},
    PublishedPoint{"2 ranks over EFA", 2, 128 * MiB, 21125, Algorithm::Ring},
    PublishedPoint{"2 ranks over EFA", 2, GiB, 167630, Algorithm::Ring},
};

}  // namespace trnsim::collectives
