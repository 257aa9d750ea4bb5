export { ManifestError, type SpecProblem } from "./problem";
export type { TidbClusterManifest, TidbClusterSpec } from "./spec";
