import { mapFact } from "../evidence";
import { withPd } from "./foreseen";
import type { OperationRecords } from "../operationRecords";
import { shortDigest } from "../shortDigest";
import { areSameStores, storesInWords } from "../storesInWords";
import { type KindsOf, record } from "./actionKind";

/** Actions of PD's unsafe recovery from the loss of stores. */
export type RecoveryAction =
    /** PD makes the stores Tombstone, and their regions continue without them. `risk`: what a person consents to. */
    | { do: "remove-failed-stores"; stores: readonly number[]; timeoutSeconds: number; risk: string }
    /** A recovery that was begun, and that PD has given up. */
    | { do: "forget-recovery"; stores: readonly number[] }
    /** `report`: what PD last said of it. */
    | { do: "note-recovery-finished"; stores: readonly number[]; report: string };

export const recoveryActions: KindsOf<RecoveryAction> = {
    "remove-failed-stores": {
        describe: ({ stores }) => `begin PD's unsafe recovery from the loss of ${storesInWords(stores)}`,
        inStep: ({ stores }) =>
            `make PD remove ${storesInWords(stores)} as failed, and let their regions go on without them`,
        step: () => "recover",
        // PD needs a few heartbeats of every store, of ten seconds each, for each stage.
        seconds: () => 120,
        on: ({ stores }) => stores.join(" "),
        before: (records, { stores, risk }, now) => withRecoveryBegun(records, { stores, risk }, now),
        refused: (records, { stores }) => withoutRecoveryBegun(records, stores),
        perform: ({ stores, timeoutSeconds }, { pd }) => pd.removeFailedStores(stores, timeoutSeconds),
        foresee: (seen, { stores: failedStores }) =>
            withPd(seen, ({ unsafeRecovery, stores, tombstones }) => ({
                unsafeRecovery: mapFact(unsafeRecovery, (one) => ({ ...one, stage: "finished", failedStores })),
                stores: mapFact(stores, (all) => all.filter(({ id }) => !failedStores.includes(id))),
                tombstones: mapFact(tombstones, (all) => [
                    ...all,
                    ...(stores.known ? stores.value : [])
                        .filter(({ id }) => failedStores.includes(id))
                        .map((store) => ({ ...store, state: "Tombstone", regionCount: 0 })),
                ]),
            })),
    },
    "forget-recovery": record({
        describe: ({ stores }) =>
            `delete the record that an unsafe recovery from the loss of ${storesInWords(stores)} was begun: PD has given it up`,
        on: ({ stores }) => stores.join(" "),
        after: (records, { stores }) => withoutRecoveryBegun(records, stores),
    }),
    "note-recovery-finished": record({
        describe: ({ stores, report }) =>
            `record that PD's unsafe recovery from the loss of ${storesInWords(stores)} has finished (${report})`,
        on: ({ stores }) => stores.join(" "),
        after: (records, { stores }) => withRecoveryFinished(records, stores),
    }),
};

/** @returns the records with an unsafe recovery that is about to begin. One that was begun before keeps its time. */
function withRecoveryBegun(
    records: OperationRecords,
    { stores, risk }: { stores: readonly number[]; risk: string },
    now: number,
): OperationRecords {
    const { finished = [], begun } = records.unsafeRecovery ?? {};
    const at = begun !== undefined && areSameStores(begun.stores, stores) ? begun.at : now;
    return { ...records, unsafeRecovery: { finished, begun: { stores, at, risk: shortDigest(risk) } } };
}

/** @returns the records without an unsafe recovery of these stores that was begun: PD has refused it, or given it up. */
function withoutRecoveryBegun(records: OperationRecords, stores: readonly number[]): OperationRecords {
    const { unsafeRecovery, ...others } = records;
    const { finished, begun } = unsafeRecovery ?? {};
    if (finished === undefined || begun === undefined || !areSameStores(begun.stores, stores)) {
        return records;
    }
    return finished.length === 0 ? others : { ...others, unsafeRecovery: { finished } };
}

/** @returns the records with an unsafe recovery that PD has finished. It stays on record: PD forgets it, and later the stores too. */
function withRecoveryFinished(records: OperationRecords, stores: readonly number[]): OperationRecords {
    const finished = [...new Set([...(records.unsafeRecovery?.finished ?? []), ...stores])];
    return { ...records, unsafeRecovery: { finished: finished.sort((one, other) => one - other) } };
}
