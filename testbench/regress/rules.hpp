// Names of what a regression list can break (config::Error::rule).
#pragma once

#include <array>
#include <string_view>

namespace trnsim::regress::rule {

inline constexpr std::string_view Missing = "missing-key", List = "list", Empty = "empty",
                                  ValueTwice = "value-twice", Config = "config", Seed = "seed",
                                  Rounding = "rounding", TimeLimit = "time-limit", Kernel = "kernel",
                                  Argument = "argument", Tag = "tag", Flag = "flag", Twice = "test-twice",
                                  EveryKernel = "every-kernel", Expect = "expect", Cases = "cases";

inline constexpr std::array All{Missing,  List,        Empty,  ValueTwice, Config, Seed,
                                Rounding, TimeLimit,   Kernel, Argument,   Tag,    Flag,
                                Twice,    EveryKernel, Expect, Cases};

}  // namespace trnsim::regress::rule
