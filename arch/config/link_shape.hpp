// How a server's file says which chips are connected.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>

#include "arch/config/server.hpp"

namespace trnsim::config {

constexpr std::string_view LinkShapeType =
    "'torus RxC', 'mesh RxC', 'ring N', 'chain N', 'fully connected' or a list of pairs of chips";

// Nothing when the value is none of these.
std::optional<LinkShape> parse_link_shape(const YAML::Node& node);

// "torus 1x8" and "[[0, 1], [1, 2]]".
std::string show(const LinkShape& shape);

}  // namespace trnsim::config
