import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { runOperation } from "../../../provider/gates/loop";
import { noJournal } from "../../../provider/cluster/journal/journalPort";
import type { GatePorts, HeldLock } from "../../../provider/cluster/gatePorts";
import { type Approvals, letsInWords } from "../../../provider/lifecycle/vocabulary/approvals";
import type { StepNeeds } from "../../../provider/lifecycle/vocabulary/lock";
import type { LookOptions } from "../../../provider/lifecycle/vocabulary/look";
import type { Action } from "../../../provider/lifecycle/vocabulary/actions";
import type { Move } from "../../../provider/lifecycle/vocabulary/move";
import { noRecords, type Observation } from "../../../provider/lifecycle/vocabulary/observation";
import { now, observed } from "../lifecycle/observations";
import { grantedAccess } from "./grantedAccess";

/** Ports that record the calls to them, in order. */
export interface Recorded extends GatePorts {
    done: string[];
    time: number;
    records: Observation["records"];
    looks: LookOptions[];
    /** What the lock was confirmed for, in order. */
    needs: StepNeeds[];
    /** What the holder of the lock said that it does, in order. */
    described: string[];
    /** The Lease's consents. */
    approvals: Approvals;
    /** The digest that the run noted to wait for. */
    waitsFor?: string;
}

/** The faults of a run. */
export interface Faults {
    heldBy?: { holder: string; until: number };
    lostAfter?: number;
    stopAfter?: number;
    /** Who asked the update to stop before this gate began. */
    stopBefore?: string;
    failOn?: Action["do"];
    lookFailsAt?: number;
    /** The API server does not answer from this look on, for this long. */
    unreachableFrom?: { look: number; milliseconds: number };
    /** The first actions fail with this error. */
    actionsFail?: { times: number; error: Error };
    releaseFails?: boolean;
    noLease?: boolean;
    observe?: Partial<Observation>;
}

/** @returns ports on which the faults occur */
export function record(faults: Faults = {}): Recorded {
    const done: string[] = [];
    let unreachableSince: number | undefined;
    let failed = 0;
    const lock: HeldLock = {
        confirmHeld: (needs) => {
            ports.needs.push(needs);
            return actions() >= (faults.lostAfter ?? Infinity)
                ? Promise.reject(new Error("the lock was lost"))
                : Promise.resolve();
        },
        describe: (operation) => void ports.described.push(operation),
        keepRecords: (records) => {
            ports.records = records;
            done.push(`keep ${JSON.stringify(records.evictions)}`);
            return Promise.resolve();
        },
        noteOwner: (owner) => {
            done.push(`note owner ${owner?.urn ?? "nobody"}`);
            return Promise.resolve();
        },
        noteMembers: (members) => {
            done.push(`note members ${JSON.stringify(members ?? {})}`);
            return Promise.resolve();
        },
        takeConsent: (digests, goals, used) => {
            done.push("take consent");
            const given = Object.entries(ports.approvals.given).filter(([digest]) => !digests.includes(digest));
            ports.approvals = { ...ports.approvals, given: Object.fromEntries(given), goals, used };
            return Promise.resolve();
        },
        release: () => {
            done.push("release");
            return faults.releaseFails ? Promise.reject(new Error("no API server")) : Promise.resolve();
        },
    };
    const actions = () => done.filter((one) => one.startsWith("do ")).length;
    const stopRequest = () =>
        ports.looks.length > 1 && actions() >= (faults.stopAfter ?? Infinity) ? "ben@build" : faults.stopBefore;
    const ports: Recorded = {
        done,
        time: now,
        records: faults.observe?.records ?? noRecords(),
        looks: [],
        needs: [],
        described: [],
        approvals: { given: {}, goals: {} },
        now: () => ports.time,
        sleep: (milliseconds) => {
            ports.time += milliseconds;
            return Promise.resolve();
        },
        lease: () =>
            Promise.resolve(
                faults.noLease ? undefined : { uid: "1", resourceVersion: "1", lock: {}, records: ports.records },
            ),
        look: (options) => {
            ports.looks.push(options);
            done.push("look");
            if (ports.looks.length === faults.lookFailsAt) {
                return Promise.reject(new Error("the API server is gone"));
            }
            if (faults.unreachableFrom && ports.looks.length >= faults.unreachableFrom.look) {
                unreachableSince ??= ports.time;
                if (ports.time - unreachableSince < faults.unreachableFrom.milliseconds) {
                    return Promise.reject(new KubernetesApiError("the API server did not answer", undefined));
                }
            }
            const { observation } = observed("tikv", {});
            return Promise.resolve({
                ...observation,
                ...faults.observe,
                now: ports.time,
                records: ports.records,
                stopRequest: stopRequest(),
                approvals: ports.approvals,
            });
        },
        perform: (action) => {
            if (faults.actionsFail && failed++ < faults.actionsFail.times) {
                return Promise.reject(faults.actionsFail.error);
            }
            done.push(`do ${action.do}`);
            return action.do === faults.failOn ? Promise.reject(new Error("PD answers 500")) : Promise.resolve();
        },
        tryLock: () => {
            if (faults.heldBy && ports.time < faults.heldBy.until) {
                const { holder, until } = faults.heldBy;
                return Promise.resolve({ heldBy: holder, operation: "roll out basic-pd", expiresAt: until });
            }
            done.push("lock");
            return Promise.resolve({ lock });
        },
        noteApprovalWait: (of, wait) => {
            done.push(wait ? `note wait ${of}: ${letsInWords(wait)}` : "note no wait");
            ports.waitsFor = wait?.digest;
            return Promise.resolve();
        },
        notePause: () => {
            done.push("note the pause");
            return Promise.resolve();
        },
        noteFirstRevision: (component, first) => {
            done.push(`note first ${first.template} is ${first.revision}`);
            const firstRevisions = { ...ports.approvals.firstRevisions, [component]: first };
            ports.approvals = { ...ports.approvals, firstRevisions };
            return Promise.resolve();
        },
        access: grantedAccess,
        journal: noJournal,
        progress: {
            info: (message) => done.push(`info ${message}`),
            warn: ({ message }) => done.push(`warn ${message}`),
            status: () => undefined,
            note: (message) => done.push(`note ${message}`),
        },
    };
    return ports;
}

/** Returns ports that record statuses and pauses. Each pause takes the given time. */
export function watched(pause?: number): { ports: Recorded; statuses: string[]; pauses: number[] } {
    const [ports, statuses, pauses] = [record(), [] as string[], [] as number[]];
    ports.progress.status = (message) => statuses.push(message);
    ports.sleep = (milliseconds) => {
        pauses.push(milliseconds);
        ports.time += pause ?? milliseconds;
        return Promise.resolve();
    };
    return { ports, statuses, pauses };
}

/** Runs the moves in order and then finishes. A move that does not get the lock is decided again. */
export async function run(ports: Recorded, moves: Move[]): Promise<{ error?: Error; taken: string[] }> {
    let next = 0;
    let locked = false;
    const operation = {
        description: "roll out basic-tikv",
        look: { components: ["tikv"], pd: ["stores"], status: [] } as LookOptions,
        next: (): Move => {
            const move = moves[next] ?? { kind: "done" };
            if (move.kind !== "act" || locked) {
                next += 1;
            }
            locked ||= move.kind === "act";
            return move;
        },
    };
    const error = await runOperation(operation, ports).then(
        () => undefined,
        (failure: Error) => failure,
    );
    return { error, taken: ports.done.filter((one) => one !== "look" && !one.startsWith("info")) };
}
