// Firmware that uses the runtime, both correctly and with errors.
#include "trnsim/custom_op.hpp"

namespace {

struct Counter {
    int value;
    Counter() : value(41) { ++value; }
} counter;  // has a constructor that runs at start-up

}  // namespace

static void print_all() {
    trnsim::printf("%d|%5d|%-5d|%05d|%u|%x|%X|%08x\n", -7, -7, -7, -7, 4000000000U, 0xbeefU, 0xbeefU, 0x1fU);
    trnsim::printf("%s|%6s|%-6s|%.2s|%c|%%|%d\n", "text", "ab", "ab", "text", 'x', counter.value);
    trnsim::printf("%f|%.0f|%.1f|%9.3f|%-9.2f|%09.2f|%.3f\n", 1.5F, 2.5F, 0.25F, -3.14159F, 2.0F, -1.25F,
                   123456.789F);
    trnsim::printf("%f|%f|%.9f|%d|%s\n", __builtin_inff(), -__builtin_nanf(""), 0x1p-24F, 1);
}
TRNSIM_CUSTOM_OP(print_all)

static void print_flags(int32_t value, int32_t width) {
    trnsim::printf("%+d|% d|%#x|%#X|%.5d|%+08d|%-+8d|%8.3d|%.0d|%*d|%-*d|%.*d\n", value, value, value, value,
                   value, value, value, value, value, width, value, width, value, width, value);
}
TRNSIM_CUSTOM_OP(print_flags)

static void print_float(uint32_t bits, int32_t precision) {
    const float value = __builtin_bit_cast(float, bits);
    trnsim::printf("%.*f|%f|%+015.4f|% .0f|%#.0f|%-12.1f|\n", precision, value, value, value, value, value,
                   value);
}
TRNSIM_CUSTOM_OP(print_float)

static void print_much(int32_t lines) {
    for (int32_t k = 0; k < lines; ++k) trnsim::printf("line %d\n", k);
}
TRNSIM_CUSTOM_OP(print_much)

static void check_heap() {
    using trnsim::require, trnsim::tcm_malloc, trnsim::tcm_free;
    require(tcm_malloc(0) == nullptr && tcm_malloc(TRNSIM_HEAP_BYTES) == nullptr &&
            tcm_malloc(0xffffffffU) == nullptr);
    void* whole = tcm_malloc(TRNSIM_HEAP_BYTES - 64);
    require(whole != nullptr && tcm_malloc(1) == nullptr);
    tcm_free(whole);
    void* parts[20];
    for (uint32_t k = 0; k < 20; ++k) {
        parts[k] = tcm_malloc(1 + 37 * k);
        require(parts[k] != nullptr && reinterpret_cast<uintptr_t>(parts[k]) % 64 == 0);
        __builtin_memset(parts[k], static_cast<int>(k), 1 + 37 * k);
    }
    for (uint32_t k = 0; k < 20; ++k) {
        for (uint32_t b = 0; b < 1 + 37 * k; ++b) require(static_cast<uint8_t*>(parts[k])[b] == k);
    }
    for (uint32_t k = 0; k < 20; k += 2) tcm_free(parts[k]);
    tcm_free(nullptr);
    tcm_free(parts[0]);
    for (uint32_t k = 1; k < 20; k += 2) tcm_free(parts[k]);
    whole = tcm_malloc(TRNSIM_HEAP_BYTES - 64);
    require(whole != nullptr);
    tcm_free(whole);
}
TRNSIM_CUSTOM_OP(check_heap)

static void check_memory() {
    using trnsim::require;
    static uint8_t bytes[2048], copy[2048];
    const auto fill = [] {
        for (uint32_t k = 0; k < sizeof(bytes); ++k)
            copy[k] = bytes[k] = static_cast<uint8_t>(k * 7 + k / 256);
    };
    constexpr uint32_t Sizes[] = {0, 1, 63, 64, 511, 512, 513, 1023};
    for (const uint32_t size : Sizes) {
        for (uint32_t to = 0; to < 1000; to += 333) {
            for (uint32_t from = 0; from < 1000; from += 77) {
                fill();
                require(memmove(bytes + to, bytes + from, size) == bytes + to);
                for (uint32_t k = 0; k < sizeof(bytes); ++k) {
                    require(bytes[k] == copy[k >= to && k < to + size ? from + k - to : k]);
                }
            }
        }
        fill();
        memset(bytes + 3, 0x15a, size);
        for (uint32_t k = 0; k < sizeof(bytes); ++k)
            require(bytes[k] == (k >= 3 && k < 3 + size ? 0x5a : copy[k]));
        fill();
        memcpy(bytes + 1025, bytes + 1, size);
        require(memcmp(bytes + 1025, bytes + 1, size) == 0);
        if (size != 0) {
            const uint8_t last = bytes[size];
            bytes[size] = 0;
            bytes[1024 + size] = 255;
            require(memcmp(bytes + 1, bytes + 1025, size) < 0 && memcmp(bytes + 1025, bytes + 1, size) > 0);
            bytes[size] = last;
        }
    }
    require(strlen("") == 0 && strlen("seven..") == 7);
}
TRNSIM_CUSTOM_OP(check_memory)

