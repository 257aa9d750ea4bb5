import type { JournalOperation } from "../../../../provider/lifecycle/journal/journalOperation";
import { operationText } from "../../../../provider/lifecycle/journal/journalText";
import type { SeenJournal } from "../../../../status/timeline/assembleTimeline";

/** 17:30 on the day of these operations. */
export const halfPast = Date.UTC(2026, 10, 22, 17, 30, 0);
const at = (seconds: number) => halfPast + seconds * 1_000;

const pods = ["basic-tikv-0", "basic-tikv-1", "basic-tikv-2"];
const plan = {
    digest: "3fa9c1d2b4e0",
    lines: ["restart basic-tikv-2 (new template): evict 500 leaders, delete pod, end the eviction"],
    of: 3,
};

/** A restart of one pod of TiKV, from this second on: 10 s of eviction, 20 s down, 30 s until the leaders are back. */
function restart(pod: string, from: number): JournalOperation["entries"] {
    const store = `store 1${pod.at(-1)}`;
    const seen = (leaders: number) => [
        `${pod} Ready, on tikv-old, wanted tikv-new (basic-tikv)`,
        `${store} Up, leaders ${leaders} by PD and ${leaders} by itself, regions 1500`,
        "stores Up 3 of 3",
        "pending peers 0",
    ];
    return [
        {
            is: "act",
            at: at(from),
            do: "begin-eviction",
            words: `evict 500 leaders from ${store} (${pod})`,
            step: "leaders-evicted",
            target: pod,
            seen: seen(500),
            held: ["other-stores-up"],
        },
        { is: "pod", at: at(from), pod, phase: "evicting" },
        {
            is: "wait",
            at: at(from),
            until: at(from + 10),
            step: "leaders-evicted",
            target: pod,
            why: `${store} (${pod}) still holds 500 leaders`,
            last: `${store} (${pod}) still holds 3 leaders`,
        },
        {
            is: "act",
            at: at(from + 10),
            do: "delete-pod",
            words: `restart ${pod}`,
            step: "pod-restarted",
            target: pod,
            seen: seen(0),
            held: ["other-stores-up", "leaders-evicted"],
        },
        { is: "pod", at: at(from + 10), pod, phase: "down", why: "it is stopping" },
        { is: "pod", at: at(from + 30), pod, phase: "leaders-back" },
        { is: "pod", at: at(from + 60), pod, phase: "up" },
    ];
}

/** An upgrade of TiKV that was killed in the middle. */
export const killed: JournalOperation = {
    id: "a",
    what: "roll out basic-tikv",
    holder: "ana@laptop, process 4711 (3f9a1c)",
    plan,
    began: at(0),
    pods,
    entries: [...restart("basic-tikv-2", 0), ...restart("basic-tikv-1", 60).slice(0, 3)],
};

/** The run that finished it. */
export const resumed: JournalOperation = {
    id: "b",
    what: "roll out basic-tikv",
    holder: "ana@laptop, process 4890 (77aa01)",
    began: at(120),
    ended: at(300),
    outcome: "done",
    pods,
    entries: [...restart("basic-tikv-1", 130).slice(3), ...restart("basic-tikv-0", 200)],
};

/** The journal with these operations, read an hour later. */
export function journalWith(operations: readonly JournalOperation[], more: Partial<SeenJournal> = {}): SeenJournal {
    return {
        kubernetes: { context: "prod", server: "https://k8s.example:6443" },
        namespace: "tidb",
        name: "basic",
        texts: Object.fromEntries(operations.map((one) => [one.id, operationText(one)])),
        holder: undefined,
        now: at(3_600),
        ...more,
    };
}
