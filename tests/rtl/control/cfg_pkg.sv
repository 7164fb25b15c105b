// Parameters of a core for tests of control: those of configs/trn1.yaml.
/* verilator lint_off UNUSEDPARAM */
package cfg_pkg;

  localparam int unsigned Rows = 128;
  localparam int unsigned Cols = 128;
  localparam int unsigned Lanes = 128;
  localparam int unsigned SbufBytes = 196608;
  localparam int unsigned PsumBytes = 16384;
  localparam int unsigned PsumBanks = 8;
  localparam int unsigned AxiPorts = 4;
  localparam int unsigned AxiDataWidth = 1024;
  localparam int unsigned Prefetch = 32;
  localparam int unsigned FetchBurst = 8;
  localparam int unsigned SemaphoreLatency = 13;
  localparam int unsigned TensorIssueLatency = 190;
  localparam int unsigned TensorUtilisation = 869;
  localparam int unsigned VectorIssueLatency = 60;
  localparam int unsigned ScalarIssueLatency = 220;
  localparam int unsigned VectorDependentLatency = 100;
  localparam int unsigned VectorReciprocalNum = 2;
  localparam int unsigned VectorReciprocalDen = 5;
  localparam int unsigned ScalarDependentLatency = 200;
  localparam int unsigned TensorClkNum = 1;
  localparam int unsigned TensorClkDen = 1;
  localparam int unsigned VectorClkNum = 2;
  localparam int unsigned VectorClkDen = 5;
  localparam int unsigned ScalarClkNum = 1;
  localparam int unsigned ScalarClkDen = 2;
  localparam int unsigned GpsimdClkNum = 1;
  localparam int unsigned GpsimdClkDen = 2;
  localparam int unsigned SyncClkNum = 1;
  localparam int unsigned SyncClkDen = 2;
  localparam int unsigned BusClkNum = 1;
  localparam int unsigned BusClkDen = 2;

endpackage
