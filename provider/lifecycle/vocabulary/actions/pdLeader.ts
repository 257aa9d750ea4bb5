import { mapFact } from "../evidence";
import { withPd } from "./foreseen";
import type { Microservice } from "../../../../topology/members";
import { type KindsOf, podObject } from "./actionKind";
import { withEvictionNoted } from "./evictions";

/** Actions on who leads PD, or one of its microservices, and on which PD it is. */
export type PdLeaderAction =
    /** Notes on the cluster's Lease which PD holds its metadata. */
    | { do: "note-pd"; clusterId: string }
    /** `unpauses`: stores to which PD sends no leaders although they are not under eviction (tikv/pd#9185), and others that may be so. */
    | { do: "transfer-leader"; to: string; from: string; unpauses?: readonly number[] }
    | { do: "transfer-primary"; service: Microservice; to: string; from: { name: string; uid: string } };

export const pdLeaderActions: KindsOf<PdLeaderAction> = {
    "note-pd": {
        describe: ({ clusterId }) => `record PD's cluster id ${clusterId}`,
        on: ({ clusterId }) => clusterId,
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ clusterId }, { lock }) => lock.notePd(clusterId),
        foresee: (seen, { clusterId: pdClusterId }) => ({ ...seen, pdClusterId }),
    },
    "transfer-leader": {
        describe: ({ from, to, unpauses }) =>
            `transfer PD's leadership from ${from} to ${to}` +
            (unpauses === undefined
                ? ""
                : `, because PD still keeps leaders away from store ${unpauses[0]} although its eviction has ended`),
        inStep: ({ to }) => `transfer leadership to ${to}`,
        on: ({ from, unpauses }) => (unpauses === undefined ? from : `${from} ${unpauses[0]}`),
        objects: ({ from }) => [podObject(from)],
        clients: () => ({ is: "waits", words: "PD's leader moves, and requests to PD wait for a moment" }),
        needsNoConsent: ({ unpauses }) => unpauses !== undefined,
        before: (records, { unpauses }) =>
            (unpauses ?? []).reduce((noted, id) => withEvictionNoted(noted, id, { unpaused: true }), records),
        perform: ({ to }, { pd }) => pd.transferLeader(to),
        // What PD knows only after its leader has led for a while, it knows by then.
        foresee: (seen, { to }) =>
            withPd(seen, ({ leader, leadership }) => ({
                leader: mapFact(leader, () => to),
                leadership: mapFact(leadership, (one) => ({ ...one, leader: to, term: `${one.term}+` })),
            })),
    },
    "transfer-primary": {
        describe: ({ service, from, to }) => `transfer the primary of ${service} from ${from.name} to ${to}`,
        inStep: ({ to }) => `transfer primary to ${to}`,
        on: ({ from }) => from.uid,
        objects: ({ from }) => [podObject(from.name)],
        // The scheduling service answers no client.
        clients: ({ service }) =>
            service === "tso"
                ? { is: "waits", words: "the primary of TSO moves, and timestamps wait for a moment" }
                : undefined,
        perform: ({ service, from, to }, { microservices }) => microservices.transferPrimary(service, from, to),
        foresee: (seen, { service, to }) =>
            withPd(seen, ({ microservices }) => {
                const of = microservices[service];
                const moved =
                    of && mapFact(of, (one) => ({ ...one, primary: one.servers.find(({ name }) => name === to) }));
                return { microservices: { ...microservices, [service]: moved } };
            }),
    },
};
