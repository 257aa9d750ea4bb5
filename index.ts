export { TidbCluster, type TidbClusterArgs, type YamlClusterArgs } from "./components/tidbCluster";
export { MemberResource } from "./components/memberResource";
export type { AccessArgs } from "./components/access";
export type { OperationsArgs, TimeoutsArgs } from "./components/operations";
export { requiredCertificates, type RequiredCertificate } from "./components/certificates";
export { ManifestError, type SpecProblem } from "./components/problem";
export type { TidbClusterManifest, TidbClusterSpec } from "./components/spec";
export type * from "./components/specArgs";
export { renderCluster } from "./components/render";
