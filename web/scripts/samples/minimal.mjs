// The least that a report holds.
/** @returns {import("../../src/report").Report} */
export function minimal_report() {
  return {
    title: "ridge on tiny.csv",
    model: { name: "ridge", task: "regression", summary: "Kernel ridge regression of one output.", kernel: "linear()", kernel_facts: [], options: [], scaling: "standard", outputs: ["y"], solution: [] },
    provenance: { spec: "ridge linear()", seed: 0, version: "0.1.0", created: "2026-01-15T12:00:00Z", data_hash: "00" },
  };
}
