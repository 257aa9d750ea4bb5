import { type KindsOf, record } from "./actionKind";

/** Actions of TiDB's smooth upgrade. `pod`: the server that gets the request. `from`, `to`: the tags of the images. */
export type UpgradeAction =
    | { do: "start-upgrade"; pod: string; uid: string; from: string; to: string }
    | { do: "finish-upgrade"; pod: string; uid: string }
    | { do: "forget-upgrade" };

export const upgradeActions: KindsOf<UpgradeAction> = {
    "start-upgrade": {
        describe: ({ from, to, pod }) =>
            `start TiDB's smooth upgrade from ${from} to ${to} through ${pod}: the DDL statements of users are paused`,
        on: ({ from, to }) => `${from} ${to}`,
        before: (records, { from, to }, now) => ({ ...records, smoothUpgrade: { begunAt: now, from, to } }),
        perform: ({ pod, uid }, { tidb }) => tidb.startUpgrade({ name: pod, uid }),
    },
    "finish-upgrade": {
        describe: ({ pod }) => `finish TiDB's smooth upgrade through ${pod}: the DDL statements of users go on`,
        on: () => "",
        needsNoConsent: () => true,
        perform: ({ pod, uid }, { tidb }) => tidb.finishUpgrade({ name: pod, uid }),
    },
    "forget-upgrade": record({
        describe: () => "delete the record of TiDB's smooth upgrade, which is finished",
        on: () => "",
        after: ({ smoothUpgrade: _, ...records }) => records,
    }),
};
