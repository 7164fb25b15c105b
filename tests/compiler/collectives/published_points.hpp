// Measured times of collectives, from documents of AWS, an example of DraNet on EKS, and a third party.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/collectives/calibrations.hpp"
#include "compiler/collectives/choice.hpp"
#include "compiler/collectives/estimate.hpp"
#include "compiler/collectives/generate.hpp"

namespace trnsim::collectives::test {

struct Point {
    std::string_view calibration;
    std::uint32_t ranks;
    std::uint64_t bytes;
    double microseconds;
    std::optional<Algorithm> algorithm = {};  // set if it is known or if there is only one
};

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

// The points of all-reduces.
inline constexpr std::array Points{
    Point{"nccom-test, 2 ranks", 2, KiB, 58},
    Point{"nccom-test, 2 ranks", 2, MiB, 68},
    Point{"nccom-test, 2 ranks", 2, 16 * MiB, 332},
    Point{"nccom-test, 2 ranks", 2, 32 * MiB, 768},
    Point{"nccom-test, 2 ranks", 2, GiB, 18930},
    Point{"nccom-test, 16 ranks", 16, 128 * KiB, 574, Algorithm::Mesh},
    Point{"nccom-test, 16 ranks", 16, 2 * MiB, 686, Algorithm::HalvingDoubling},
    Point{"nccom-test, 16 ranks", 16, 32 * MiB, 2754, Algorithm::Kangaring},
    Point{"nccom-test, 16 ranks", 16, 512 * MiB, 9689, Algorithm::Kangaring},
    Point{"nccom-test, 64 ranks", 64, 8, 520},
    Point{"nccom-test, 64 ranks", 64, KiB, 840},
    Point{"nccom-test, 64 ranks", 64, 64 * KiB, 1315},
    Point{"nccom-test, 64 ranks", 64, MiB, 1328},
    Point{"nccom-test, 64 ranks", 64, 16 * MiB, 2138},
    Point{"nccom-test, 64 ranks", 64, 64 * MiB, 3963},
    Point{"nccom-test, 64 ranks", 64, 256 * MiB, 11954},
    Point{"nccom-test, 64 ranks", 64, GiB, 41806},
    Point{"third party", 8, KiB, 6.3},
    Point{"third party", 8, MiB, 70.3},
    Point{"third party", 8, 64 * MiB, 1759},
    Point{"third party", 16, KiB, 7.1},
    Point{"third party", 16, MiB, 60.2},
    Point{"third party", 16, 64 * MiB, 1847},
    Point{"third party", 16, GiB, 29283},
    Point{"third party", 32, KiB, 9.1},
    Point{"third party", 32, MiB, 63.9},
    Point{"third party", 32, 8 * MiB, 307},
    Point{"third party", 32, 64 * MiB, 1054},
    Point{"third party", 32, 256 * MiB, 4075},
    Point{"third party", 32, GiB, 16218},
    Point{"2 ranks over EFA", 2, 64 * KiB, 43.77, Algorithm::Ring},
    Point{"2 ranks over EFA", 2, 512 * KiB, 126.55, Algorithm::Ring},
    Point{"2 ranks over EFA", 2, 4 * MiB, 517.65, Algorithm::Ring},
    Point{"2 ranks over EFA", 2, 8 * MiB, 949.92, Algorithm::Ring},
    Point{"2 ranks over EFA", 2, 128 * MiB, 21125, Algorithm::Ring},
    Point{"2 ranks over EFA", 2, GiB, 167630, Algorithm::Ring},
};

}  // namespace trnsim::collectives::test
