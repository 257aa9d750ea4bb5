import { PdError } from "../pd/pdError";
import type { PdMaintenanceTask } from "../pd";
import type { PdConnection } from "./pdConnection";
import type { ClusterId } from "./clusterId";
import { StaleDecision } from "./staleDecision";

const taskType = "pulumi-tidb";

/**
 * @returns the id of a cluster's tasks: the same for every run on the cluster, even after its Lease was recreated, and
 * different for every other cluster. Only the domain can contain a dot, and it comes last.
 */
export function maintenanceTaskId({ namespace, cluster, domain }: Omit<ClusterId, "instance">): string {
    return [namespace, cluster, ...(domain ? [domain] : [])].join(".");
}

/** @returns whether a run of this package on this cluster began the task. */
export function isOwnTask({ type, id }: Pick<PdMaintenanceTask, "type" | "id">, of: ClusterId): boolean {
    return type === taskType && id === maintenanceTaskId(of);
}

/**
 * PD's own lock, in addition to the Lease: it also stops tools that do not know the Lease. It does not expire. After a
 * run was killed, the next run takes the task over by its id.
 */
export class MaintenanceTask {
    private begun = false;
    /** Whether this PD has no such lock. */
    private unknown = false;

    /** @param id from `maintenanceTaskId`. */
    constructor(
        private readonly id: string,
        private readonly pd: Pick<PdConnection, "ask">,
    ) {}

    /**
     * Begins the task, once. If PD cannot be asked, the next call tries again: steps that need PD's answer wait for it
     * anyway, and steps that repair a PD that is down must not.
     * @param assertAllowed throws if the lock is lost. Called in the last moment before the request leaves.
     * @returns the task that blocks this one, if there is one.
     */
    async begin(description: string, assertAllowed: () => void): Promise<PdMaintenanceTask | undefined> {
        if (this.begun || this.unknown) {
            return undefined;
        }
        try {
            const task = {
                type: taskType,
                id: this.id,
                description: `${description}; \`pulumi up\` of that cluster continues and ends it, or \`pulumi-tidb sweep\` if no run is left`,
            };
            const answer = await this.pd.ask((client) => client.guardedBy(assertAllowed).beginMaintenance(task));
            this.begun = answer === "begun";
            this.unknown = answer === "unknown";
            return typeof answer === "string" ? undefined : answer;
        } catch (error) {
            if (error instanceof StaleDecision || (error instanceof PdError && error.code === "PD_REFUSED")) {
                throw error;
            }
            return undefined;
        }
    }

    /** Ends the task if it was begun. @param assertAllowed as for `begin`: a successor's task has the same id. */
    async end(assertAllowed: () => void): Promise<void> {
        if (this.begun) {
            const task = { type: taskType, id: this.id };
            await this.pd.ask((client) => client.guardedBy(assertAllowed).endMaintenance(task));
            this.begun = false;
        }
    }
}
