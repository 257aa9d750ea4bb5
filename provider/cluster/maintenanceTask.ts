import { PdError } from "../pd/pdError";
import type { PdMaintenanceTask } from "../pd";
import type { PdConnection } from "./pdConnection";
import type { ClusterId } from "./clusterId";

const taskType = "pulumi-tidb";

/**
 * @returns the id of a cluster's tasks: the same for every run on it, also after its Lease was made anew, and for no other
 * cluster. Neither part can hold a dot but the domain, which comes last.
 */
export function maintenanceTaskId({ namespace, cluster, domain }: Omit<ClusterId, "instance">): string {
    return [namespace, cluster, ...(domain ? [domain] : [])].join(".");
}

/**
 * PD's own lock beside the Lease: it also keeps away tools that know nothing of the Lease. PD does not let go of it by
 * itself: after a run that was killed the next one takes it up by its id.
 */
export class MaintenanceTask {
    private begun = false;
    /** This PD has no such lock. */
    private unknown = false;

    /** @param id as `maintenanceTaskId` makes it. */
    constructor(
        private readonly id: string,
        private readonly pd: Pick<PdConnection, "ask">,
    ) {}

    /**
     * Begins the task, once. PD that cannot be asked is asked again at the next call: what needs PD's word waits for it
     * in any case, and what brings a dead PD back must not.
     * @returns whose task keeps this one from beginning, where one does.
     */
    async begin(description: string): Promise<PdMaintenanceTask | undefined> {
        if (this.begun || this.unknown) {
            return undefined;
        }
        try {
            const task = {
                type: taskType,
                id: this.id,
                description: `${description}; \`pulumi up\` goes on and ends it`,
            };
            const answer = await this.pd.ask((client) => client.beginMaintenance(task));
            this.begun = answer === "begun";
            this.unknown = answer === "unknown";
            return typeof answer === "string" ? undefined : answer;
        } catch (error) {
            if (error instanceof PdError && error.code === "PD_REFUSED") {
                throw error;
            }
            return undefined;
        }
    }

    /** Ends the task where it was begun. */
    async end(): Promise<void> {
        if (this.begun) {
            await this.pd.ask((client) => client.endMaintenance({ type: taskType, id: this.id }));
            this.begun = false;
        }
    }
}
