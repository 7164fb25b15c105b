// Which ports of which chips are connected.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/neuronlink/parameters.hpp"

namespace trnsim::tlm::neuronlink {

// The ports by where the neighbour stands on a grid. The opposite of port p is p ^ 1.
enum Side : unsigned { North, South, East, West };

struct End {
    unsigned chip, port;
    bool operator==(const End&) const = default;
};
std::string name_of(End end);  // "3.E"

struct Cable {
    End a, b;
    bool operator==(const Cable&) const = default;
};
std::string name_of(const Cable& cable);  // "3.E-0.W"

// Chips with numbers from 0; on a grid chip row * columns + column stands at row and column.
struct Topology {
    enum class Kind { Grid, Graph };
    struct Dimension {
        unsigned size = 1;
        bool wraps = false;
    };

    Kind kind = Kind::Graph;
    Dimension rows, columns;  // of a grid
    unsigned chips = 0;
    std::vector<Cable> cables;

    // The far ends of a chip's ports, those of cables alone that `usable` has (empty: all).
    std::vector<std::array<std::optional<End>, Ports>> neighbours(const std::vector<bool>& usable = {}) const;
};

// All throw std::invalid_argument for sizes of 0 and for more chips than addresses can name.
Topology torus(unsigned rows, unsigned columns);
Topology mesh(unsigned rows, unsigned columns);
Topology ring(unsigned chips);
Topology chain(unsigned chips);
// Of pairs of chips, ports in the order of the pairs. Throws std::invalid_argument for a chip that is not
// there, a cable from a chip to itself, and a chip with more cables than ports.
Topology graph(unsigned chips, std::span<const std::pair<unsigned, unsigned>> pairs);

// trn1.32xlarge: 16 chips in a torus of 4 x 4.
inline Topology trn1_server() {
    return torus(4, 4);
}

// Throws std::invalid_argument, one line: an end that is not there, or that two cables have.
void check(const Topology& topology);

}  // namespace trnsim::tlm::neuronlink
