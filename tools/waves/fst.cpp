// GTKWave's reader and writer of FST files, in the version that Verilator brings.
#include <verilatedos.h>

#include <cstdint>

#define FST_CONFIG_INCLUDE "fst_config.h"
#include "gtkwave/fastlz.c"
#include "gtkwave/fstapi.c"
#include "gtkwave/lz4.c"
