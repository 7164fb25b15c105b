// Names of the rules that a sweep file can break (config::Error::rule).
#pragma once

#include <array>
#include <string_view>

namespace trnsim::sweep::rule {

inline constexpr std::string_view Name = "name", Missing = "missing-key", Fidelity = "fidelity",
                                  Seed = "seed", Check = "check", Rounding = "rounding", Perturb = "perturb",
                                  Trace = "trace", Wave = "wave", Server = "server", TimeLimit = "time-limit",
                                  Base = "base", List = "list", Empty = "empty", Entry = "one-key",
                                  AxisKey = "axis-key", AxisTwice = "axis-twice", AxisValue = "axis-value",
                                  ValueTwice = "value-twice", ZipLength = "zip-length",
                                  RangeUnordered = "range-of-texts", RangeBounds = "range-bounds",
                                  RangeAdvance = "range-advance", RangeLength = "range-length",
                                  Argument = "argument", OwnKernel = "own-kernel",
                                  FilterSyntax = "filter-syntax", FilterName = "filter-name",
                                  FilterValue = "filter-value", FilterAll = "filter-all", Metric = "metric",
                                  Points = "points", Label = "label";

inline constexpr std::array All{Label,       Name,       Missing,   Fidelity,       Seed,        Check,
                                Rounding,    Perturb,    Trace,     Wave,           TimeLimit,   Base,
                                Server,      List,       Empty,     Entry,          AxisKey,     AxisTwice,
                                AxisValue,   ValueTwice, ZipLength, RangeUnordered, RangeBounds, RangeAdvance,
                                RangeLength, Argument,   OwnKernel, FilterSyntax,   FilterName,  FilterValue,
                                FilterAll,   Metric,     Points};

}  // namespace trnsim::sweep::rule
