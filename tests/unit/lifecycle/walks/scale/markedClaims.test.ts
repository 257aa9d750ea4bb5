import { noRecords, type ObservedClaim } from "../../../../../provider/lifecycle/vocabulary/observation";
import { nextScaleMove } from "../../../../../provider/lifecycle/walks/scale";
import { decisionTable, type Row } from "../../../../support/lifecycle/decisionTable";
import { kindsInPd, type KindInPd } from "../../../../support/lifecycle/kindsInPd";
import { claimOf, type Deviation, now } from "../../../../support/lifecycle/observations";

/** A mark on a claim is a hint: before a volume is deleted, PD must have no store or member of the pod, nor one with the id of the mark. */

function claimsOf({ component, id }: KindInPd) {
    const claim = (more: Partial<ObservedClaim>) => ({ claims: [claimOf(component, 3, more)] });
    const [second] = claim({ name: `logs-basic-${component}-3`, uid: "claim-9", released: true }).claims;
    const [kept, marked, markedById] = [{}, { released: true }, { released: true, releasedId: id }].map(claim);
    return { kept, marked, markedById, both: { claims: [second, ...markedById.claims] } };
}

/** Three pods are to become four: pod 3 comes, and its volume has the mark. */
function coming(kind: KindInPd): Row[] {
    const { component, id, part, listed3, moved3 } = kind;
    const { marked, markedById, both } = claimsOf(kind);
    const out3to4 = (...more: Deviation[]): Deviation => Object.assign({ live: 3, replicas: 4 }, ...more) as Deviation;
    const deleted = `delete-claims ${component}-basic-${component}-3`;
    const waits = `wait released-claims-deleted basic-${component}-3`;
    return [
        ["PD has nothing of the pod", out3to4(marked), deleted],
        [`PD has nothing of the pod, nor of ${id}`, out3to4(markedById), deleted],
        ["PD lists the pod: its data would be lost", out3to4(listed3, marked), waits],
        ["PD lists the pod, with the id of the mark", out3to4(listed3, markedById), waits],
        [
            "PD lists the id of the mark under another domain: its data would be lost",
            out3to4(moved3, markedById),
            waits,
        ],
        ["PD lists the id of one of its two marks: both volumes stay", out3to4(moved3, both), waits],
        ["PD is silent", out3to4({ pdSilent: true }, markedById), "wait pd-answers basic-pd"],
        ["PD does not say whom it lists", out3to4({ unknown: [part] }, markedById), waits],
        ["PD was not asked whom it lists", out3to4({ notAsked: [part] }, markedById), waits],
    ];
}

/** Four pods stay four: a scale-in was taken back after pod 3 was marked. */
function staying(kind: KindInPd): Row[] {
    const { component, id, part, unlisted, dropped, moved, empty } = kind;
    const { kept, marked, markedById } = claimsOf(kind);
    const pod = `basic-${component}-3`;
    const four = (...more: Deviation[]): Deviation => Object.assign({ replicas: 4 }, ...more) as Deviation;
    const records = { ...noRecords(), removals: { [id]: { pod, begunAt: now - 60_000 } } };
    const deleted = `delete-claims ${component}-${pod}`;
    return [
        ["PD has dropped what the mark names", four(dropped, markedById), deleted],
        ["PD lists the pod: the mark goes", four(markedById), `keep-claims ${component}-${pod}`],
        ["the mark names nothing: the volume may be in use", four(unlisted, marked), "done"],
        ["PD lists the id of the mark under another domain: it hears from it", four(moved, markedById), "done"],
        ["PD is silent", four({ pdSilent: true }, markedById), "done"],
        ["PD does not say whom it lists", four({ unknown: [part] }, markedById), "done"],
        ["PD lists nobody: the wrong one answers", four(empty, markedById), "done"],
        [
            "its removal is on record, and PD has dropped it",
            four(dropped, { records }, kept),
            `release-claims ${component}-${pod}`,
        ],
        [
            "its removal is on record, and PD lists that id under another domain: its volume is not marked",
            four(moved, { records }, kept),
            `forget-removal ${id}`,
        ],
    ];
}

for (const kind of kindsInPd) {
    decisionTable(
        `the marked volume of a pod of ${kind.component} that comes`,
        kind.component,
        coming(kind),
        nextScaleMove,
    );
    decisionTable(
        `the marked volume of a pod of ${kind.component} that stays`,
        kind.component,
        staying(kind),
        nextScaleMove,
    );
}
