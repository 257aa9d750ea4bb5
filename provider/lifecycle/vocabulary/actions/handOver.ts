import { mapFact } from "../evidence";
import type { Observation, ObservedCaptures } from "../observation";
import { withPd, withPod } from "./foreseen";
import type { KindsOf } from "./actionKind";

/** Actions that empty a pod of TiCDC or of Pump before it stops. */
export type HandOverAction =
    | { do: "begin-shutdown"; pod: string; uid: string }
    | { do: "forget-shutdown"; pod: string; uid: string }
    | { do: "resign-owner"; pod: string; uid: string }
    | { do: "drain-capture"; pod: string; uid: string; capture: string }
    | { do: "close-pump"; pod: string; uid: string; nodeId: string };

const serverOf = ({ pod, uid }: { pod: string; uid: string }) => ({ name: pod, uid });

function withCaptures(seen: Observation, change: (captures: ObservedCaptures) => ObservedCaptures): Observation {
    return seen.captures === undefined ? seen : { ...seen, captures: change(seen.captures) };
}

/** TiCDC elects the next owner by itself. A capture that is not shut down stands for it, the highest ordinal first, which has restarted. */
function withOwnerElsewhere(seen: Observation, pod: string): Observation {
    return withCaptures(seen, (captures) => {
        const { byPod, list } = captures;
        const idOf = (name: string) => {
            const of = byPod[name];
            return of !== undefined && "id" in of ? of.id : undefined;
        };
        const others = (seen.members.ticdc?.pods ?? []).filter(({ name }) => name !== pod && idOf(name) !== undefined);
        const stays = others.filter(({ shutdownBegunAt }) => shutdownBegunAt === undefined);
        const to = stays.at(-1) ?? others.at(-1);
        const next = to && idOf(to.name);
        return Array.isArray(list) && next !== undefined
            ? { ...captures, list: list.map((one) => ({ ...one, isOwner: one.id === next })) }
            : captures;
    });
}

export const handOverActions: KindsOf<HandOverAction> = {
    "begin-shutdown": {
        describe: ({ pod }) => `record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
        perform: ({ pod, uid }, { kubernetes }) => kubernetes.noteShutdown(pod, uid, true),
        foresee: (seen, { pod }) =>
            withPod(seen, pod, (one) => ({ ...one, shutdownBegunAt: seen.now, ownShutdown: true })),
    },
    "forget-shutdown": {
        describe: ({ pod }) => `delete the record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ pod, uid }, { kubernetes }) => kubernetes.noteShutdown(pod, uid, false),
        foresee: (seen, { pod }) => withPod(seen, pod, (one) => ({ ...one, shutdownBegunAt: undefined })),
    },
    "resign-owner": {
        describe: ({ pod }) => `move the ownership of TiCDC away from ${pod}`,
        inStep: (action, pod) =>
            action.pod === pod ? "give up the ownership" : `take the ownership from ${action.pod}`,
        on: ({ uid }) => uid,
        perform: (action, { captures }) => captures.resignOwner(serverOf(action)),
        foresee: (seen, { pod }) => withOwnerElsewhere(seen, pod),
    },
    "drain-capture": {
        describe: ({ pod }) => `move the tables of ${pod} to other captures`,
        inStep: () => "move its tables to other captures",
        on: ({ uid }) => uid,
        seconds: () => 60,
        perform: (action, { captures }) => captures.drain(serverOf(action), action.capture),
        foresee: (seen, { uid }) =>
            withCaptures(seen, (captures) => ({ ...captures, tablesLeft: { ...captures.tablesLeft, [uid]: 0 } })),
    },
    "close-pump": {
        describe: ({ pod }) => `take the pump of ${pod} offline`,
        inStep: () => "take its pump offline once the drainers have received its binlogs",
        step: () => "remove",
        seconds: () => 60,
        on: ({ uid }) => uid,
        perform: (action, { pumps }) => pumps.close(serverOf(action), action.nodeId),
        foresee: (seen, { nodeId }) =>
            withPd(seen, ({ pumps }) => ({
                pumps: mapFact(pumps, (all) =>
                    all.map((one) => (one.nodeId === nodeId ? { ...one, state: "offline" } : one)),
                ),
            })),
    },
};
