// Load/store unit: loads and stores within one beat, to the TCM or to the slice of SBUF, one of each in a
// cycle. The TCM takes one access in a cycle, stores first.
//
// Addresses have been checked. Loads of one memory wait for those of the other, so that data comes in order;
// a queue holds the destination of each load.
module gpsimd_lsu
  import gpsimd_pkg::*;
#(
  parameter int unsigned Depth = 8  // loads under way
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // A load.
  input  logic        load_valid_i,
  input  access_t     load_access_i,
  input  logic [31:0] load_address_i,
  output logic        load_ready_o,

  // A store; its data and strobes are at their place in the beat.
  input  logic        store_valid_i,
  input  logic [31:0] store_address_i,
  input  beat_t       store_wdata_i,
  input  strobe_t     store_strobe_i,
  output logic        store_ready_o,

  // Data of the oldest load.
  output logic        data_valid_o,
  output access_t     data_access_o,
  output beat_t       data_o,
  output logic        idle_o,

  // TCM.
  output logic        tcm_req_o,
  output logic        tcm_write_o,
  output tcm_beat_t   tcm_beat_o,
  output beat_t       tcm_wdata_o,
  output strobe_t     tcm_strobe_o,
  input  logic        tcm_rvalid_i,
  input  beat_t       tcm_rdata_i,

  // Slice of SBUF: a read and a write a cycle. A read sees the writes that were taken before it. Data comes
  // in order.
  output logic        read_valid_o,
  output slice_beat_t read_beat_o,
  input  logic        read_ready_i,
  input  logic        read_rvalid_i,
  input  beat_t       read_rdata_i,
  output logic        write_valid_o,
  output slice_beat_t write_beat_o,
  output beat_t       write_wdata_o,
  output strobe_t     write_strobe_o,
  input  logic        write_ready_i
);

  localparam int unsigned IndexBits = $clog2(Depth);

  access_t            queue_q [Depth];
  logic [IndexBits:0] count_q;
  logic [IndexBits-1:0] head_q;
  logic               slice_q;  // the loads under way are from the slice

  logic load_tcm, store_tcm, tcm_store, queue_ready;
  logic [31:0] load_offset, store_offset;
  assign load_tcm = in_tcm(load_address_i);
  assign store_tcm = in_tcm(store_address_i);
  assign tcm_store = store_valid_i & store_tcm;
  assign queue_ready = (count_q != (IndexBits + 1)'(Depth)) & ((count_q == '0) | (slice_q == ~load_tcm));
  assign load_offset = load_address_i - (load_tcm ? TcmBase : SliceBase);
  assign store_offset = store_address_i - (store_tcm ? TcmBase : SliceBase);

  assign tcm_req_o    = tcm_store | (load_valid_i & load_tcm & queue_ready);
  assign tcm_write_o  = tcm_store;
  assign tcm_beat_o   = tcm_store ? store_offset[6+:TcmBeatBits] : load_offset[6+:TcmBeatBits];
  assign tcm_wdata_o  = store_wdata_i;
  assign tcm_strobe_o = store_strobe_i;

  assign read_valid_o   = load_valid_i & ~load_tcm & queue_ready;
  assign read_beat_o    = load_offset[6+:SliceBeatBits];
  assign write_valid_o  = store_valid_i & ~store_tcm;
  assign write_beat_o   = store_offset[6+:SliceBeatBits];
  assign write_wdata_o  = store_wdata_i;
  assign write_strobe_o = store_strobe_i;
  assign load_ready_o   = queue_ready & (load_tcm ? ~tcm_store : read_ready_i);
  assign store_ready_o  = store_tcm | write_ready_i;

  assign data_valid_o  = tcm_rvalid_i | read_rvalid_i;
  assign data_access_o = queue_q[head_q];
  assign data_o        = read_rvalid_i ? read_rdata_i : tcm_rdata_i;
  assign idle_o        = count_q == '0;

  logic push;
  assign push = load_valid_i & load_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      head_q  <= '0;
      slice_q <= 1'b0;
    end else begin
      count_q <= count_q + (IndexBits + 1)'(push) - (IndexBits + 1)'(data_valid_o);
      if (data_valid_o) head_q <= head_q + 1'b1;
      if (push) begin
        queue_q[head_q + count_q[IndexBits-1:0]] <= load_access_i;
        slice_q <= ~load_tcm;
      end
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      LoadHasMemory: assert (!load_valid_i || in_tcm(load_address_i) || in_slice(load_address_i));
      StoreHasMemory: assert (!store_valid_i || in_tcm(store_address_i) || in_slice(store_address_i));
      DataWasAskedFor: assert (!data_valid_o || count_q != '0);
      OneSource: assert (!(tcm_rvalid_i && read_rvalid_i));
      PortsKnown: assert (!$isunknown({tcm_req_o, read_valid_o, write_valid_o}));
    end
  end

  handshake_properties #(
    .Bits(SliceBeatBits)
  ) u_read_properties (
    .clk_i,
    .rst_ni,
    .valid_i(read_valid_o),
    .taken_i(read_ready_i),
    .data_i (read_beat_o)
  );

  logic [SliceBeatBits+BeatBytes+8*BeatBytes-1:0] write_offer;
  always_comb begin
    write_offer = '0;
    if (write_valid_o) write_offer = {write_beat_o, write_strobe_o, write_wdata_o};
  end

  handshake_properties #(
    .Bits($bits(write_offer))
  ) u_write_properties (
    .clk_i,
    .rst_ni,
    .valid_i(write_valid_o),
    .taken_i(write_ready_i),
    .data_i (write_offer)
  );
  `endif

endmodule
