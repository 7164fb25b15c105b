// `trnsim nccom-test allr --published`: simulates the measured all-reduces of
// compiler/collectives/published_points.hpp that fit one server, and compares the times.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "compiler/collectives/published_points.hpp"
#include "tools/nccom/command.hpp"

namespace trnsim::nccom {

// The options of `nccom-test` that go with --published, and what they are unless given.
inline constexpr const char* PublishedMaxBytes = "64M";
inline constexpr const char* PublishedType = "fp32";

// The bounds hold for the points from 1 MiB on that no other point of their source contradicts.
inline constexpr double PublishedWorst = 0.15, PublishedMedian = 0.10;
bool counts(const collectives::PublishedPoint& point);

struct Compared {
    const collectives::PublishedPoint* point = nullptr;
    std::string algorithm{};
    double microseconds = 0;  // simulated, with the floor of the platform
    double error() const { return microseconds / point->microseconds - 1; }
};

struct Comparison {
    std::vector<Compared> points{};
    bool complete = true;  // nothing has ended it

    // Both return errors of the points that count, without their signs; 0 if there is none.
    double median() const;
    double worst() const;
    bool within() const { return median() <= PublishedMedian && worst() <= PublishedWorst; }
};

std::string published_header();
std::string published_line(const Compared& one);
std::string published_last_line(const Comparison& all);

// Simulates the points up to --maxbytes and writes a line of a Markdown table as soon as it has one. Throws a
// std::exception whose what() is one line; `given` are the names of the options on the command line.
Comparison compare_with_published(const Arguments& arguments, const std::vector<std::string>& given,
                                  std::ostream& out, const Watch& watch = {});

}  // namespace trnsim::nccom
