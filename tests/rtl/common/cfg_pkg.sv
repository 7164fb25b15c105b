// The core of the block tests: configs/trn1.yaml in the form of the package that real builds generate.
package cfg_pkg;
  localparam int unsigned Lanes = 128;
  localparam int unsigned Rows = 128;
  localparam int unsigned Cols = 128;
  localparam int unsigned SbufBytes = 196608;
  localparam int unsigned PsumBytes = 16384;
  localparam int unsigned AxiDataWidth = 1024;
  localparam int unsigned VectorIssueLatency = 60;
  localparam int unsigned ScalarIssueLatency = 220;
  localparam int unsigned VectorDependentLatency = 100;
  localparam int unsigned VectorReciprocalNum = 2;
  localparam int unsigned VectorReciprocalDen = 5;
  localparam int unsigned ScalarDependentLatency = 200;
endpackage
