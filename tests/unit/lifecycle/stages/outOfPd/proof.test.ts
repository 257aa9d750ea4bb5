import { noRecords, type ObservedClaim } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { failed } from "../../../../support/lifecycle/deaths";
import {
    decisionTable,
    lostSight,
    neverStarted,
    notReady,
    type Row,
    steady,
    waited,
} from "../../../../support/lifecycle/decisionTable";
import { kindsInPd, type KindInPd } from "../../../../support/lifecycle/kindsInPd";
import { claimOf, type Deviation, now } from "../../../../support/lifecycle/observations";

/**
 * A pod that leaves is out of PD only by the id of its store or member, or if its process certainly never ran. Stores and PD's own members
 * obey the same rows: 4 replicas become 3 again, and pod 3 leaves.
 */

/** Its process runs, and its probe has not passed yet. */
const starts = { ready: false, readySince: undefined, createdAt: now - 10_000 };

function rowsOf({ component, id, unlisted, dropped, moved, empty, part, stage, listed, failure }: KindInPd): Row[] {
    const pod = `basic-${component}-3`;
    const in4to3 = { live: 4, replicas: 3 };
    const claim = (more: Partial<ObservedClaim> = {}) => ({ claims: [claimOf(component, 3, more)] });
    const [kept, marked, markedById] = [{}, { released: true }, { released: true, releasedId: id }].map(claim);
    const byHand = claim({ released: true, releasedByHand: true });
    const replacedById = claim({ released: true, releasedId: id, terminating: true });
    const replaced = claim({ released: true, releasedByHand: true, terminating: true });
    const stops = { pods: { 3: { ...notReady, terminating: true } } };
    const second = claimOf(component, 3, { name: `logs-${pod}`, uid: "claim-9" });
    const runs = { pods: { 3: starts } };
    const ended = { pods: { 3: notReady } };
    const never = { pods: { 3: neverStarted } };
    const noPod = { pods: { 3: undefined } };
    const removing = (of: string, onClaims?: string[]) => ({
        records: {
            ...noRecords(),
            removals: { [of]: { pod, begunAt: now - 60_000, ...(onClaims ? { onClaims } : {}) } },
        },
    });
    const failover = { records: { ...noRecords(), failovers: failed(component, 3, failure) } };
    const waits = `wait ${stage} ${pod}`;
    const releases = `release-claims ${component}-${pod}`;
    const seenFor = (seconds: number) => steady(stage, pod, seconds);
    const leaving = (...more: Deviation[]): Deviation => Object.assign({}, in4to3, unlisted, ...more) as Deviation;
    return [
        // A scale-out that was taken back: pods that would join a moment after the look.
        ["its process runs, and is about to join: it would have no pod", leaving(runs, kept), waits, seenFor(590)],
        ["its process runs, and its volume is marked", leaving(runs, marked), waits, seenFor(590)],
        ["nothing is known of its process", leaving({ pods: { 3: lostSight } }, kept), waits, seenFor(590)],
        [
            "nothing is known of its process, and its volume is marked",
            leaving({ pods: { 3: lostSight } }, marked),
            waits,
            seenFor(590),
        ],
        ["its process has ended, and starts again in a moment", leaving(ended, kept), waits, seenFor(590)],
        ["its process has ended, and its volume is marked", leaving(ended, marked), waits, seenFor(590)],
        [
            "in the end that fails, and replicas do not fall",
            leaving(runs, marked),
            `fail ${stage} ${pod}`,
            waited(stage, pod, 600),
        ],
        // A process that never ran.
        ["its process has not run: it may in a moment", leaving(never, kept), waits],
        ["its process has not run for 149 s", leaving(never, kept), waits, seenFor(149)],
        ["its process has not run for 150 s", leaving(never, kept), releases, seenFor(150)],
        ["its process has not run, and its volume is marked: a mark shortens nothing", leaving(never, marked), waits],
        ["its process has not run for 150 s, and its volume is marked", leaving(never, marked), "done", seenFor(150)],
        ["there is no pod yet", leaving(noPod), waits],
        ["there was no pod for 150 s, and there is no volume", leaving(noPod), "done", seenFor(150)],
        [
            "there was no pod for 150 s, and its volume may be that of a member or store that PD does not list now",
            leaving(noPod, kept),
            waits,
            seenFor(150),
        ],
        [
            "there was no pod for 150 s, and one of its volumes is not marked",
            leaving(noPod, { claims: [...marked.claims, second] }),
            waits,
            seenFor(150),
        ],
        // Out by its id.
        ["its removal is on record by id", leaving(dropped, removing(id), kept), releases],
        ["its removal is on record by id and volume", leaving(dropped, removing(id, ["claim-3"]), kept), releases],
        [
            "its removal is on record by id with another volume: the pod and its volume are later ones, about to join",
            leaving(dropped, runs, removing(id, ["claim-of-before"]), kept),
            waits,
            seenFor(590),
        ],
        ["its failover is on record by id", leaving(dropped, ended, failover, kept), releases],
        ["its volume is marked with the id", leaving(dropped, markedById), "done"],
        // Old volumes say nothing of the ordinal's next pod, which starts on others.
        [
            "its volume, marked with the id, is being deleted, and the pod is about to be another one",
            leaving(dropped, stops, replacedById),
            waits,
            seenFor(590),
        ],
        ["the same, and the old pod is gone", leaving(dropped, noPod, replacedById), waits],
        [
            "the same, and its removal is on record",
            leaving(dropped, stops, removing(id, ["claim-3"]), replacedById),
            waits,
            seenFor(590),
        ],
        ["a user says that it holds nothing, and it is being deleted", leaving(stops, replaced), waits, seenFor(590)],
        [
            "a person deletes its claim while the pod stays: no other pod comes",
            leaving(dropped, ended, replacedById),
            "done",
        ],
        // PD contradicts.
        [
            "its removal is on record by id, and PD lists that one under another domain: it lives",
            leaving(moved, runs, removing(id), kept),
            waits,
            seenFor(590),
        ],
        [
            "its failover is on record by id, and PD lists that one under another domain: it lives",
            leaving(moved, runs, failover, kept),
            waits,
            seenFor(590),
        ],
        [
            "its volume is marked with an id that PD lists under another domain: it lives",
            leaving(moved, runs, markedById),
            waits,
            seenFor(590),
        ],
        // PD tells nothing.
        ["PD is silent", leaving({ pdSilent: true }, never, markedById, removing(id)), "wait pd-answers basic-pd"],
        [
            "PD does not say whom it lists",
            leaving({ unknown: [part] }, never, markedById, removing(id)),
            `wait ${listed} ${pod}`,
            seenFor(590),
        ],
        [
            "PD lists nobody: the wrong one answers",
            leaving(empty, never, markedById, removing(id)),
            `wait ${listed} ${pod}`,
            seenFor(590),
        ],
        // A user says so.
        ["a user says that its volume holds nothing, and it does not run", leaving(ended, byHand), "done"],
        ["a user says so, and it runs", leaving(runs, byHand), waits, seenFor(590)],
        ["a user says so, and nothing is known of it", leaving({ pods: { 3: lostSight } }, byHand), waits],
        [
            "a user says so of one of its volumes",
            leaving(ended, { claims: [...byHand.claims, { ...second, released: true }] }),
            waits,
            seenFor(590),
        ],
    ];
}

for (const kind of kindsInPd) {
    decisionTable(
        `a pod of ${kind.component} that leaves, and that PD does not list`,
        kind.component,
        rowsOf(kind),
        nextScaleMove,
    );
}
