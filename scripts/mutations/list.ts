import type { Mutation } from "./mutation";
import { ofBackup } from "./ofBackup";
import { ofBatches } from "./ofBatches";
import { ofDrain } from "./ofDrain";
import { ofEstimates } from "./ofEstimates";
import { ofFailover } from "./ofFailover";
import { ofJobs } from "./ofJobs";
import { ofLeaders } from "./ofLeaders";
import { ofLocks } from "./ofLocks";
import { ofLogBackup } from "./ofLogBackup";
import { ofPd } from "./ofPd";
import { ofRecovery } from "./ofRecovery";
import { ofStores } from "./ofStores";
import { ofUpgrade } from "./ofUpgrade";

/** All mutations that the unit tests must find. */
export const mutations: readonly Mutation[] = [
    ...ofStores,
    ...ofLeaders,
    ...ofPd,
    ...ofLocks,
    ...ofFailover,
    ...ofRecovery,
    ...ofDrain,
    ...ofBatches,
    ...ofEstimates,
    ...ofBackup,
    ...ofLogBackup,
    ...ofJobs,
    ...ofUpgrade,
];
