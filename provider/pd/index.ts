export { createPdClient } from "./client";
export { decodeWire, encodeWire } from "./json";
export type { PdMaintenanceTask } from "./maintenance";
export type {
    PdClient,
    PdClientOptions,
    PdEndpoint,
    PdMember,
    PdMemberHealth,
    PdMembers,
    PdRegionCheck,
    PdReplication,
    PdStore,
    PdPump,
    PdServiceMember,
    PdStoreState,
    PdTls,
} from "./model";
export { PdError } from "./pdError";
export type { PdAttempt, PdErrorCode, PdErrorDetails } from "./pdError";
export type * from "./wire";
