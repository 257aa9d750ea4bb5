export { checkManifest, type CheckedManifest } from "./checkManifest";
export { parseManifest } from "./parseManifest";
export { ManifestError, type SpecProblem } from "./problem";
export type { TidbClusterManifest, TidbClusterSpec } from "./spec";
