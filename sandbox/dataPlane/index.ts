export { type Clock, type ManualClock, manualClock, systemClock } from "./clock";
export {
    type ExtraStore,
    type Faults,
    type MemberFault,
    noFaults,
    type RegionFaults,
    type StoreFault,
    type TidbFault,
} from "./faults";
export type { Programs } from "./jobs/commandLine";
export type { JobRun, JobsOptions, SandboxJobs } from "./jobs/startJobs";
export { searchBinaries } from "./processes/binaries";
export { checkMachine } from "./processes/checkMachine";
export { claimNetwork } from "./processes/podNetwork";
export {
    processComponents,
    type ProcessesOptions,
    type SandboxProcesses,
    startPodProcesses,
} from "./processes/startProcesses";
export { type DataPlane, type DataPlaneOptions, startDataPlane } from "./startDataPlane";
export type { ListenerTls } from "./listener";
export type { PodObservation } from "./model/cluster";
export type { Component, DataPlaneEvent, DataPlaneEventKind, PdCall } from "./model/events";
export type { StoreState } from "./facts/storeState";
export type { UserTable } from "./facts/userTable";
export type { MemberView, SimulatedCluster, StoreView } from "./simulatedCluster";
export { type PdSimulator, type PdSimulatorOptions, startPdSimulator } from "./startPdSimulator";
export { settledCluster, type SettledCluster, type SettledClusterOptions } from "./settledCluster";
export { defaultTimings, faithfulTimings, type Timings } from "./timings";
