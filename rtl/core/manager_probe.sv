// Wave scope of the AXI manager port: instruction fetch and writes, with the first 32 bits of the data. As in
// port_probe, transfers are seen in the core cycle after the edge that took them.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
module manager_probe (
);

  /* verilator tracing_off */
  logic fetch_q, fetched_q, write_q, response_q;
  /* verilator tracing_on */

  // Requested bursts of instructions, and instructions that came.
  logic        fetch, fetched;
  logic [2:0]  fetch_engine, fetched_engine;
  logic [3:0]  fetch_beats;
  logic [63:0] fetch_address;

  // Writes, and responses to them.
  logic        write, response;
  logic [2:0]  write_engine, response_engine;
  logic [63:0] write_address;
  logic [31:0] write_data;

  assign fetch    = fetch_q & neuron_core.bus_clk;
  assign fetched  = fetched_q & neuron_core.bus_clk;
  assign write    = write_q & neuron_core.bus_clk;
  assign response = response_q & neuron_core.bus_clk;

  always_ff @(posedge neuron_core.bus_clk or negedge neuron_core.rst_ni) begin
    if (!neuron_core.rst_ni) begin
      fetch_q         <= 1'b0;
      fetched_q       <= 1'b0;
      write_q         <= 1'b0;
      response_q      <= 1'b0;
      fetch_engine    <= '0;
      fetched_engine  <= '0;
      write_engine    <= '0;
      response_engine <= '0;
      fetch_beats     <= '0;
      fetch_address   <= '0;
      write_address   <= '0;
      write_data      <= '0;
    end else begin
      fetch_q    <= neuron_core.m_ar_valid_o & neuron_core.m_ar_ready_i;
      fetched_q  <= neuron_core.m_r_valid_i & neuron_core.m_r_ready_o;
      write_q    <= neuron_core.m_aw_valid_o & neuron_core.m_aw_ready_i;
      response_q <= neuron_core.m_b_valid_i & neuron_core.m_b_ready_o;
      if (neuron_core.m_ar_valid_o) begin
        fetch_engine  <= neuron_core.m_ar_id_o;
        fetch_beats   <= 4'(neuron_core.m_ar_len_o) + 4'd1;
        fetch_address <= neuron_core.m_ar_addr_o;
      end
      if (neuron_core.m_r_valid_i) fetched_engine <= neuron_core.m_r_id_i;
      if (neuron_core.m_b_valid_i) response_engine <= neuron_core.m_b_id_i;
      if (neuron_core.m_aw_valid_o) begin
        write_engine  <= neuron_core.m_aw_id_o;
        write_address <= neuron_core.m_aw_addr_o;
        write_data    <= neuron_core.m_w_data_o[31:0];
      end
    end
  end

endmodule
