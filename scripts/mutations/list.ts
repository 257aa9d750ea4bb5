import type { Mutation } from "./mutation";
import { ofAbsence } from "./ofAbsence";
import { ofBackup } from "./ofBackup";
import { ofBatches } from "./ofBatches";
import { ofPodBatches } from "./ofPodBatches";
import { ofCompaction } from "./ofCompaction";
import { ofConsents } from "./ofConsents";
import { ofCrashLoops } from "./ofCrashLoops";
import { ofDeletedClaims } from "./ofDeletedClaims";
import { ofDrain } from "./ofDrain";
import { ofEstimates } from "./ofEstimates";
import { ofFailover } from "./ofFailover";
import { ofJobs } from "./ofJobs";
import { ofLabels } from "./ofLabels";
import { ofLastBackup } from "./ofLastBackup";
import { ofLeaders } from "./ofLeaders";
import { ofLeftBackups } from "./ofLeftBackups";
import { ofLocks } from "./ofLocks";
import { ofLostNodes } from "./ofLostNodes";
import { ofLogBackup } from "./ofLogBackup";
import { ofManifests } from "./ofManifests";
import { ofOwnEvictions } from "./ofOwnEvictions";
import { ofPd } from "./ofPd";
import { ofRecovery } from "./ofRecovery";
import { ofRecoveryMode } from "./ofRecoveryMode";
import { ofRequests } from "./ofRequests";
import { ofRunningBackups } from "./ofRunningBackups";
import { ofSchedules } from "./ofSchedules";
import { ofSpace } from "./ofSpace";
import { ofSql } from "./ofSql";
import { ofStatus } from "./ofStatus";
import { ofStopping } from "./ofStopping";
import { ofStores } from "./ofStores";
import { ofUpgrade } from "./ofUpgrade";
import { ofWhatIsSaid } from "./ofWhatIsSaid";

/** All mutations that the unit tests must find. */
export const mutations: readonly Mutation[] = [
    ...ofStores,
    ...ofStopping,
    ...ofDeletedClaims,
    ...ofLeaders,
    ...ofPd,
    ...ofAbsence,
    ...ofLocks,
    ...ofRequests,
    ...ofFailover,
    ...ofCrashLoops,
    ...ofOwnEvictions,
    ...ofWhatIsSaid,
    ...ofRecovery,
    ...ofRecoveryMode,
    ...ofLostNodes,
    ...ofLabels,
    ...ofManifests,
    ...ofDrain,
    ...ofBatches,
    ...ofPodBatches,
    ...ofEstimates,
    ...ofBackup,
    ...ofRunningBackups,
    ...ofLastBackup,
    ...ofLeftBackups,
    ...ofSchedules,
    ...ofLogBackup,
    ...ofCompaction,
    ...ofSpace,
    ...ofSql,
    ...ofJobs,
    ...ofUpgrade,
    ...ofConsents,
    ...ofStatus,
];
