import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    dataLoaded,
    eventsOf,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { clusterStack } from "../support/e2e/stack";

const tiflash = { replicas: 1, storageClaims: [{ resources: { requests: { storage: "1Gi" } } }] };
const over = { pd: { replicas: 1 }, tidb: { replicas: 1 }, spec: { tiflash } };
const restored = { ...over, spec: { tiflash, recoveryMode: true } };
const marks = "GET /pd/api/v1/admin/cluster/markers/snapshot-recovering";

describeOnEngine("a restore from snapshots of volumes", (arena) => {
    it("starts TiKV on its claims once PD is marked, TiFlash once it is not, and TiDB once the mode is off", async () => {
        const namespace = "restored";
        const { kubernetes } = arena();
        const stack = await clusterStack(arena(), namespace);
        const members = async () =>
            (await kubernetes.pods(namespace))
                .map(({ metadata }) => metadata?.name ?? "")
                .filter((name) => !name.includes("discovery"))
                .sort();
        for (const claim of ["tikv-demo-tikv-0", "tikv-demo-tikv-1", "data0-demo-tiflash-0"]) {
            await kubernetes.createClaim(namespace, claim);
        }

        let said = "";
        const hears = (words: RegExp) => until(String(words), () => words.test(said) || undefined, 120_000);
        const run = stack.startUp(restored, { onLine: (line) => void (said += `${line}\n`) });
        await hears(/spec\.recoveryMode: found true.*TiDB and TiCDC are not deployed/);
        await hears(/waiting: not there yet: claim tikv-demo-tikv-2 \(missing\)/);
        const played = stack.played();
        assert.deepEqual(await members(), ["demo-pd-0"]);

        const asked = () => played.pdCallCounts()[marks] ?? 0;
        const before = asked();
        await kubernetes.createClaim(namespace, "tikv-demo-tikv-2");
        await until("the gate sees twice that PD is not marked", () => asked() > before + 1 || undefined);
        assert.deepEqual(await members(), ["demo-pd-0"], "a new PD that is not marked has another cluster id");

        played.markRecovering(true);
        await hears(/waiting: PD's mark snapshot-recovering is set/);
        const stores = [0, 1, 2].map((ordinal) => `demo-tikv-${ordinal}`);
        assert.deepEqual(await members(), ["demo-pd-0", ...stores], "TiFlash waits for BR");

        played.markRecovering(false);
        assertOk(await run.done);
        assert.deepEqual(await members(), ["demo-pd-0", "demo-tiflash-0", ...stores]);
        await dataLoaded(played);

        played.markRecovering(true);
        assertFailed(
            await stack.preview(over),
            /spec\.recoveryMode: found false, expected true: PD's mark snapshot-recovering is set/,
        );
        played.markRecovering(false);

        const end = played.events.length;
        const ended = assertOk(await stack.up(over));
        assert.match(planOf(ended, "demo-tikv-scale")[0], /^recovery mode ends: TiKV restarts, then TiDB/);
        assert.deepEqual(stoppedPods(played, end), [...stores].reverse(), "TiKV leaves its recovery, and nothing else");
        assertSafeStops(played, end);
        assert.deepEqual(eventsOf(played, ["store-joined", "store-refused"], end), []);
        assert.ok((await members()).includes("demo-tidb-0"));
        await assertNothingLeft(arena(), stack);

        assertFailed(
            await stack.preview(restored),
            /spec\.recoveryMode: found true, expected false: demo-tikv is not in recovery, and demo-tidb is deployed\. Next: restore into a cluster of another name$/m,
        );
        assert.ok((await members()).includes("demo-tidb-0"));
    });
});
