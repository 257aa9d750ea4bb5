import type { KindsOf } from "./actionKind";

/** Notes on the cluster's Lease which PD holds its metadata. */
export type PdIdentityAction = { do: "note-pd"; clusterId: string };

export const pdIdentityActions: KindsOf<PdIdentityAction> = {
    "note-pd": {
        describe: ({ clusterId }) => `record PD's cluster id ${clusterId}`,
        on: ({ clusterId }) => clusterId,
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ clusterId }, { lock }) => lock.notePd(clusterId),
        foresee: (seen, { clusterId: pdClusterId }) => ({ ...seen, pdClusterId }),
    },
};