static struct Static {
    Static() : value(7) {}
    ~Static() { value = 0; }
    volatile uint32_t value;
} with_destructor;

static void check_static() {
    trnsim::require(with_destructor.value == 7);
}
TRNSIM_CUSTOM_OP(check_static)

static void load_from_nowhere() {
    *reinterpret_cast<volatile uint32_t*>(0x80010000);
}
TRNSIM_CUSTOM_OP(load_from_nowhere)

[[gnu::noinline]] static uint32_t deeper(uint32_t depth) {
    volatile uint32_t frame[64];
    frame[depth % 64] = depth;
    return depth == 0 ? 0 : deeper(depth - 1) + frame[depth % 64];
}

static void overflow_stack(int32_t depth) {
    trnsim::printf("%u", deeper(static_cast<uint32_t>(depth)));
}
TRNSIM_CUSTOM_OP(overflow_stack)

static void spin() {
    for (;;) asm volatile("" ::: "memory");
}
TRNSIM_CUSTOM_OP(spin)

static void index_beyond(trnsim::Tensor in) {
    in.accessor<float, 2>()(0, in.size(1)) = 1.0F;
}
TRNSIM_CUSTOM_OP(index_beyond)

// Each value of `which` stops in a line of its own.
static void require_all(trnsim::Tensor in, uint32_t which) {
    trnsim::require(which != 0);
    trnsim::require(which != 1);
    if (which == 2) in.accessor<int8_t, 2>();
    if (which == 3) in.accessor<float, 2>()(in.rows(), 0);
    auto reader = in.read_stream_accessor<float>();
    auto writer = trnsim::get_dst_tensor().write_stream_accessor<float>();
    for (uint32_t k = 0; k < in.elements(); ++k) {
        writer.write(reader.read());
    }
    if (which == 4) reader.read();
    if (which == 5) writer.write(1.0F);
    float one;
    if (which == 6) in.tcm_accessor().tensor_to_tcm(&one, in.elements(), 1);
    if (which == 7) in.tcm_accessor().tcm_to_tensor(&one, in.elements(), 1);
}
TRNSIM_CUSTOM_OP(require_all)

// Transposes a 3-axis tensor by element access and streams: out[r][j][i] = 2 in[r][i][j] + cpu id.
static void elements(trnsim::Tensor in) {
    const trnsim::Tensor out = trnsim::get_dst_tensor();
    auto reader = in.read_stream_accessor<int16_t>();
    const auto target = out.accessor<int16_t, 3>();
    for (uint32_t r = 0; r < in.rows(); ++r) {
        for (uint32_t i = 0; i < in.size(1); ++i) {
            for (uint32_t j = 0; j < in.size(2); ++j) {
                target(r, j, i) =
                    static_cast<int16_t>(2 * reader.read() + static_cast<int16_t>(trnsim::get_cpu_id()));
            }
        }
    }
}
TRNSIM_CUSTOM_OP(elements)

static void stream_out(trnsim::Tensor in) {
    auto writer = trnsim::get_dst_tensor().write_stream_accessor<int8_t>();
    auto reader = in.read_stream_accessor<int8_t>();
    for (uint32_t k = 0; k < in.elements(); ++k) writer.write(static_cast<int8_t>(-reader.read()));
    writer.close();
}
TRNSIM_CUSTOM_OP(stream_out)

static void gives_up() {
    trnsim::fail();
}
TRNSIM_CUSTOM_OP(gives_up)

// Writes two numbers into each row: the bytes of a vector register in the core, and those that the code
// expects.
static void register_sizes() {
    const trnsim::Tensor out = trnsim::get_dst_tensor();
    uint32_t bytes = 0;
    asm volatile("csrr %0, vlenb" : "=r"(bytes));
    auto writer = out.write_stream_accessor<uint32_t>();
    for (uint32_t row = 0; row < out.rows(); ++row) {
        writer.write(bytes);
        writer.write(__riscv_v_min_vlen / 8);
    }
    writer.close();
}
TRNSIM_CUSTOM_OP(register_sizes)
