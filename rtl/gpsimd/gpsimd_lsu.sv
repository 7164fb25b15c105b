// Load/store unit: accesses within one beat, in order, to the TCM or to the slice of SBUF.
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

  // An access; the data and strobes of stores are at their place in the beat.
  input  logic        valid_i,
  input  access_t     access_i,
  input  logic [31:0] address_i,
  input  beat_t       wdata_i,
  input  strobe_t     strobe_i,
  output logic        ready_o,

  // Data of the oldest load.
  output logic        load_valid_o,
  output access_t     load_access_o,
  output beat_t       load_data_o,
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

  logic tcm, store, queue_ready;
  logic [31:0] offset;
  assign tcm = in_tcm(address_i);
  assign store = access_i.kind == AccessStore;
  assign queue_ready = (count_q != (IndexBits + 1)'(Depth)) & ((count_q == '0) | (slice_q == ~tcm));
  assign offset = address_i - (tcm ? TcmBase : SliceBase);

  assign tcm_req_o    = valid_i & tcm & (store | queue_ready);
  assign tcm_write_o  = store;
  assign tcm_beat_o   = offset[6+:TcmBeatBits];
  assign tcm_wdata_o  = wdata_i;
  assign tcm_strobe_o = strobe_i;

  assign read_valid_o   = valid_i & ~tcm & ~store & queue_ready;
  assign read_beat_o    = offset[6+:SliceBeatBits];
  assign write_valid_o  = valid_i & ~tcm & store;
  assign write_beat_o   = offset[6+:SliceBeatBits];
  assign write_wdata_o  = wdata_i;
  assign write_strobe_o = strobe_i;
  assign ready_o        = tcm ? store | queue_ready : store ? write_ready_i : queue_ready & read_ready_i;

  assign load_valid_o  = tcm_rvalid_i | read_rvalid_i;
  assign load_access_o = queue_q[head_q];
  assign load_data_o   = read_rvalid_i ? read_rdata_i : tcm_rdata_i;
  assign idle_o        = count_q == '0;

  logic push;
  assign push = valid_i & ~store & ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      head_q  <= '0;
      slice_q <= 1'b0;
    end else begin
      count_q <= count_q + (IndexBits + 1)'(push) - (IndexBits + 1)'(load_valid_o);
      if (load_valid_o) head_q <= head_q + 1'b1;
      if (push) begin
        queue_q[head_q + count_q[IndexBits-1:0]] <= access_i;
        slice_q <= ~tcm;
      end
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      AddressHasMemory: assert (!valid_i || in_tcm(address_i) || in_slice(address_i));
      DataWasAskedFor: assert (!load_valid_o || count_q != '0);
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
