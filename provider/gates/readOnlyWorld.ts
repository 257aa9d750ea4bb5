import type { GatePorts } from "../cluster/gatePorts";
import { noJournal } from "../cluster/journal/journalPort";
import type { GateWorld } from "./gateWorld";

/**
 * Returns a world in which plans are made: its ports read the cluster and refuse everything that would change it.
 * @param use for `effect`, each look asks again what did not answer a moment ago. Default: `check`.
 */
export function readOnlyWorld(world: GateWorld, use: "check" | "effect" = "check"): GateWorld {
    return {
        tryAccess: (access) => world.tryAccess(access),
        progress: () => noProgress,
        plans: new Map(),
        open: async (inputs) => {
            const refused = {
                perform: refuse,
                tryLock: refuse,
                noteApprovalWait: refuse,
                noteFirstRevision: refuse,
                notePause: refuse,
            };
            const { now, sleep, lease, look, diagnose, operations, access } = await world.open(inputs, use);
            return {
                now,
                sleep,
                lease,
                look,
                diagnose,
                operations,
                access,
                ...refused,
                journal: noJournal,
                progress: noProgress,
            };
        },
    };
}

const noProgress: GatePorts["progress"] = {
    info: () => undefined,
    note: () => undefined,
    warn: () => undefined,
    status: () => undefined,
};

function refuse(): Promise<never> {
    return Promise.reject(new Error("reading changes nothing, but something tried to change the cluster: a bug"));
}
