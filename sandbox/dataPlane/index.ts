export { type Clock, type ManualClock, manualClock, systemClock } from "./clock";
export { type Faults, type MemberFault, noFaults, type StoreFault, type TidbFault } from "./faults";
export type { ListenerTls } from "./listener";
export type { PodObservation } from "./model/cluster";
export type { Component, DataPlaneEvent, DataPlaneEventKind, PdCall } from "./model/events";
export type { StoreState } from "./model/stores";
export type { MemberView, SimulatedCluster, StoreView } from "./simulatedCluster";
export { type PdSimulator, type PdSimulatorOptions, startPdSimulator } from "./startPdSimulator";
export { defaultTimings, type Timings } from "./timings";
