import { type Component, topology } from "../../../topology/members";
import { counted, listed } from "../vocabulary/counted";
import type { PlanStep } from "./planStep";
import type { Work } from "./planWork";

/** What the work of a plan does, in few words, for the summary of a cluster. */

/** What is done, and whether with single pods of a member, with the whole member, or with neither. */
const done: Record<PlanStep["kind"], { what: string; with: "pods" | "each pod once" | "member" | "neither" }> = {
    replace: { what: "replace", with: "pods" },
    restart: { what: "restart", with: "pods" },
    move: { what: "move", with: "pods" },
    start: { what: "start", with: "pods" },
    remove: { what: "remove", with: "pods" },
    "empty-volume": { what: "empty the volumes of", with: "pods" },
    grow: { what: "grow the volumes of", with: "pods" },
    modify: { what: "modify the volumes of", with: "pods" },
    renew: { what: "replace the volumes of", with: "pods" },
    spare: { what: "add spares to", with: "member" },
    recreate: { what: "recreate the StatefulSet of", with: "member" },
    "take-back": { what: "take back the removal of", with: "pods" },
    "clean-up": { what: "clean up what an earlier run left behind in", with: "each pod once" },
    suspend: { what: "suspend", with: "member" },
    set: { what: "set settings online in", with: "member" },
    label: { what: "set labels in PD of", with: "pods" },
    "give-up": { what: "give up the lost volumes of", with: "pods" },
    recover: { what: "recover unsafely from failed stores", with: "neither" },
    wait: { what: "wait for", with: "member" },
};

/** @returns what is done with how many pods of each member, one entry for each kind of step, in the order of the steps. */
export function doneWith(work: readonly Work[]): string[] {
    const steps = work.flatMap((item) => (item.is === "task" ? [] : [item.step]));
    const tasks = [...new Set(work.flatMap((item) => (item.is === "task" ? [item.words] : [])))];
    const kinds = [...new Set(steps.map(({ kind }) => kind))];
    return [
        ...kinds.map((kind) =>
            doneOf(
                kind,
                steps.filter((step) => step.kind === kind),
            ),
        ),
        ...tasksIn(tasks, steps.length === 0 ? "task" : "other task"),
    ];
}

/** More tasks are only counted, and of one in more words only the first ones are told: its gate has all of them. */
const [mostTasks, longestTask] = [2, 60];

function tasksIn(tasks: readonly string[], name: string): string[] {
    return tasks.length > mostTasks ? [counted(tasks.length, name)] : tasks.map(beginningOf);
}

function beginningOf(task: string): string {
    const words = task.length > longestTask ? task.split(/[,:;(]/)[0].trimEnd() : task;
    return words.length > longestTask ? `${words.slice(0, longestTask)}…` : words;
}

function doneOf(kind: PlanStep["kind"], steps: readonly PlanStep[]): string {
    const members = [...new Set(steps.map(({ component }) => component))];
    const targets = (member: Component) =>
        steps.filter(({ component }) => component === member).map(({ target }) => target);
    const pods = (member: Component) => targets(member).length;
    const titles = {
        pods: members.map((member) => `${pods(member)} ${topology[member].title}`),
        "each pod once": members.map((member) => `${new Set(targets(member)).size} ${topology[member].title}`),
        member: members.map((member) => topology[member].title),
        neither: [],
    }[done[kind].with];
    return [done[kind].what, listed(titles)].join(" ").trimEnd();
}
