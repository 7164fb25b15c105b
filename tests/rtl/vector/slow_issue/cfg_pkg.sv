// The same core with an issue latency of several shortest instructions, so that more than one instruction is
// in setup.
package cfg_pkg;
  localparam int unsigned Lanes = 128;
  localparam int unsigned Rows = 128;
  localparam int unsigned Cols = 128;
  localparam int unsigned SbufBytes = 196608;
  localparam int unsigned PsumBytes = 16384;
  localparam int unsigned AxiDataWidth = 1024;
  localparam int unsigned VectorIssueLatency = 200;
  localparam int unsigned ScalarIssueLatency = 220;
  localparam int unsigned VectorDependentLatency = 7;
  localparam int unsigned VectorReciprocalNum = 1;
  localparam int unsigned VectorReciprocalDen = 8;
  localparam int unsigned ScalarDependentLatency = 200;
endpackage
