import { mapFact } from "../evidence";
import type { Observation } from "../observation";
import type { UpgradeState } from "../smoothUpgrade";
import { type KindsOf, record } from "./actionKind";

/** Actions of TiDB's smooth upgrade. `pod`: the server that gets the request. `from`, `to`: the tags of the images. */
export type UpgradeAction =
    | { do: "start-upgrade"; pod: string; uid: string; from: string; to: string }
    | { do: "finish-upgrade"; pod: string; uid: string }
    | { do: "forget-upgrade" };

const serverOf =
    (version: string) =>
    ({ name }: { name: string }) => ({ address: name, version, isOurs: true });

function withState(seen: Observation, state: UpgradeState): Observation {
    const { tidbUpgrade } = seen;
    return { ...seen, tidbUpgrade: tidbUpgrade && mapFact(tidbUpgrade, ({ pod, uid }) => ({ pod, uid, ...state })) };
}

export const upgradeActions: KindsOf<UpgradeAction> = {
    "start-upgrade": {
        describe: ({ from, to, pod }) =>
            `start TiDB's smooth upgrade from ${from} to ${to} through ${pod}: the DDL statements of users are paused`,
        inStep: () => "pause the DDL statements of users until the last TiDB is upgraded (smooth upgrade)",
        on: ({ from, to }) => `${from} ${to}`,
        before: (records, { from, to }, now) => ({ ...records, smoothUpgrade: { begunAt: now, from, to } }),
        perform: ({ pod, uid }, { tidb }) => tidb.startUpgrade({ name: pod, uid }),
        foresee: (seen, { to }) =>
            withState(seen, {
                state: "upgrading",
                servers: { percent: 100, list: (seen.members.tidb?.pods ?? []).map(serverOf(to)) },
            }),
    },
    "finish-upgrade": {
        describe: ({ pod }) => `finish TiDB's smooth upgrade through ${pod}: the DDL statements of users go on`,
        inStep: () => "finish the smooth upgrade, so the DDL statements of users go on",
        on: () => "",
        needsNoConsent: () => true,
        perform: ({ pod, uid }, { tidb }) => tidb.finishUpgrade({ name: pod, uid }),
        foresee: (seen) => withState(seen, { state: "normal" }),
    },
    "forget-upgrade": record({
        describe: () => "delete the record of TiDB's smooth upgrade, which is finished",
        on: () => "",
        after: ({ smoothUpgrade: _, ...records }) => records,
    }),
};
