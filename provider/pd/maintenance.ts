import { answer, isUnknown } from "./answer";
import type { PdCall } from "./call";
import { refused } from "./failure";
import { decodeWire } from "./json";
import { parseAcknowledgement } from "./parse";
import type { PdTransport } from "./transport";
import { asArray, asObject, asText } from "./wireFields";

/** A task that keeps others from taking stores down. */
export interface PdMaintenanceTask {
    /** Kind of task; any word. */
    readonly type: string;
    /** Tells the task from others. */
    readonly id: string;
    /** For people. */
    readonly description: string;
}

/**
 * PD's own lock for whoever takes stores down: one task at a time in a cluster (tikv/rfcs 0118, tikv/pd
 * server/apiv2/handlers). A PD that does not have it, as 8.5 does not, answers 404 to all of these.
 */
const path = "/pd/api/v2/maintenance";

const list: PdCall = { purpose: "list the maintenance tasks", method: "GET", path, repeat: "always" };

/** @returns `begun`, also where the task was begun before; `unknown` where PD has no such lock; else whose task runs. */
export async function beginMaintenance(
    transport: PdTransport,
    task: PdMaintenanceTask,
): Promise<"begun" | "unknown" | PdMaintenanceTask> {
    // Where the other task has ended before PD said whose it is, there is a second try.
    return (await tryToBegin(transport, task)) ?? (await tryToBegin(transport, task)) ?? gone;
}

const gone: PdMaintenanceTask = { type: "another", id: "unnamed", description: "it has ended, and another one begun" };

async function tryToBegin(
    transport: PdTransport,
    { type, id, description }: PdMaintenanceTask,
): Promise<"begun" | "unknown" | PdMaintenanceTask | undefined> {
    const call: PdCall = {
        purpose: `begin the maintenance task ${type}/${id}`,
        method: "PUT",
        path: pathOf(type, id),
        text: description,
        repeat: "always",
    };
    const { verdict, endpoint, before } = await transport.ask(call, parseAcknowledgement);
    if (verdict.kind === "done") {
        return "begun";
    }
    if (verdict.code === "PD_NOT_FOUND") {
        return "unknown";
    }
    if (verdict.status !== 409) {
        throw refused(call, verdict, endpoint, before);
    }
    const [running] = await answer(transport, list, parseMaintenanceTasks, { when: isUnknown, give: [] });
    return running?.type === type && running.id === id ? "begun" : running;
}

/** Ends a task. One that PD does not know has ended already. */
export async function endMaintenance(
    transport: PdTransport,
    { type, id }: Pick<PdMaintenanceTask, "type" | "id">,
): Promise<void> {
    const call: PdCall = {
        purpose: `end the maintenance task ${type}/${id}`,
        method: "DELETE",
        path: pathOf(type, id),
        repeat: "always",
    };
    await answer(transport, call, parseAcknowledgement, { when: isUnknown, give: undefined });
}

function parseMaintenanceTasks(body: string): PdMaintenanceTask[] {
    return asArray(decodeWire(body), "tasks").map((element, index) => {
        const task = asObject(element, `[${index}]`);
        return {
            type: asText(task.type, `[${index}].type`),
            id: asText(task.id, `[${index}].id`),
            description: asText(task.description, `[${index}].description`),
        };
    });
}

function pathOf(type: string, id: string): string {
    return `${path}/${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
}
