// Words that read as zero until they are written after reset: a memory without reset, and one valid bit a
// word. It has one write port and any number of read ports without latency.
module zeroed_memory #(
  parameter int unsigned Words = 256,
  parameter int unsigned Width = 32,
  parameter int unsigned ReadPorts = 1,
  localparam int unsigned IndexWidth = $clog2(Words)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 write_i,
  input  logic [IndexWidth-1:0]                write_index_i,
  input  logic [Width-1:0]                     write_data_i,
  input  logic [ReadPorts-1:0][IndexWidth-1:0] read_index_i,
  output logic [ReadPorts-1:0][Width-1:0]      read_data_o
);

  logic [Width-1:0] memory[Words];
  logic [Words-1:0] valid_q;

  always_ff @(posedge clk_i) begin
    if (write_i) memory[write_index_i] <= write_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (write_i) valid_q[write_index_i] <= 1'b1;
  end

  for (genvar p = 0; p < ReadPorts; p++) begin : gen_read
    assign read_data_o[p] = valid_q[read_index_i[p]] ? memory[read_index_i[p]] : '0;
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      WriteKnown: assert (!$isunknown(write_i));
    end
  end
  `endif

endmodule
