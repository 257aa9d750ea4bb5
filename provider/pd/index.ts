export { createPdClient } from "./client";
export type {
    PdHeld,
    PdKey,
    PdLabelConstraint,
    PdLeadership,
    PdLogBackup,
    PdMember,
    PdMemberHealth,
    PdMembers,
    PdPeer,
    PdPeerRole,
    PdPlacementRule,
    PdRegion,
    PdRegionCheck,
    PdRegionStatus,
    PdReplication,
    PdStore,
    PdPump,
    PdServiceMember,
    PdStoreState,
    PdUnsafeRecovery,
} from "./model";
export type { PdClientOptions, PdEndpoint, PdTls } from "./options";
export type { PdClient } from "./pdClient";
export { PdError } from "./pdError";
export type { PdAttempt, PdErrorCode, PdErrorDetails } from "./pdError";
export type { PdMaintenanceTask } from "./model";
