// The topology of a server: which ports of which chips are connected.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/neuronlink/parameters.hpp"

namespace trnsim::tlm::neuronlink {

// The ports, named by the neighbour's position on a grid. The opposite of port p is p ^ 1.
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
    Dimension rows, columns;  // sizes of a grid
    unsigned chips = 0;
    std::vector<Cable> cables;

    // Returns the far ends of a chip's ports, only of cables in `usable` (empty: all).
    std::vector<std::array<std::optional<End>, Ports>> neighbours(const std::vector<bool>& usable = {}) const;
};

// All throw std::invalid_argument for sizes of 0 and for more chips than addresses can name.
Topology torus(unsigned rows, unsigned columns);
Topology mesh(unsigned rows, unsigned columns);
Topology ring(unsigned chips);
Topology chain(unsigned chips);
// Makes a topology from pairs of chips; each chip uses its ports in the order of the pairs. Throws
// std::invalid_argument for a chip that does not exist, a cable from a chip to itself, and a chip with more
// cables than ports.
Topology graph(unsigned chips, std::span<const std::pair<unsigned, unsigned>> pairs);

// Returns the directions that a name stands for, each as the end where it begins: "3.E", both of the cable
// "3.E-0.W", or "all". Empty: there is no such link.
std::vector<End> ends_named(const Topology& topology, std::string_view name);

// trn1.32xlarge: 16 chips in a torus of 4 x 4.
inline Topology trn1_server() {
    return torus(4, 4);
}

// Throws std::invalid_argument with one line for an end that does not exist or that two cables have.
void check(const Topology& topology);

}  // namespace trnsim::tlm::neuronlink
