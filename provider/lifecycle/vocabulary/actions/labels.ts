import { mapFact } from "../evidence";
import { withStores } from "./foreseen";
import { inWords } from "../settings";
import { type KindsOf, podObject } from "./actionKind";

/** Labels that a store gets in PD. It keeps its others. */
export interface StoreLabelSet {
    readonly storeId: number;
    readonly pod: string;
    readonly labels: Readonly<Record<string, string>>;
}

/** Labels that a TiDB server gets. It keeps its others. */
export interface ServerLabelSet {
    readonly pod: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
}

/** Actions that give servers the labels of their nodes. */
export type LabelAction =
    | { do: "set-store-labels"; sets: readonly StoreLabelSet[] }
    | { do: "set-server-labels"; sets: readonly ServerLabelSet[] };

/** More are only counted: each is a step of the plan. */
const mostInWords = 3;

function labelSetsInWords(sets: readonly (StoreLabelSet | ServerLabelSet)[]): string {
    const of = (set: StoreLabelSet | ServerLabelSet) =>
        "storeId" in set ? `store ${set.storeId} (${set.pod})` : set.pod;
    return sets.length > mostInWords
        ? `of ${sets.length} ${"storeId" in sets[0] ? "stores" : "servers"}, from their nodes`
        : sets.map((set) => `${inWords(set.labels)} of ${of(set)}`).join("; ");
}

export const labelActions: KindsOf<LabelAction> = {
    "set-store-labels": {
        describe: ({ sets }) => `set labels in PD: ${labelSetsInWords(sets)}`,
        step: () => "label",
        on: ({ sets }) => JSON.stringify(sets),
        objects: ({ sets }) => sets.map(({ pod }) => podObject(pod)),
        // It tells PD where a store is, as the operator does. Where the store runs was consented to, or is none of the program's.
        needsNoConsent: () => true,
        // PD takes no other labels than its location labels where `strictly-match-label` is set. The operator continues, too.
        isOptional: true,
        perform: ({ sets }, { pd, eachTried }) =>
            eachTried(sets, ({ storeId, labels }) => pd.setStoreLabels(storeId, labels)),
        foresee: (seen, { sets }) =>
            withStores(seen, (stores) =>
                stores.map((store) => {
                    const set = sets.find(({ storeId }) => storeId === store.id);
                    return set ? { ...store, labels: { ...store.labels, ...set.labels } } : store;
                }),
            ),
    },
    "set-server-labels": {
        describe: ({ sets }) => `set labels of TiDB: ${labelSetsInWords(sets)}`,
        on: ({ sets }) => JSON.stringify(sets),
        objects: ({ sets }) => sets.map(({ pod, uid }) => ({ ...podObject(pod), uid })),
        needsNoConsent: () => true,
        isOptional: true,
        perform: ({ sets }, { tidb, eachTried }) =>
            eachTried(sets, ({ pod, uid, labels }) => tidb.setLabels({ name: pod, uid }, labels)),
        foresee: (seen, { sets }) => ({
            ...seen,
            tidbServers:
                seen.tidbServers &&
                mapFact(seen.tidbServers, (servers) =>
                    servers.map((server) => {
                        const set = sets.find(({ pod }) => pod === server.podName);
                        return set ? { ...server, labels: { ...server.labels, ...set.labels } } : server;
                    }),
                ),
        }),
    },
};
