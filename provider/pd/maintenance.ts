import { askPd, isUnknown } from "./askPd";
import { pdCalls } from "./calls";
import { refused } from "./failure";
import { decodeWire } from "./json";
import type { PdMaintenanceTask } from "./model";
import { parseAcknowledgement } from "./parse";
import type { PdTransport } from "./transport";
import { asArray, asObject, asText } from "./wireFields";

/**
 * Begins a maintenance task: PD's own lock for tools that take stores down, one task at a time in a cluster (tikv/rfcs
 * 0118, tikv/pd server/apiv2/handlers). A PD without this lock, such as 8.5, answers 404.
 * @returns `begun`, also if the task was begun before; `unknown` if PD has no such lock; otherwise the running task
 */
export async function beginMaintenance(
    transport: PdTransport,
    task: PdMaintenanceTask,
): Promise<"begun" | "unknown" | PdMaintenanceTask> {
    // The other task may have ended before PD named it, so try a second time.
    return (await tryToBegin(transport, task)) ?? (await tryToBegin(transport, task)) ?? gone;
}

const gone: PdMaintenanceTask = {
    type: "another",
    id: "unnamed",
    description: "it has ended, and another one has begun",
};

async function tryToBegin(
    transport: PdTransport,
    task: PdMaintenanceTask,
): Promise<"begun" | "unknown" | PdMaintenanceTask | undefined> {
    const call = pdCalls.beginMaintenance(task);
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
    const [running] = await maintenanceTasks(transport);
    return running?.type === task.type && running.id === task.id ? "begun" : running;
}

/** Lists the running maintenance tasks. None if PD has no such lock. */
export function maintenanceTasks(transport: PdTransport): Promise<PdMaintenanceTask[]> {
    return askPd(transport, pdCalls.maintenanceTasks, parseMaintenanceTasks, { when: isUnknown, result: [] });
}

/** Ends a maintenance task. Succeeds if PD does not know it: it has ended already. */
export async function endMaintenance(
    transport: PdTransport,
    task: Pick<PdMaintenanceTask, "type" | "id">,
): Promise<void> {
    await askPd(transport, pdCalls.endMaintenance(task), parseAcknowledgement, { when: isUnknown, result: undefined });
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
