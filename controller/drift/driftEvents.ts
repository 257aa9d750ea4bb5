import { firstStep, KubernetesApiError } from "../../provider/cluster/apiCall";
import { eventsRule } from "../../provider/cluster/journal/clusterJournal";
import { mostWaiting } from "../../provider/cluster/journal/eventWriter";
import { type ObjectEvent, shortNote } from "../../provider/lifecycle/journal/objectEvents";
import { leaseName } from "../../topology/names";
import type { ControllerLog } from "../controllerLog";
import { type DriftedObject, kindOf, kubernetesKind } from "./judgeDrift";

/** An Event, and the namespace that it is written in: that of the object. */
interface DriftEvent {
    readonly namespace: string;
    readonly event: ObjectEvent;
}

/**
 * Returns the Event for an object that drifted: on the object, or, if it was deleted, on the Lease of its cluster, which
 * `kubectl describe` still finds. An object without a namespace has none: Kubernetes would take its Event only in namespaces of its own.
 * @param line what happened to it
 */
export function driftEvent(one: DriftedObject, line: string, stack: string): DriftEvent | undefined {
    const { cluster, namespace, name, uid, change } = one;
    const group = kubernetesKind(one);
    if (group === undefined || namespace === undefined) {
        return undefined;
    }
    const apiVersion = group.slice(0, group.lastIndexOf(":")).replace(/^core\//, "");
    const isDeleted = change === "deleted";
    const object =
        isDeleted && cluster
            ? { kind: "Lease" as const, name: leaseName(cluster.cluster) }
            : { apiVersion, kind: kindOf(one), name, uid };
    const next = `\`pulumi preview --refresh --stack ${stack}\` shows what an update with it would bring back`;
    const reason = isDeleted ? "DriftDeleted" : "DriftEdited";
    return { namespace, event: { object, reason, note: shortNote(`${line}. Next: ${next}`), isWarning: true } };
}

/** Returns as many Events as are written at once. The last one says how many there is none for. */
function atMost(most: number, events: readonly ObjectEvent[]): readonly ObjectEvent[] {
    const [last, ...others] = events.slice(most - 1);
    if (others.length === 0) {
        return events;
    }
    const note = shortNote(`and ${others.length} more objects drifted, which the controller's log names. ${last.note}`);
    return [...events.slice(0, most - 1), { ...last, note }];
}

/** Writes Events. @returns why one could not be written */
export type WriteEvents = (namespace: string, events: readonly ObjectEvent[]) => Promise<Error | undefined>;

/** Writes the Events of what drifted. Nothing waits for them: an API server that does not answer must not hold up the looks. */
export class DriftEvents {
    private readonly unwritten = new Set<string>();

    constructor(
        private readonly write: WriteEvents,
        private readonly log: ControllerLog,
        private readonly stack: string,
    ) {}

    /** @param found what drifted since the last look, with the line of the log */
    tell(found: readonly (readonly [DriftedObject, line: string])[]): void {
        const all = found.flatMap(([one, line]) => driftEvent(one, line, this.stack) ?? []);
        for (const namespace of new Set(all.map((one) => one.namespace))) {
            const events = all.filter((one) => one.namespace === namespace).map(({ event }) => event);
            void this.write(namespace, atMost(mostWaiting, events))
                .catch((error: Error) => error)
                .then((failure) => this.warnOnce(namespace, failure));
        }
    }

    /** Once for each namespace, until its Events are written. */
    private warnOnce(namespace: string, failure: Error | undefined): void {
        if (failure === undefined) {
            this.unwritten.delete(namespace);
        } else if (!this.unwritten.has(namespace)) {
            this.unwritten.add(namespace);
            const isDenied = failure instanceof KubernetesApiError && failure.isDenied;
            const grant = `grant the controller this rule in the namespace: ${eventsRule}`;
            const advice = isDenied ? `: ${firstStep(failure, grant)}` : "";
            const line = `Kubernetes Events of drift were not written: ${failure.message}. The log and the metrics have it${advice}`;
            this.log.warn(line, { stack: this.stack, namespace });
        }
    }
}
