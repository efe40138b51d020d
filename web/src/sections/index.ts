// All sections in the order of the page.
import type { SectionMaker } from "../section";
import { below_section } from "./below";
import { calibration_section } from "./calibration";
import { clusters_section } from "./clusters";
import { confusion_section } from "./confusion";
import { cost_section } from "./cost";
import { coverage_section } from "./coverage";
import { curve_section } from "./curve";
import { density_section } from "./density";
import { error_reject_section } from "./error_reject";
import { features_section } from "./features";
import { gram_section } from "./gram";
import { likelihood_section } from "./likelihood";
import { influence_section } from "./influence";
import { learning_section } from "./learning";
import { loss_section } from "./loss";
import { margins_section } from "./margins";
import { metrics_section } from "./metrics";
import { model_section } from "./model";
import { novelty_section } from "./novelty";
import { provenance_section } from "./provenance";
import { ranking_section } from "./ranking";
import { regions_section } from "./regions";
import { relevance_section } from "./relevance";
import { residuals_section } from "./residuals";
import { solution_section } from "./solution";
import { tuning_section } from "./tuning";
import { warnings_section } from "./warnings";

export const section_makers: SectionMaker[] = [
  warnings_section,
  metrics_section,
  confusion_section,
  ranking_section,
  calibration_section,
  margins_section,
  error_reject_section,
  residuals_section,
  coverage_section,
  below_section,
  novelty_section,
  likelihood_section,
  curve_section,
  loss_section,
  density_section,
  features_section,
  clusters_section,
  regions_section,
  relevance_section,
  influence_section,
  tuning_section,
  learning_section,
  gram_section,
  solution_section,
  model_section,
  cost_section,
  provenance_section,
];
