// The part of a server's file that says which chips are connected.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

#include "arch/config/server.hpp"

namespace trnsim::config {

constexpr std::string_view LinkShapeType =
    "'torus RxC', 'mesh RxC', 'ring N', 'chain N', 'fully connected' or a list of pairs of chips";

// Returns nothing when the value is no such shape.
std::optional<LinkShape> parse_link_shape(const YAML::Node& node);

// Returns "torus 1x8" or "[[0, 1], [1, 2]]".
std::string show(const LinkShape& shape);

}  // namespace trnsim::config
