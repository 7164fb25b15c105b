// Types and functions of the memories.
package memory_pkg;

  import core_pkg::*;

  // A memory has slices of 16 partitions, as many as a GpSimd core works on. The memory of a small core has
  // two slices.
  localparam int unsigned SlicePartitions = cfg_pkg::Lanes >= 32 ? 16 : cfg_pkg::Lanes / 2;
  localparam int unsigned Slices          = cfg_pkg::Lanes / SlicePartitions;
  localparam int unsigned SliceBits       = $clog2(Slices);
  typedef logic [SliceBits-1:0] slice_t;

  // The source of an access: an engine (isa_pkg::engine_e), or the bus.
  typedef logic [2:0] master_t;
  localparam master_t MasterBus = 3'd7;
  localparam int unsigned Masters = 5;  // number of engines

  // The counts: cycles in which a requester waits, each in its own clock, and events.
  typedef enum logic [3:0] {
    CountMovingWaits, CountVectorWaits, CountScalarWaits, CountBusWaits, CountSequencerWaits,
    CountUnfounded,   // rows that a matmul added to words that no matmul had written
    CountCorrected, CountUncorrected,  // words with an upset
    CountGpsimdWaits
  } count_e;
  localparam int unsigned Counts = 9;

  // A wrong access and its source.
  typedef struct packed {
    logic            valid;
    isa_pkg::error_e code;
    master_t         master;
    number_t            tag;
    lane_t           lane;
    memory_row_t     row;
  } fault_t;

  // The number of words that were read before anything had written them, and the first of them.
  typedef struct packed {
    logic [31:0] words;
    master_t     master;
    lane_t       lane;
    memory_row_t row;
  } unwritten_t;

  // The number of words with an upset that a memory can remember, and one such word.
  localparam int unsigned Upsets = 8;
  typedef struct packed {
    logic           valid;
    lane_t          lane;
    memory_row_t    row;
    ecc_pkg::code_t flips;  // bits that differ from the stored ones
  } upset_t;

  typedef logic [15:0] events_t;  // a count that saturates

  function automatic events_t plus(events_t count, events_t more);
    return count + more < count ? '1 : count + more;
  endfunction

  // Return addresses in the core window.
  function automatic logic [25:0] sbuf_address(lane_t lane, memory_row_t row);
    return (26'(lane) << SbufStrideBits) + 26'({row, 2'b00});
  endfunction

  function automatic logic [25:0] psum_address(lane_t lane, memory_row_t row);
    return 26'(isa_pkg::WindowPsumBase) + (26'(lane) << PsumStrideBits) + 26'({row, 2'b00});
  endfunction

  function automatic slice_t slice_of(lane_t lane);
    return slice_t'(32'(lane) / SlicePartitions);
  endfunction

  function automatic logic [31:0] byte_mask(logic [3:0] be);
    return {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
  endfunction

  function automatic logic [31:0] merge_word(logic [31:0] old, logic [31:0] data, logic [3:0] be);
    return (old & ~byte_mask(be)) | (data & byte_mask(be));
  endfunction

  // Returns the lowest partition of a set that is not empty.
  function automatic lane_t lowest(mask_t mask);
    lane_t lane;
    lane = '0;
    for (int unsigned k = cfg_pkg::Lanes; k > 0; k--) begin
      if (mask[k-1]) lane = lane_t'(k - 1);
    end
    return lane;
  endfunction

endpackage
