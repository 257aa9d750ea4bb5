export { createPdClient } from "./client";
export { decodeWire, encodeWire } from "./json";
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
    PdStoreState,
    PdServiceMember,
    PdTls,
} from "./model";
export { PdError } from "./pdError";
export type { PdAttempt, PdErrorCode, PdErrorDetails } from "./pdError";
export type * from "./wire";
