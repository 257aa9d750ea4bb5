import { answer, isUnknown } from "./answer";
import { pdCalls } from "./calls";
import { refused } from "./failure";
import { decodeWire } from "./json";
import type { PdMaintenanceTask } from "./model";
import { parseAcknowledgement } from "./parse";
import type { PdTransport } from "./transport";
import { asArray, asObject, asText } from "./wireFields";

/**
 * PD's own lock for whoever takes stores down: one task at a time in a cluster (tikv/rfcs 0118, tikv/pd
 * server/apiv2/handlers). A PD that does not have it, as 8.5 does not, answers 404 to all of these.
 */
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
    const [running] = await answer(transport, pdCalls.maintenanceTasks, parseMaintenanceTasks, {
        when: isUnknown,
        give: [],
    });
    return running?.type === task.type && running.id === task.id ? "begun" : running;
}

/** Ends a task. One that PD does not know has ended already. */
export async function endMaintenance(
    transport: PdTransport,
    task: Pick<PdMaintenanceTask, "type" | "id">,
): Promise<void> {
    await answer(transport, pdCalls.endMaintenance(task), parseAcknowledgement, { when: isUnknown, give: undefined });
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
