// What the program writes into the page. Every section but title, model and provenance may be absent; a number that is
// not finite is null; points are columns.

export type Maybe = number | null;
export interface Thinned { shown: number; of: number }

export interface Fact { name: string; value: Maybe | string; meaning: string }
export interface Option { name: string; value: string; meaning: string; is_default: boolean }

export interface Model {
  name: string;
  task: "classification" | "regression" | "novelty" | "density" | "features" | "clustering";
  summary: string;
  kernel: string;
  requested_kernel?: string;
  kernel_facts: { name: string; value: string; meaning: string }[];
  options: Option[];
  scaling: string;
  classes?: string[];
  outputs: string[];
  solution: Fact[];
}

export interface DataFacts {
  file: string;
  rows: number;
  columns: number;
  part: "test" | "training";
  hash: string;
  train_rows?: number;
  names?: string[];
}

export interface Metric {
  name: string;
  value: Maybe;
  lower: Maybe;
  upper: Maybe;
  baseline: Maybe;
  better: "lower" | "higher" | "closer";
  meaning: string;
}

export interface Baseline { name: string; metric: string; value: Maybe; meaning: string }

export interface Roc { fpr: number[]; tpr: number[]; auc: Maybe }
export interface PrecisionRecall { recall: number[]; precision: number[]; average: Maybe }
export interface ClassCurves { class: string; roc: Roc; pr: PrecisionRecall }
export interface Calibration { class: string; predicted: Maybe[]; observed: Maybe[]; count: number[] }
export type Margins = ClassHistogram;
export interface ErrorReject { rejected: Maybe[]; error: Maybe[]; confidence: Maybe[] }
export interface Confusion { classes: string[]; counts: number[][] }

export interface Classification {
  confusion?: Confusion;
  curves?: ClassCurves[];
  calibration?: Calibration[];
  margins?: Margins;
  error_reject?: ErrorReject;
}

export interface RegressionOutput {
  name: string;
  truth: Maybe[];
  predicted: Maybe[];
  lower?: Maybe[];
  upper?: Maybe[];
  level?: number;
}
export interface Coverage { nominal: number[]; observed: number[] }
export interface Below { levels: number[]; observed: number[] }
export interface Curve {
  column: string;
  x: number[];
  mean: number[];
  lower?: number[];
  upper?: number[];
  mean_lower?: number[];
  mean_upper?: number[];
  levels?: number[];
  quantiles?: number[][];
  tube_lower?: number[];
  tube_upper?: number[];
  data_x: number[];
  data_y: number[];
}
export interface Regression { outputs: RegressionOutput[]; coverage?: Coverage; below?: Below; curve?: Curve; thinned?: Thinned }

export interface Novelty {
  scores: { edges: number[]; counts: number[] };
  threshold: number;
  flagged: number;
  total: number;
  roc?: Roc;
}

// Along one column, in its units: the model's curve, the rows as a histogram of densities and as themselves.
export interface DensityCurve {
  column: string;
  x: number[];
  density: Maybe[];
  cumulative?: Maybe[];
  edges: number[];
  heights: number[];
  rug: number[];
}
export interface Density {
  how: string;
  curves: DensityCurve[];
  rows: { edges: number[]; counts: number[]; zero: number; infinite: number };
  thinned?: Thinned;
}

export interface Points { x: number[]; y: number[]; class?: number[]; value?: Maybe[]; residual?: Maybe[]; support?: number[] }

export interface ClassHistogram { edges: number[]; counts: number[][]; classes: string[] }
export interface FeatureMaps { axes: [string, string]; x: number[]; y: number[]; values: { name: string; value: Maybe[][] }[]; points: Points }
export interface Features {
  value_name: string;
  components: { name: string; value: Maybe; share: Maybe }[];
  target?: string;
  classes?: string[];
  points?: Points;
  histogram?: ClassHistogram;
  maps?: FeatureMaps;
  thinned?: Thinned;
}

export interface Clusters {
  names: string[];
  sizes: number[];
  spreads?: Maybe[];
  labels?: { target: string; names: string[]; counts: number[][] };
  column?: string;
  histogram?: ClassHistogram;
}

export interface Regions {
  axes: [string, string];
  how: string;
  x: number[];
  y: number[];
  value?: Maybe[][];
  label?: number[][];
  classes?: string[];
  points: Points;
  levels?: { share: number; level: number }[];
  cells?: boolean;
  thinned?: Thinned;
}

export interface Gram {
  size: number;
  values: Maybe[][];
  order: string;
  groups: { name: string; begin: number; end: number }[];
  spectrum: number[];
  condition: Maybe;
  effective_rank: Maybe;
  thinned?: Thinned;
}

export interface Axis { name: string; values: number[]; log: boolean }
export interface TuningPoint { parameters: Record<string, number | string>; mean: Maybe; error: Maybe }
export interface Tuning {
  metric: string;
  better: "lower" | "higher";
  x?: Axis;
  y?: Axis;
  mean?: Maybe[][];
  error?: Maybe[][];
  points: TuningPoint[];
  best: number;
  chosen: number;
}

export interface Learning {
  metric: string;
  rows: number[];
  train: Maybe[];
  validation: Maybe[];
  validation_error?: Maybe[];
}

export interface Influence {
  how: string;
  points: { row: number; label: string; predicted: string; influence: number; note: string }[];
}
export interface Relevance { how: string; columns: { name: string; relevance: Maybe; lengthscale?: Maybe }[] }
export interface Cost {
  phases: { name: string; seconds: number }[];
  seconds: number;
  peak_memory_mb: Maybe;
  model_bytes?: number;
}
export interface Provenance {
  spec: string;
  command?: string;
  seed: number;
  version: string;
  created: string;
  data_hash: string;
  model_hash?: string;
}

export interface Loss {
  name: string;
  of: "residual" | "margin";
  output: string;
  formula: string;
  influence_formula: string;
  density_formula: string;
  note: string;
  x: number[];
  loss: Maybe[];
  influence: Maybe[];
  density?: Maybe[];
}

export interface Report {
  title: string;
  model: Model;
  data?: DataFacts;
  warnings?: string[];
  metrics?: Metric[];
  baselines?: Baseline[];
  classification?: Classification;
  regression?: Regression;
  novelty?: Novelty;
  density?: Density;
  features?: Features;
  clusters?: Clusters;
  regions?: Regions;
  gram?: Gram;
  tuning?: Tuning;
  loss?: Loss;
  learning?: Learning;
  influence?: Influence;
  relevance?: Relevance;
  cost?: Cost;
  provenance: Provenance;
}

// The report in the page, or null where the template has not been filled.
export function read_report(document: Document): Report | null {
  const text = document.getElementById("report-data")?.textContent ?? "{}";
  const value = JSON.parse(text) as Partial<Report>;
  if (value.title === undefined || !value.model || !value.provenance) return null;
  return value as Report;
}
