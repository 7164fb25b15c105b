// Words of attributes in text with their numbers in files.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace trnsim::hlo {

struct Word {
    std::int64_t number;
    std::string_view text;
};

inline constexpr std::array PrecisionWords{Word{0, "default"}, Word{1, "high"}, Word{2, "highest"},
                                           Word{3, "packed_nibble"}};
inline constexpr std::array AlgorithmWords{Word{0, "dot_default"},
                                           Word{1, "dot_any_f8_any_f8_f32"},
                                           Word{2, "dot_any_f8_any_f8_f32_fast_accum"},
                                           Word{3, "dot_f16_f16_f16"},
                                           Word{4, "dot_f16_f16_f32"},
                                           Word{5, "dot_bf16_bf16_bf16"},
                                           Word{6, "dot_bf16_bf16_f32"},
                                           Word{7, "dot_bf16_bf16_f32_x3"},
                                           Word{8, "dot_bf16_bf16_f32_x6"},
                                           Word{9, "dot_tf32_tf32_f32"},
                                           Word{10, "dot_tf32_tf32_f32_x3"},
                                           Word{11, "dot_f32_f32_f32"},
                                           Word{12, "dot_f64_f64_f64"},
                                           Word{13, "dot_bf16_bf16_f32_x9"}};
inline constexpr std::array RandomAlgorithmWords{Word{0, "rng_default"}, Word{1, "rng_three_fry"},
                                                 Word{2, "rng_philox"}};
inline constexpr std::array DistributionWords{Word{1, "rng_uniform"}, Word{2, "rng_normal"}};
inline constexpr std::array TransposeWords{Word{1, "NO_TRANSPOSE"}, Word{2, "TRANSPOSE"}, Word{3, "ADJOINT"}};
inline constexpr std::array FftWords{Word{0, "FFT"}, Word{1, "IFFT"}, Word{2, "RFFT"}, Word{3, "IRFFT"}};
inline constexpr std::array AliasWords{Word{1, "may-alias"}, Word{2, "must-alias"}};
inline constexpr std::array ShardingKindWords{Word{0, "replicated"}, Word{1, "maximal"}, Word{2, "tuple"},
                                              Word{3, "devices"},    Word{4, "manual"},  Word{5, "unknown"},
                                              Word{6, "unreduced"}};
inline constexpr std::array CustomCallApiWords{
    Word{1, "API_VERSION_ORIGINAL"}, Word{2, "API_VERSION_STATUS_RETURNING"},
    Word{3, "API_VERSION_STATUS_RETURNING_UNIFIED"}, Word{4, "API_VERSION_TYPED_FFI"}};

// Returns the word of a number; empty where there is none.
inline std::string_view word_of(std::span<const Word> words, std::int64_t number) {
    for (const Word& word : words) {
        if (word.number == number) return word.text;
    }
    return {};
}

}  // namespace trnsim::hlo
