// Names of the rules that a regression list can break (config::Error::rule).
#pragma once

#include <array>
#include <string_view>

namespace trnsim::regress::rule {

inline constexpr std::string_view Missing = "missing-key", List = "list", Empty = "empty",
                                  ValueTwice = "value-twice", Config = "config", Seed = "seed",
                                  Rounding = "rounding", Perturb = "perturb", TimeLimit = "time-limit",
                                  MaxTime = "max-time", Kernel = "kernel", Program = "program",
                                  Subject = "subject", Argument = "argument", OwnKernel = "own-kernel",
                                  Aim = "aim", Tag = "tag", Flag = "flag", Twice = "test-twice",
                                  EveryKernel = "every-kernel", Expect = "expect", Cases = "cases",
                                  Percent = "percent";

inline constexpr std::array All{Missing,  List,    Empty,     ValueTwice, Config,   Seed,
                                Rounding, Perturb, TimeLimit, Kernel,     Program,  Subject,
                                Argument, Aim,     Tag,       Flag,       Twice,    EveryKernel,
                                Expect,   Cases,   Percent,   MaxTime,    OwnKernel};

}  // namespace trnsim::regress::rule
