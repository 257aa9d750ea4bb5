import type { KindsOf } from "./actionKind";

/** Actions that empty a pod of TiCDC or of Pump before it stops. */
export type HandOverAction =
    | { do: "begin-shutdown"; pod: string; uid: string }
    | { do: "forget-shutdown"; pod: string; uid: string }
    | { do: "resign-owner"; pod: string; uid: string }
    | { do: "drain-capture"; pod: string; uid: string; capture: string }
    | { do: "close-pump"; pod: string; uid: string; nodeId: string };

const serverOf = ({ pod, uid }: { pod: string; uid: string }) => ({ name: pod, uid });

export const handOverActions: KindsOf<HandOverAction> = {
    "begin-shutdown": {
        describe: ({ pod }) => `record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
        perform: ({ pod, uid }, { kubernetes }) => kubernetes.noteShutdown(pod, uid, true),
    },
    "forget-shutdown": {
        describe: ({ pod }) => `delete the record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ pod, uid }, { kubernetes }) => kubernetes.noteShutdown(pod, uid, false),
    },
    "resign-owner": {
        describe: ({ pod }) => `move the ownership of TiCDC away from ${pod}`,
        on: ({ uid }) => uid,
        perform: (action, { captures }) => captures.resignOwner(serverOf(action)),
    },
    "drain-capture": {
        describe: ({ pod }) => `move the tables of ${pod} to other captures`,
        on: ({ uid }) => uid,
        perform: (action, { captures }) => captures.drain(serverOf(action), action.capture),
    },
    "close-pump": {
        describe: ({ pod }) => `take the pump of ${pod} offline`,
        on: ({ uid }) => uid,
        perform: (action, { pumps }) => pumps.close(serverOf(action), action.nodeId),
    },
};
