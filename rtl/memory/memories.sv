// SBUF and PSUM with everything around them: the ports of the engines and of the bus, the arbiters of shared
// ports, error correction, the rules of PSUM, and clocks that run only in cycles with an access.
//
// A memory consists of slices of SlicePartitions partitions. Rows of the engines go to all slices alike. A
// slice has the ports that docs/architecture.md lists; further requesters wait, and every wait is counted.
// The words are kept as whole rows (`sbuf`, `psum`), so that a row is one access of the simulator.
//
// An access takes effect in a cycle with fire_i: its requester has an edge at the end of it.
module memories
  import bus_pkg::*;
  import core_pkg::*;
  import memory_pkg::*;
  import row_port_pkg::*;
#(
  parameter int unsigned RowGroups    = 2,  // row groups of the array, each with a port for moving operands
  parameter int unsigned ColumnGroups = 1,
  parameter int unsigned Streams      = RowGroups * ColumnGroups,  // each with a port to PSUM
  parameter int unsigned LoadWords   = 1,  // rows of the stationary operand read in one cycle
  parameter int unsigned AxiPorts    = 1,
  parameter int unsigned WindowPorts = AxiPorts + 1  // the last one is for the sequencers
) (
  input  logic clk_i,   // core clock
  input  logic rst_ni,

  // Tensor engine: rows of moving and stationary operands, results that overwrite or accumulate, each with
  // its instruction
  /* verilator lint_off UNUSEDSIGNAL */  // unused where row groups share no slice
  input  logic                   tensor_clk_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                   tensor_fire_i,
  input  logic                   row_tile_i,  // each row group has its own rows, else the first all
  input  logic [RowGroups-1:0]   moving_req_i,
  output logic [RowGroups-1:0]   moving_gnt_o,
  input  logic [Streams-1:0]     moving_re_i,  // granted; column group * RowGroups + row group
  input  sbuf_row_t              moving_raddr_i [Streams],
  input  partitions_t            moving_rparts_i [Streams],  // the wanted partitions
  output row_t [ColumnGroups-1:0] moving_rdata_o,
  input  logic                   stationary_re_i,
  input  sbuf_row_t              stationary_raddr_i [LoadWords],
  input  partitions_t            stationary_rparts_i [LoadWords],
  output row_t [LoadWords-1:0]   stationary_rdata_o,
  input  logic [Streams-1:0]     acc_we_i,
  input  psum_row_t              acc_addr_i [Streams],
  input  logic [Streams-1:0]     acc_add_i,
  input  row_t [Streams-1:0]     acc_data_i,
  input  mask_t [Streams-1:0]    acc_mask_i,
  input  number_t                   acc_tag_i [Streams],
  output logic                   acc_nan_o,  // a written result holds a NaN; acc_nan_tag_o: its instruction
  output number_t                   acc_nan_tag_o,

  // Elementwise engines. Vector shares its SBUF port with GpSimd, Vector and Scalar share the PSUM port.
  input  logic [RowEngines-1:0]       fire_i,
  input  row_claim_t [RowEngines-1:0] sbuf_claim_i,
  output row_grant_t [RowEngines-1:0] sbuf_grant_o,
  input  row_req_t [RowEngines-1:0]   sbuf_req_i,
  output row_t [RowEngines-1:0]       sbuf_rdata_o,
  input  row_claim_t [RowEngines-1:0] psum_claim_i,
  output row_grant_t [RowEngines-1:0] psum_grant_o,
  input  row_req_t [RowEngines-1:0]   psum_req_i,
  output row_t                        psum_rdata_o,
  input  row_t [RowEngines-1:0]       wdata_i,
  input  mask_t [RowEngines-1:0]      wmask_i,

  // GpSimd: the port, and the access of each core to its partitions in a cycle with the port; data of a read
  // comes in the next cycle
  input  logic                            gpsimd_fire_i,
  input  row_claim_t                      gpsimd_claim_i,
  output row_grant_t                      gpsimd_grant_o,
  input  slice_req_t [GpsimdCores-1:0]    slice_req_i,
  output slice_row_t [GpsimdCores-1:0]    slice_rdata_o,
  input  slice_row_t [GpsimdCores-1:0]    slice_wdata_i,
  input  slice_strobe_t [GpsimdCores-1:0] slice_wstrobe_i,

  // Bus: beats of memory words; only those of SBUF and PSUM are served here
  input  logic                      bus_clk_i,
  input  logic                      bus_fire_i,
  input  logic [WindowPorts-1:0]    rd_req_i,
  output logic [WindowPorts-1:0]    rd_gnt_o,
  input  target_t                   rd_target_i [WindowPorts],
  output beat_t [WindowPorts-1:0]   sbuf_beat_o,
  output beat_t [WindowPorts-1:0]   psum_beat_o,
  input  logic [WindowPorts-1:0]    wr_req_i,
  output logic [WindowPorts-1:0]    wr_gnt_o,
  input  target_t                   wr_target_i [WindowPorts],
  input  beat_t [WindowPorts-1:0]   wr_data_i,
  input  strobe_t [WindowPorts-1:0] wr_strobe_i,

  // An upset of one or two bits of the word at an address of the core window, in a cycle of the bus, only
  // while ready
  input  logic                      upset_i,
  input  logic [25:0]               upset_address_i,
  input  logic [5:0]                upset_first_bit_i,
  input  logic [5:0]                upset_second_bit_i,
  output logic                      upset_ready_o,
  // The first wrong access since reset, and its place in the core window
  output fault_t                    fault_o,
  output logic [25:0]               fault_address_o,
  input  number_t [Masters-1:0]        oldest_i,  // oldest uncompleted instruction of each engine
  output logic [Counts-1:0][31:0]   counts_o,
  // Number of words that engines have read before anything had written them, address and reader of the first
  // one; in simulation only
  output logic [31:0]               unwritten_o,
  output logic [25:0]               unwritten_address_o,
  output master_t                   unwritten_reader_o,

  // Verification: hold back the shared port of SBUF, that of PSUM, beat reads, beat writes
  input  logic [3:0] hold_i,
  output logic       changing_o  // the owner of a shared port changes with the next edge
);

  // --------------------------------------------------------------------------------------------------- turns on shared ports
  logic [1:0] turn_changing;

  shared_port u_sbuf_port (
    .clk_i, .rst_ni, .stall_i(hold_i[0]),
    .req_i({gpsimd_claim_i.needs, sbuf_claim_i[VectorRows].needs}), .busy_i({gpsimd_claim_i.uses, sbuf_claim_i[VectorRows].uses}),
    .gnt_o({gpsimd_grant_o.granted, sbuf_grant_o[VectorRows].granted}), .hold_o({gpsimd_grant_o.hold, sbuf_grant_o[VectorRows].hold}),
    .changing_o(turn_changing[0])
  );
  assign sbuf_grant_o[ScalarRows] = '{granted: sbuf_claim_i[ScalarRows].needs, hold: 1'b0};

  shared_port u_psum_port (
    .clk_i, .rst_ni, .stall_i(hold_i[1]),
    .req_i({psum_claim_i[ScalarRows].needs, psum_claim_i[VectorRows].needs}),
    .busy_i({psum_claim_i[ScalarRows].uses, psum_claim_i[VectorRows].uses}),
    .gnt_o({psum_grant_o[ScalarRows].granted, psum_grant_o[VectorRows].granted}),
    .hold_o({psum_grant_o[ScalarRows].hold, psum_grant_o[VectorRows].hold}),
    .changing_o(turn_changing[1])
  );

  assign changing_o = |turn_changing;

  // The row groups read different partitions. They share a slice's port only where a border between them lies
  // within the slice.
  localparam int unsigned GroupRows = cfg_pkg::Rows / RowGroups;
  if (GroupRows % SlicePartitions == 0) begin : g_own_slices
    assign moving_gnt_o = moving_req_i;
  end else begin : g_common_slice
    slice_arbiter #(.Requesters(RowGroups)) u_moving (
      .clk_i(tensor_clk_i), .rst_ni, .hold_i(1'b0), .req_i(moving_req_i), .slice_i('0), .gnt_o(moving_gnt_o)
    );
  end

  // ------------------------------------------------------------------------------------------------------------------- beats
  // Each slice of each memory has one port for reads and one for writes.
  logic [WindowPorts-1:0][SliceBits:0] rd_slice, wr_slice;
  logic [1:0] hold_q;  // a register, so that ready signals of the bus do not depend on an input
  always_ff @(posedge bus_clk_i or negedge rst_ni) begin
    if (!rst_ni) hold_q <= '0;
    else hold_q <= hold_i[3:2];
  end

  logic [WindowPorts-1:0] rd_wanted, wr_wanted;
  slice_arbiter #(.Requesters(WindowPorts), .SliceBits(SliceBits + 1)) u_reads (
    .clk_i(bus_clk_i), .rst_ni, .hold_i(hold_q[0]), .req_i(rd_wanted), .slice_i(rd_slice), .gnt_o(rd_gnt_o)
  );
  slice_arbiter #(.Requesters(WindowPorts), .SliceBits(SliceBits + 1)) u_writes (
    .clk_i(bus_clk_i), .rst_ni, .hold_i(hold_q[1]), .req_i(wr_wanted), .slice_i(wr_slice), .gnt_o(wr_gnt_o)
  );

  lane_t     beat_rlane [WindowPorts], beat_wlane [WindowPorts];
  sbuf_row_t sbuf_beat_raddr [WindowPorts], sbuf_beat_waddr [WindowPorts];
  psum_row_t psum_beat_raddr [WindowPorts], psum_beat_waddr [WindowPorts];
  logic [WindowPorts-1:0] sbuf_beat_re, sbuf_beat_we, psum_beat_re, psum_beat_we;

  for (genvar p = 0; p < WindowPorts; p++) begin : g_beat
    assign rd_wanted[p]       = rd_req_i[p] & rd_target_i[p].region != RegionTcm;
    assign wr_wanted[p]       = wr_req_i[p] & wr_target_i[p].region != RegionTcm;
    assign rd_slice[p]        = {rd_target_i[p].region == RegionPsum, slice_of(rd_target_i[p].lane)};
    assign wr_slice[p]        = {wr_target_i[p].region == RegionPsum, slice_of(wr_target_i[p].lane)};
    assign sbuf_beat_re[p]    = rd_gnt_o[p] & rd_target_i[p].region == RegionSbuf & bus_fire_i;
    assign psum_beat_re[p]    = rd_gnt_o[p] & rd_target_i[p].region == RegionPsum & bus_fire_i;
    assign sbuf_beat_we[p]    = wr_gnt_o[p] & wr_target_i[p].region == RegionSbuf & bus_fire_i;
    assign psum_beat_we[p]    = wr_gnt_o[p] & wr_target_i[p].region == RegionPsum & bus_fire_i;
    assign beat_rlane[p]      = rd_target_i[p].lane;
    assign beat_wlane[p]      = wr_target_i[p].lane;
    assign sbuf_beat_raddr[p] = sbuf_row_t'(rd_target_i[p].row);
    assign sbuf_beat_waddr[p] = sbuf_row_t'(wr_target_i[p].row);
    assign psum_beat_raddr[p] = psum_row_t'(rd_target_i[p].row);
    assign psum_beat_waddr[p] = psum_row_t'(wr_target_i[p].row);
  end

  // ------------------------------------------------------------------------------------------------------------------ upsets
  target_t upset_target;
  upset_t  upset, sbuf_upset, psum_upset;
  logic    sbuf_room, psum_room;
  assign upset_target = decode_target(upset_address_i);
  always_comb begin
    upset.valid      = upset_i & bus_fire_i;
    upset.lane       = upset_target.lane;
    upset.row        = upset_target.row | memory_row_t'(upset_address_i[2+:$clog2(BeatWords)]);
    upset.flips      = (ecc_pkg::code_t'(1) << upset_first_bit_i) | (ecc_pkg::code_t'(1) << upset_second_bit_i);
    sbuf_upset       = upset;
    psum_upset       = upset;
    sbuf_upset.valid = upset.valid & upset_target.region == RegionSbuf;
    psum_upset.valid = upset.valid & upset_target.region == RegionPsum;
  end
  assign upset_ready_o = (upset_target.region == RegionSbuf & sbuf_room) | (upset_target.region == RegionPsum & psum_room);

  // -------------------------------------------------------------------------------------------------------------------- SBUF
  localparam int unsigned ReadPorts = LoadWords + RowEngines;
  localparam int unsigned RowPort   = LoadWords;  // index of the first elementwise engine's port
  logic [Streams-1:0]    moving_re;
  logic [ReadPorts-1:0]  sbuf_re;
  sbuf_row_t [ReadPorts-1:0] sbuf_raddr;
  row_t [ReadPorts-1:0]  sbuf_rdata;
  logic [RowEngines-1:0] sbuf_we;
  sbuf_row_t [RowEngines-1:0] sbuf_waddr;
  logic [3:0]            sbuf_be [RowEngines];
  logic                  sbuf_clk;

  assign moving_re = moving_re_i & {Streams{tensor_fire_i}};
  for (genvar c = 0; c < LoadWords; c++) begin : g_stationary
    assign sbuf_re[c]            = stationary_re_i & tensor_fire_i;
    assign sbuf_raddr[c]         = stationary_raddr_i[c];
    assign stationary_rdata_o[c] = sbuf_rdata[c];
  end
  for (genvar e = 0; e < RowEngines; e++) begin : g_row
    assign sbuf_re[RowPort+e]    = sbuf_req_i[e].re & fire_i[e];
    assign sbuf_raddr[RowPort+e] = sbuf_row_t'(sbuf_req_i[e].raddr);
    assign sbuf_rdata_o[e]       = sbuf_rdata[RowPort+e];
    assign sbuf_we[e]            = sbuf_req_i[e].we & fire_i[e];
    assign sbuf_waddr[e]         = sbuf_row_t'(sbuf_req_i[e].waddr);
    assign sbuf_be[e]            = sbuf_req_i[e].be;
  end

  slice_req_t [GpsimdCores-1:0] slice_req;
  for (genvar k = 0; k < GpsimdCores; k++) begin : g_slice
    assign slice_req[k] = gpsimd_fire_i & (slice_req_i[k].re | slice_req_i[k].we) ? slice_req_i[k] : '0;
  end

  logic [Upsets-1:0]   sbuf_fix_valid, psum_fix_valid;
  upset_t [Upsets-1:0] sbuf_fix, psum_fix;
  events_t             sbuf_corrected, sbuf_uncorrected, psum_corrected, psum_uncorrected, unfounded;
  fault_t              sbuf_fault, psum_fault, sum_fault;

  clock_gate u_sbuf_gate (
    .clk_i, .en_i((|moving_re) | (|sbuf_re) | (|sbuf_we) | (|sbuf_beat_re) | (|sbuf_beat_we) | (|slice_req) | sbuf_upset.valid), .clk_o(sbuf_clk)
  );
  sbuf #(.ReadPorts(ReadPorts), .WritePorts(RowEngines), .Beats(WindowPorts), .RowGroups(RowGroups), .ColumnGroups(ColumnGroups)) u_sbuf (
    .clk_i(sbuf_clk), .moving_split_i(row_tile_i), .moving_re_i(moving_re), .moving_raddr_i, .moving_rdata_o,
    .re_i(sbuf_re), .raddr_i(sbuf_raddr), .rdata_o(sbuf_rdata),
    .we_i(sbuf_we), .waddr_i(sbuf_waddr), .wdata_i, .be_i(sbuf_be), .wmask_i,
    .slice_req_i(slice_req), .slice_rdata_o, .slice_wdata_i, .slice_wstrobe_i,
    .beat_re_i(sbuf_beat_re), .beat_raddr_i(sbuf_beat_raddr), .beat_rlane_i(beat_rlane), .beat_rdata_o(sbuf_beat_o),
    .beat_we_i(sbuf_beat_we), .beat_waddr_i(sbuf_beat_waddr), .beat_wlane_i(beat_wlane),
    .beat_wdata_i(wr_data_i), .beat_strobe_i(wr_strobe_i),
    .fix_valid_i(sbuf_fix_valid), .fix_i(sbuf_fix), .upset_i(sbuf_upset)
  );

  // -------------------------------------------------------------------------------------------------------------------- PSUM
  logic [Streams-1:0]    psum_acc_we;
  logic [RowEngines-1:0] psum_re, psum_we;
  logic                  scalar_has_psum, psum_clk;
  /* verilator lint_off UNUSEDSIGNAL */  // each engine has its own enables
  row_req_t              psum_req;  // request of the engine that has the port
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Streams-1:0]    acc_nan, acc_written_q;
  number_t                  acc_tag_q [Streams];
  psum_row_t             psum_raddr, psum_waddr;
  mask_t                 psum_wmask;
  logic [3:0]            psum_be;

  assign psum_acc_we     = acc_we_i & {Streams{tensor_fire_i}};
  // An engine uses the port only while it has it.
  assign scalar_has_psum = psum_grant_o[ScalarRows].granted;
  assign psum_req        = scalar_has_psum ? psum_req_i[ScalarRows] : psum_req_i[VectorRows];
  assign psum_raddr      = psum_row_t'(psum_req.raddr);
  assign psum_waddr      = psum_row_t'(psum_req.waddr);
  assign psum_be         = psum_req.be;
  assign psum_wmask      = scalar_has_psum ? wmask_i[ScalarRows] : wmask_i[VectorRows];
  for (genvar e = 0; e < RowEngines; e++) begin : g_psum_row
    assign psum_re[e] = psum_req_i[e].re & fire_i[e];
    assign psum_we[e] = psum_req_i[e].we & fire_i[e];
  end

  clock_gate u_psum_gate (
    .clk_i, .en_i((|psum_acc_we) | (|psum_re) | (|psum_we) | (|psum_beat_re) | (|psum_beat_we) | psum_upset.valid), .clk_o(psum_clk)
  );
  psum #(.TensorPorts(Streams), .Beats(WindowPorts)) u_psum (
    .clk_i(psum_clk), .acc_we_i(psum_acc_we), .acc_addr_i, .acc_add_i, .acc_data_i, .acc_mask_i, .acc_nan_o(acc_nan),
    .re_i(|psum_re), .raddr_i(psum_raddr), .rdata_o(psum_rdata_o),
    .we_i(|psum_we), .waddr_i(psum_waddr), .wdata_i(scalar_has_psum ? wdata_i[ScalarRows] : wdata_i[VectorRows]), .be_i(psum_be), .wmask_i(psum_wmask),
    .beat_re_i(psum_beat_re), .beat_raddr_i(psum_beat_raddr), .beat_rlane_i(beat_rlane), .beat_rdata_o(psum_beat_o),
    .beat_we_i(psum_beat_we), .beat_waddr_i(psum_beat_waddr), .beat_wlane_i(beat_wlane),
    .beat_wdata_i(wr_data_i), .beat_strobe_i(wr_strobe_i),
    .fix_valid_i(psum_fix_valid), .fix_i(psum_fix), .upset_i(psum_upset)
  );

  // These belong to the last edge, which as a rule wrote results of one instruction.
  always_ff @(posedge psum_clk or negedge rst_ni) begin
    if (!rst_ni) acc_written_q <= '0;
    else         acc_written_q <= psum_acc_we;
  end
  always_ff @(posedge psum_clk) acc_tag_q <= acc_tag_i;

  assign acc_nan_o = (acc_nan & acc_written_q) != '0;
  always_comb begin
    acc_nan_tag_o = '0;
    for (int unsigned s = Streams; s > 0; s--) begin
      if (acc_nan[s-1] & acc_written_q[s-1]) acc_nan_tag_o = acc_tag_q[s-1];
    end
  end

  sum_marks #(.RowGroups(RowGroups), .Sums(Streams), .Beats(WindowPorts), .Strict(cfg_pkg::PsumStrict != 0)) u_sum_marks (
    .clk_i(psum_clk), .rst_ni, .sum_we_i(psum_acc_we), .sum_addr_i(acc_addr_i), .sum_add_i(acc_add_i), .sum_mask_i(acc_mask_i),
    .sum_tag_i(acc_tag_i), .we_i(|psum_we), .waddr_i(psum_waddr), .wmask_i(psum_wmask),
    .beat_we_i(psum_beat_we), .beat_write_i(wr_target_i), .beat_strobe_i(wr_strobe_i),
    .unfounded_o(unfounded), .fault_o(sum_fault)
  );

  // ------------------------------------------------------------------------------------------ accesses, whatever the port
  localparam int unsigned SbufReads = Streams + ReadPorts;
  localparam int unsigned PsumReads = 1 + Streams;
  localparam master_t     Tensor    = master_t'(isa_pkg::EngineTensor);
  localparam master_t     Vector    = master_t'(isa_pkg::EngineVector);
  localparam master_t     Scalar    = master_t'(isa_pkg::EngineScalar);

  logic [SbufReads-1:0] sbuf_reads;
  memory_row_t          sbuf_read_rows [SbufReads], sbuf_write_rows [RowEngines];
  partitions_t          sbuf_read_parts [SbufReads];
  master_t              sbuf_readers [SbufReads];
  logic [PsumReads-1:0] psum_reads, psum_writes;
  memory_row_t          psum_read_rows [PsumReads], psum_write_rows [PsumReads];
  master_t              psum_users [PsumReads];
  logic [3:0]           psum_bes [PsumReads];
  mask_t [PsumReads-1:0] psum_masks;

  assign sbuf_reads = {sbuf_re, moving_re};
  for (genvar s = 0; s < Streams; s++) begin : g_stream
    assign sbuf_read_rows[s]    = memory_row_t'(moving_raddr_i[s]);
    assign sbuf_read_parts[s]   = moving_rparts_i[s];
    assign sbuf_readers[s]      = Tensor;
    assign psum_read_rows[1+s]  = memory_row_t'(acc_addr_i[s]);
    assign psum_write_rows[1+s] = memory_row_t'(acc_addr_i[s]);
    assign psum_users[1+s]      = Tensor;
    assign psum_bes[1+s]        = '1;
    assign psum_masks[1+s]      = acc_mask_i[s];
  end
  for (genvar p = 0; p < ReadPorts; p++) begin : g_read
    assign sbuf_read_rows[Streams+p] = memory_row_t'(sbuf_raddr[p]);
    if (p < RowPort) begin : g_tensor
      assign sbuf_read_parts[Streams+p] = stationary_rparts_i[p];
    end else begin : g_engine
      assign sbuf_read_parts[Streams+p] = sbuf_req_i[p-RowPort].rparts;
    end
    assign sbuf_readers[Streams+p]   = p < RowPort ? Tensor : p == RowPort + VectorRows ? Vector : Scalar;
  end
  for (genvar e = 0; e < RowEngines; e++) begin : g_write
    assign sbuf_write_rows[e] = memory_row_t'(sbuf_waddr[e]);
  end
  assign psum_reads         = {psum_acc_we & acc_add_i, |psum_re};
  assign psum_writes        = {psum_acc_we, |psum_we};
  assign psum_read_rows[0]  = memory_row_t'(psum_raddr);
  assign psum_write_rows[0] = memory_row_t'(psum_waddr);
  assign psum_users[0]      = scalar_has_psum ? Scalar : Vector;
  assign psum_bes[0]        = psum_be;
  assign psum_masks[0]      = psum_wmask;

  // -------------------------------------------------------------------------------------------------------- error correction
  if (cfg_pkg::Ecc != 0) begin : g_ecc
    upset_list #(.Reads(SbufReads), .Writes(RowEngines), .Beats(WindowPorts)) u_sbuf_upsets (
      .clk_i(sbuf_clk), .rst_ni, .re_i(sbuf_reads), .raddr_i(sbuf_read_rows), .reader_i(sbuf_readers),
      .we_i(sbuf_we), .waddr_i(sbuf_write_rows), .be_i(sbuf_be), .wmask_i, .writer_i('{Vector, Scalar}),
      .slice_req_i(slice_req), .slice_wstrobe_i,
      .beat_re_i(sbuf_beat_re), .beat_read_i(rd_target_i), .beat_we_i(sbuf_beat_we), .beat_write_i(wr_target_i),
      .beat_strobe_i(wr_strobe_i), .oldest_i, .upset_i(sbuf_upset), .room_o(sbuf_room),
      .fix_valid_o(sbuf_fix_valid), .fix_o(sbuf_fix), .corrected_o(sbuf_corrected), .uncorrected_o(sbuf_uncorrected),
      .fault_o(sbuf_fault)
    );
    upset_list #(.Reads(PsumReads), .Writes(PsumReads), .Beats(WindowPorts)) u_psum_upsets (
      .clk_i(psum_clk), .rst_ni, .re_i(psum_reads), .raddr_i(psum_read_rows), .reader_i(psum_users),
      .we_i(psum_writes), .waddr_i(psum_write_rows), .be_i(psum_bes), .wmask_i(psum_masks), .writer_i(psum_users),
      .slice_req_i('0), .slice_wstrobe_i('0),
      .beat_re_i(psum_beat_re), .beat_read_i(rd_target_i), .beat_we_i(psum_beat_we), .beat_write_i(wr_target_i),
      .beat_strobe_i(wr_strobe_i), .oldest_i, .upset_i(psum_upset), .room_o(psum_room),
      .fix_valid_o(psum_fix_valid), .fix_o(psum_fix), .corrected_o(psum_corrected), .uncorrected_o(psum_uncorrected),
      .fault_o(psum_fault)
    );
  end else begin : g_no_ecc
    // Upsets change words, and nothing detects them.
    assign {sbuf_room, psum_room} = '1;
    assign {sbuf_fix_valid, psum_fix_valid, sbuf_fix, psum_fix} = '0;
    assign {sbuf_corrected, sbuf_uncorrected, psum_corrected, psum_uncorrected} = '0;
    assign {sbuf_fault, psum_fault} = '0;
  end

  // ---------------------------------------------------------------------------------------------- reads of unwritten words
  `ifndef SYNTHESIS
  unwritten_t sbuf_unwritten, psum_unwritten;
  read_watch #(.Rows(SbufRows), .Reads(SbufReads), .Writes(RowEngines), .Beats(WindowPorts)) u_sbuf_watch (
    .clk_i(sbuf_clk), .rst_ni, .re_i(sbuf_reads), .raddr_i(sbuf_read_rows), .rparts_i(sbuf_read_parts), .reader_i(sbuf_readers),
    .we_i(sbuf_we), .waddr_i(sbuf_write_rows), .wmask_i, .slice_req_i(slice_req), .slice_wstrobe_i,
    .beat_we_i(sbuf_beat_we), .beat_write_i(wr_target_i), .beat_strobe_i(wr_strobe_i), .unwritten_o(sbuf_unwritten)
  );
  // sum_marks checks additions to unwritten words.
  read_watch #(.Rows(PsumRows), .Reads(1), .Writes(PsumReads), .Beats(WindowPorts)) u_psum_watch (
    .clk_i(psum_clk), .rst_ni, .re_i(|psum_re), .raddr_i(psum_read_rows[0:0]),
    .rparts_i('{psum_req.rparts}), .reader_i(psum_users[0:0]),
    .we_i(psum_writes), .waddr_i(psum_write_rows), .wmask_i(psum_masks), .slice_req_i('0), .slice_wstrobe_i('0),
    .beat_we_i(psum_beat_we), .beat_write_i(wr_target_i), .beat_strobe_i(wr_strobe_i), .unwritten_o(psum_unwritten)
  );
  assign unwritten_o         = sbuf_unwritten.words + psum_unwritten.words;
  assign unwritten_reader_o  = sbuf_unwritten.words != '0 ? sbuf_unwritten.master : psum_unwritten.master;
  assign unwritten_address_o = sbuf_unwritten.words != '0 ? sbuf_address(sbuf_unwritten.lane, sbuf_unwritten.row)
                                                          : psum_address(psum_unwritten.lane, psum_unwritten.row);
  `else
  assign {unwritten_o, unwritten_address_o, unwritten_reader_o} = '0;
  `endif

  // -------------------------------------------------------------------------------------------------------- faults, counts
  always_comb begin
    fault_o         = sbuf_fault;
    fault_address_o = sbuf_address(sbuf_fault.lane, sbuf_fault.row);
    if (!sbuf_fault.valid) begin
      fault_o         = sum_fault.valid ? sum_fault : psum_fault;
      fault_address_o = psum_address(fault_o.lane, fault_o.row);
    end
  end

  logic [31:0] moving_waits_q, vector_waits_q, scalar_waits_q, gpsimd_waits_q, bus_waits_q, sequencer_waits_q;
  logic [WindowPorts-1:0] waiting_reads, waiting_writes;
  assign waiting_reads  = rd_wanted & ~rd_gnt_o;
  assign waiting_writes = wr_wanted & ~wr_gnt_o;

  logic moving_waits, vector_waits, scalar_waits, gpsimd_waits;
  assign moving_waits = tensor_fire_i & (moving_req_i & ~moving_gnt_o) != '0;
  assign vector_waits = fire_i[VectorRows] & ((psum_claim_i[VectorRows].needs & !psum_grant_o[VectorRows].granted) |
                                              (sbuf_claim_i[VectorRows].needs & !sbuf_grant_o[VectorRows].granted));
  assign scalar_waits = fire_i[ScalarRows] & (psum_claim_i[ScalarRows].needs & !psum_grant_o[ScalarRows].granted);

  assign gpsimd_waits = gpsimd_fire_i & gpsimd_claim_i.needs & !gpsimd_grant_o.granted;

  logic waits_clk;
  clock_gate u_waits_gate (.clk_i, .en_i(moving_waits | vector_waits | scalar_waits | gpsimd_waits), .clk_o(waits_clk));

  always_ff @(posedge waits_clk or negedge rst_ni) begin
    if (!rst_ni) begin
      {moving_waits_q, vector_waits_q, scalar_waits_q, gpsimd_waits_q} <= '0;
    end else begin
      if (moving_waits) moving_waits_q <= moving_waits_q + 1'b1;
      if (vector_waits) vector_waits_q <= vector_waits_q + 1'b1;
      if (scalar_waits) scalar_waits_q <= scalar_waits_q + 1'b1;
      if (gpsimd_waits) gpsimd_waits_q <= gpsimd_waits_q + 1'b1;
    end
  end
  always_ff @(posedge bus_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {bus_waits_q, sequencer_waits_q} <= '0;
    end else if ((waiting_reads | waiting_writes) != '0) begin
      bus_waits_q       <= bus_waits_q + 32'($countones({waiting_reads[AxiPorts-1:0], waiting_writes[AxiPorts-1:0]}));
      sequencer_waits_q <= sequencer_waits_q + 32'(waiting_reads[AxiPorts]) + 32'(waiting_writes[AxiPorts]);
    end
  end

  always_comb begin
    counts_o = '0;
    counts_o[CountMovingWaits]    = moving_waits_q;
    counts_o[CountVectorWaits]    = vector_waits_q;
    counts_o[CountScalarWaits]    = scalar_waits_q;
    counts_o[CountGpsimdWaits]    = gpsimd_waits_q;
    counts_o[CountBusWaits]       = bus_waits_q;
    counts_o[CountSequencerWaits] = sequencer_waits_q;
    counts_o[CountUnfounded]      = 32'(unfounded);
    counts_o[CountCorrected]      = 32'(plus(sbuf_corrected, psum_corrected));
    counts_o[CountUncorrected]    = 32'(plus(sbuf_uncorrected, psum_uncorrected));
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneOnThePsumPort: assert (!((psum_re[VectorRows] || psum_we[VectorRows]) && (psum_re[ScalarRows] || psum_we[ScalarRows])));
      WholeArrayReadsOnce: assert (row_tile_i || moving_req_i <= RowGroups'(1));
      MovingIsGranted: assert ((moving_re_i & ~{ColumnGroups{moving_gnt_o}}) == '0);
      SlicesAreGranted: assert (slice_req == '0 || gpsimd_grant_o.granted);
      UpsetWhileReady: assert (!upset_i || upset_ready_o);
    end
  end
  `endif

endmodule
