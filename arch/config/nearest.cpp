#include "arch/config/nearest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace trnsim::config {
namespace {

// Returns the number of letters to insert, to leave out, to replace, and of neighbours to swap.
std::size_t edits(std::string_view a, std::string_view b) {
    // `row`: the edits from the first i letters of `a` to each prefix of `b`; `above` and `two_above`: the
    // same for i - 1 and i - 2.
    std::vector<std::size_t> row(b.size() + 1), above(row), two_above(row);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(two_above, above);
        std::swap(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, row[j - 1] + 1, above[j] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> candidates) {
    std::string best;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const std::string& candidate : candidates) {
        const std::size_t count = edits(name, candidate);
        if (count < fewest) {
            fewest = count;
            best = candidate;
        }
    }
    return best;
}

std::string meant(std::string_view name, std::span<const std::string> candidates) {
    const std::string best = nearest(name, candidates);
    return !best.empty() && 3 * edits(name, best) <= std::max(name.size(), best.size()) ? best : "";
}

}  // namespace trnsim::config
