// Writes the sample reports of the tests from fixed seeds.
//
// usage: node scripts/make-samples.mjs [FOLDER]    (default samples/)
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { binary_report } from "./samples/binary.mjs";
import { density_report } from "./samples/density.mjs";
import { digits_report } from "./samples/digits.mjs";
import { minimal_report } from "./samples/minimal.mjs";
import { motorcycle_report } from "./samples/motorcycle.mjs";
import { novelty_report } from "./samples/novelty.mjs";
import { quantiles_report } from "./samples/quantiles.mjs";
import { several_report } from "./samples/several.mjs";
import { tube_report } from "./samples/tube.mjs";
import { clusters_report, features_report } from "./samples/unlabelled.mjs";

export const samples = {
  digits: digits_report,
  motorcycle: motorcycle_report,
  quantiles: quantiles_report,
  tube: tube_report,
  novelty: novelty_report,
  binary: binary_report,
  several: several_report,
  density: density_report,
  column: () => density_report(1),
  features: features_report,
  clusters: clusters_report,
  minimal: minimal_report,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL("../samples", import.meta.url));
  for (const [name, make] of Object.entries(samples)) writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(make())}\n`);
}
