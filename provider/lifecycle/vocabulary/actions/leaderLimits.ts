import { mapFact } from "../evidence";
import type { Observation } from "../observation";
import { withPd } from "./foreseen";
import { entriesOf, type LimitChanges, limitsInWords, type RaisedLimits } from "../leaderLimits";
import type { OperationRecords } from "../operationRecords";
import { type KindsOf, record } from "./actionKind";
import { withEvictionNoted } from "./evictions";

/** Actions on PD's limits of how fast leaders move. */
export type LimitAction =
    /** `record`: as for settings. `returning`: the leaders return after a restart. Default: they are to leave. */
    | { do: "raise-limits"; pod: string; changes: LimitChanges; record: RaisedLimits; returning?: true }
    /** `returned`: the stores whose leaders are back. Default: they are not, or there is none. */
    | { do: "put-back-limits"; changes: LimitChanges; returned?: readonly number[] }
    | { do: "forget-limits"; returned?: readonly number[] };

export const limitActions: KindsOf<LimitAction> = {
    "raise-limits": {
        describe: ({ changes, pod }) => `raise ${limitsInWords(changes)} while leaders of ${pod} move`,
        inStep: ({ changes }) => `raise ${limitsInWords(changes)}`,
        on: ({ pod, changes }) => `${pod} ${entriesOf(changes).map(([name]) => name)}`,
        isOptional: true,
        // The restart that they return after was consented to.
        needsNoConsent: ({ returning }) => returning === true,
        before: (records, action) => ({ ...records, raisedLimits: action.record }),
        after: (records, action) => withLimitsSet(records, action.record, action.changes),
        perform: ({ changes }, { pd }) => pd.changeLimits(changes),
        foresee: (seen, { changes }) => withLimits(seen, changes),
    },
    "put-back-limits": {
        describe: ({ changes }) => `put back ${limitsInWords(changes)}`,
        on: ({ changes }) =>
            entriesOf(changes)
                .map(([name, { to }]) => `${name} ${to}`)
                .join(" "),
        isOptional: true,
        // They may be raised again once no store is slow any more, and that gets its time as the first time did.
        beginsWait: "limits-raised",
        needsNoConsent: () => true,
        after: (records, { returned }) => withoutRaisedLimits(records, returned),
        perform: ({ changes }, { pd }) => pd.changeLimits(changes),
        foresee: (seen, { changes }) => withLimits(seen, changes),
    },
    "forget-limits": record({
        describe: () => `delete the record of raised limits of PD`,
        on: () => "",
        after: (records, { returned }) => withoutRaisedLimits(records, returned),
    }),
};

function withLimits(seen: Observation, changes: LimitChanges): Observation {
    const to = Object.fromEntries(entriesOf(changes).map(([name, change]) => [name, change.to]));
    return withPd(seen, ({ leaderLimits }) => ({ leaderLimits: mapFact(leaderLimits, (now) => ({ ...now, ...to })) }));
}

/** @returns the records with the limits that a run has raised: PD has acknowledged the changes. */
function withLimitsSet(records: OperationRecords, raised: RaisedLimits, changes: LimitChanges): OperationRecords {
    const limits = entriesOf(raised.limits).map(([name, limit]) => [
        name,
        changes[name] === undefined ? limit : { ...limit, isSet: true },
    ]);
    return { ...records, raisedLimits: { ...raised, limits: Object.fromEntries(limits) as RaisedLimits["limits"] } };
}

/**
 * @param returned the stores whose leaders are back.
 * @returns the records without raised limits: the earlier values are back, or another user of PD has changed them.
 */
function withoutRaisedLimits(records: OperationRecords, returned: readonly number[] = []): OperationRecords {
    const { raisedLimits, ...rest } = records;
    const others = raisedLimits === undefined ? records : rest;
    return returned.reduce((all, id) => withEvictionNoted(all, id, { limitsBack: true }), others);
}
