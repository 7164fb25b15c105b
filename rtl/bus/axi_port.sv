// One AXI4 subordinate port onto the core window (bus clock domain).
//
// Subset: INCR bursts of full-width beats, one write burst and one read burst at a time, no IDs. SBUF and
// PSUM take a beat a cycle. A beat waits in this port until the memory takes it; so does a beat for the
// memory of a GpSimd core. Events, semaphores and registers take single beats with one 32-bit word, through
// the shared system port. Accesses outside populated memory answer SLVERR and write nothing.
module axi_port
  import core_pkg::*;
  import bus_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,
  // Write channels
  input  logic        aw_valid_i,
  output logic        aw_ready_o,
  input  logic [25:0] aw_addr_i,
  input  logic        w_valid_i,
  output logic        w_ready_o,
  input  logic        w_last_i,
  input  beat_t       w_data_i,
  input  strobe_t     w_strobe_i,
  output logic        b_valid_o,
  input  logic        b_ready_i,
  output logic [1:0]  b_resp_o,
  // Read channels
  input  logic        ar_valid_i,
  output logic        ar_ready_o,
  input  logic [25:0] ar_addr_i,
  input  logic [7:0]  ar_len_i,
  output logic        r_valid_o,
  input  logic        r_ready_i,
  output logic        r_last_o,
  output logic [1:0]  r_resp_o,
  output beat_t       r_data_o,
  // Memories: a request goes to the memory of its target and is served in a cycle with its grant; read data
  // comes in the next cycle and stays
  output logic        wr_req_o,
  output target_t     wr_target_o,
  output beat_t       wr_data_o,
  output strobe_t     wr_strobe_o,
  input  logic        wr_gnt_i,
  output logic        rd_req_o,
  output target_t     rd_target_o,
  input  logic        rd_gnt_i,
  input  beat_t       sbuf_rdata_i,
  input  beat_t       psum_rdata_i,
  input  beat_t       tcm_rdata_i,
  // System port: one word
  output logic        sys_valid_o,
  input  logic        sys_ready_i,
  output logic        sys_we_o,
  output logic [25:0] sys_addr_o,
  output logic [31:0] sys_wdata_o,
  input  logic [31:0] sys_rdata_i,
  input  logic        sys_error_i,
  // Something is in progress
  output logic        busy_o
);

  localparam int unsigned BeatBits = $clog2(BeatBytes);
  localparam logic [1:0]  RespOkay = 2'b00, RespSlvErr = 2'b10;

  typedef enum logic [2:0] {WrIdle, WrData, WrDrain, WrSystem, WrResponse} write_e;
  typedef enum logic [1:0] {RdIdle, RdMemory, RdSystem, RdSystemData} read_e;

  logic sys_wr, sys_rd, sys_wr_ready, sys_rd_ready;  // accesses at the system port

  // ------------------------------------------------------------------------------------------------------- writes
  write_e      wr_state_q;
  logic [25:0] wr_addr_q;
  logic        wr_error_q;
  target_t     wr_target;
  logic        w_taken;
  logic        beat_q;        // a beat waits for the memory
  target_t     beat_target_q;
  logic        sys_word_q;    // all four bytes of the addressed register are written
  logic        sys_pending_q; // the system port has not taken the word yet
  logic [31:0] sys_wdata_q;

  assign wr_target   = decode_target(wr_addr_q);
  assign wr_req_o    = beat_q;
  assign wr_target_o = beat_target_q;
  assign aw_ready_o  = wr_state_q == WrIdle;
  assign w_ready_o   = (wr_state_q == WrData) & (~beat_q | wr_gnt_i);
  assign w_taken     = w_valid_i & w_ready_o;
  assign b_valid_o   = wr_state_q == WrResponse;
  assign b_resp_o    = wr_error_q ? RespSlvErr : RespOkay;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_state_q <= WrIdle;
      wr_addr_q  <= '0;
      wr_error_q <= 1'b0;
      sys_word_q    <= 1'b0;
      sys_pending_q <= 1'b0;
      sys_wdata_q   <= '0;
      beat_q        <= 1'b0;
      beat_target_q <= '0;
      wr_data_o     <= '0;
      wr_strobe_o   <= '0;
    end else begin
      if (wr_gnt_i) beat_q <= 1'b0;
      case (wr_state_q)
        WrIdle: begin
          wr_addr_q  <= aw_addr_i;
          wr_error_q <= 1'b0;
          if (aw_valid_i) wr_state_q <= WrData;
        end
        WrData: begin
          if (w_taken & wr_target.region == RegionSystem) begin
            sys_wdata_q   <= w_data_i[wr_addr_q[BeatBits-1:2]];
            sys_word_q    <= &w_strobe_i[{wr_addr_q[BeatBits-1:2], 2'b00}+:4];
            sys_pending_q <= 1'b1;
            wr_state_q    <= WrSystem;
          end else if (w_taken) begin
            wr_addr_q <= {wr_addr_q[25:BeatBits] + 1'b1, BeatBits'(0)};
            if (wr_target.region == RegionNone) begin
              wr_error_q <= 1'b1;
            end else begin
              beat_q        <= 1'b1;
              beat_target_q <= wr_target;
              wr_data_o     <= w_data_i;
              wr_strobe_o   <= w_strobe_i;
            end
            if (w_last_i) wr_state_q <= WrDrain;
          end
        end
        WrDrain: if (~beat_q | wr_gnt_i) wr_state_q <= WrResponse;
        WrSystem: begin  // the port takes the word, then the verdict comes
          if (!sys_word_q) begin
            wr_error_q <= 1'b1;
            wr_state_q <= WrResponse;
          end else if (sys_pending_q) begin
            sys_pending_q <= ~sys_wr_ready;
          end else begin
            wr_error_q <= sys_error_i;
            wr_state_q <= WrResponse;
          end
        end
        WrResponse: if (b_ready_i) wr_state_q <= WrIdle;
        default: wr_state_q <= WrIdle;
      endcase
    end
  end

  // -------------------------------------------------------------------------------------------------------- reads
  read_e       rd_state_q;
  logic [25:0] rd_addr_q;
  logic [7:0]  rd_left_q;       // beats to request after the one at rd_addr_q
  logic        rd_requesting_q; // the beat at rd_addr_q has not been requested yet
  logic        rd_full_q, rd_last_q, rd_error_q, rd_system_q;
  region_e     rd_region_q;
  logic [31:0] rd_word_q;
  target_t     rd_target;
  logic        rd_wants, rd_memory, rd_advance;

  assign rd_target   = decode_target(rd_addr_q);
  assign rd_target_o = rd_target;
  assign ar_ready_o  = rd_state_q == RdIdle;
  assign rd_wants    = (rd_state_q == RdMemory) & rd_requesting_q & (~rd_full_q | r_ready_i);
  assign rd_memory   = rd_target.region == RegionSbuf | rd_target.region == RegionPsum | rd_target.region == RegionTcm;
  assign rd_req_o    = rd_wants & rd_memory;
  assign rd_advance  = rd_wants & (rd_gnt_i | ~rd_memory);
  assign r_valid_o   = rd_full_q;
  assign r_last_o    = rd_last_q;
  assign r_resp_o    = rd_error_q ? RespSlvErr : RespOkay;
  assign r_data_o    = rd_system_q ? {BeatWords{rd_word_q}} : rd_region_q == RegionPsum ? psum_rdata_i :
                       rd_region_q == RegionTcm ? tcm_rdata_i : sbuf_rdata_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_state_q      <= RdIdle;
      rd_addr_q       <= '0;
      rd_left_q       <= '0;
      rd_requesting_q <= 1'b0;
      rd_full_q       <= 1'b0;
      rd_last_q       <= 1'b0;
      rd_error_q      <= 1'b0;
      rd_system_q     <= 1'b0;
      rd_region_q     <= RegionNone;
      rd_word_q       <= '0;
    end else begin
      if (rd_full_q & r_ready_i) rd_full_q <= 1'b0;
      case (rd_state_q)
        RdIdle: begin
          rd_addr_q <= ar_addr_i;
          rd_left_q <= ar_len_i;
          if (ar_valid_i) begin
            rd_requesting_q <= 1'b1;
            rd_state_q      <= is_system(ar_addr_i) ? RdSystem : RdMemory;
          end
        end
        RdMemory: begin
          if (rd_advance) begin
            rd_full_q       <= 1'b1;
            rd_last_q       <= rd_left_q == 8'd0;
            rd_error_q      <= rd_target.region == RegionNone | rd_target.region == RegionSystem;
            rd_region_q     <= rd_target.region;
            rd_system_q     <= 1'b0;
            rd_addr_q       <= {rd_addr_q[25:BeatBits] + 1'b1, BeatBits'(0)};
            rd_left_q       <= rd_left_q - 8'd1;
            rd_requesting_q <= rd_left_q != 8'd0;
          end
          if (~rd_requesting_q & (~rd_full_q | r_ready_i)) rd_state_q <= RdIdle;
        end
        RdSystem: if (sys_rd_ready) rd_state_q <= RdSystemData;
        RdSystemData: begin
          if (rd_requesting_q) begin
            rd_full_q       <= 1'b1;
            rd_last_q       <= 1'b1;
            rd_error_q      <= sys_error_i | rd_left_q != 8'd0;
            rd_system_q     <= 1'b1;
            rd_word_q       <= sys_rdata_i;
            rd_requesting_q <= 1'b0;
          end else if (~rd_full_q | r_ready_i) begin
            rd_state_q <= RdIdle;
          end
        end
        default: rd_state_q <= RdIdle;
      endcase
    end
  end

  // -------------------------------------------------------------------------------- system port, writes before reads
  assign sys_wr       = (wr_state_q == WrSystem) & sys_pending_q & sys_word_q;
  assign sys_rd       = rd_state_q == RdSystem;
  assign sys_valid_o  = sys_wr | sys_rd;
  assign sys_we_o     = sys_wr;
  assign sys_addr_o   = sys_wr ? wr_addr_q : rd_addr_q;
  assign sys_wdata_o  = sys_wdata_q;
  assign sys_wr_ready = sys_wr & sys_ready_i;
  assign sys_rd_ready = sys_rd & ~sys_wr & sys_ready_i;

  assign busy_o = (wr_state_q != WrIdle) | (rd_state_q != RdIdle) | rd_full_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      GrantsAreRequested: assert (!(wr_gnt_i && !wr_req_o) && !(rd_gnt_i && !rd_req_o));
      SystemSingle: assert (w_taken && wr_target.region == RegionSystem -> w_last_i);
      ValidKnown: assert (!$isunknown({b_valid_o, r_valid_o, sys_valid_o}));
    end
  end
  handshake_properties #(.Bits($bits(wr_target_o))) u_beat_properties (
    .clk_i, .rst_ni, .valid_i(wr_req_o), .taken_i(wr_gnt_i), .data_i(wr_target_o)
  );
  handshake_properties u_b_properties (
    .clk_i, .rst_ni, .valid_i(b_valid_o), .taken_i(b_ready_i), .data_i(1'b0)
  );
  handshake_properties u_r_properties (
    .clk_i, .rst_ni, .valid_i(r_valid_o), .taken_i(r_ready_i), .data_i(r_last_o)
  );
  `endif

endmodule
