import * as assert from "node:assert/strict";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    dataLoaded,
    eventsOf,
    planOf,
    until,
} from "../support/e2e/expect";
import { type ClusterChange, type ClusterStack, clusterStack } from "../support/e2e/stack";

const namespace = "more-volumes";

describeOnEngine("volumes that the program adds, renames and takes out", (arena) => {
    const of = (names: readonly string[], tikv = 3): ClusterChange => {
        const storageVolumes = names.map((name) => ({ name, storageSize: "1Gi", mountPath: `/${name}` }));
        return {
            pd: { replicas: 3, requests: { storage: "2Gi" }, storageVolumes },
            tikv: { replicas: tikv, requests: { storage: "2Gi" }, storageVolumes },
            tidb: { replicas: 1 },
        };
    };
    let stack: ClusterStack;
    before(async () => {
        stack = await clusterStack(arena(), namespace);
        assertOk(await stack.up(of([])));
        await dataLoaded(stack.played());
    });

    /** The claims that the pods use, by pod. */
    const volumes = async () =>
        Object.fromEntries(
            (await arena().kubernetes.pods(namespace))
                .filter(({ metadata }) => /-(pd|tikv)-/.test(metadata?.name ?? ""))
                .map(({ metadata, spec }) => [
                    metadata?.name,
                    (spec?.volumes ?? [])
                        .flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []))
                        .sort(),
                ]),
        );
    const volumesOf = (names: readonly string[]) =>
        Object.fromEntries(
            ["pd", "tikv"]
                .flatMap((member) => [0, 1, 2].map((ordinal) => [member, `demo-${member}-${ordinal}`]))
                .map(([member, pod]) => [
                    pod,
                    [`${member}-${pod}`, ...names.map((name) => `${member}-${name}-${pod}`)].sort(),
                ]),
        );
    const claims = async () =>
        (await arena().kubernetes.claims(namespace)).map(({ metadata }) => metadata?.name ?? "").sort();
    const pods = (member: string, order: readonly number[]) => order.map((ordinal) => `demo-${member}-${ordinal}`);
    const first = (lines: readonly string[]) => lines.map((line) => line.split(":")[0]);

    it("are shown with their claims and the order of the restarts, and nothing is changed by that", async () => {
        const preview = assertOk(await stack.preview(of(["log"])));
        assert.match(
            planOf(preview, "demo-tikv-scale").join("\n"),
            /^recreate StatefulSet demo-tikv \(each pod gets 1Gi for tikv-log when it restarts\)/,
        );
        assert.deepEqual(
            first(planOf(preview, "demo-tikv-rollout")),
            pods("tikv", [0, 1, 2]).map((pod) => `restart ${pod} (new template; gets claim tikv-log-${pod} (1Gi))`),
        );
        assert.deepEqual(await volumes(), volumesOf([]));
    });

    it("are refused together with another number of pods", async () => {
        const refusal = [/storageVolumes/, /tikv-log/, /3 to 4 replicas/];
        const both = { ...of(["log"], 4), pd: of([]).pd };
        assertFailed(await stack.preview(both), ...refusal);
        assertFailed(await stack.up(both), ...refusal);
        assert.deepEqual(await volumes(), volumesOf([]));
    });

    it("are added by two runs, the first of which is killed half way, from the lowest pod up", async () => {
        const played = stack.played();
        const before = played.events.length;
        const run = stack.startUp(of(["log"]));
        const stopped = (member: string) =>
            eventsOf(played, ["pod-stopped"], before)
                .filter(({ component }) => component === member)
                .map(({ pod }) => pod);
        await until("the second store restarts", () => stopped("tikv").length >= 2 || undefined, 300_000);
        run.kill();
        assert.ok(!(await run.done).ok);
        assertOk(await stack.up(of(["log"])));
        assert.deepEqual(stopped("pd"), pods("pd", [0, 1, 2]));
        assert.deepEqual(stopped("tikv"), pods("tikv", [0, 1, 2]));
        assertSafeStops(played, before);
        assert.deepEqual(await volumes(), volumesOf(["log"]));
    });

    it("leave nothing to do for Pulumi", async () => {
        assertUnchanged(await stack.up(of(["log"])));
        const refreshed = assertOk(await stack.run("refresh"));
        const changed = refreshed.steps.filter(({ op }) => op !== "same" && op !== "refresh");
        assert.deepEqual(
            changed.map(({ op, name }) => `${op} ${name}`),
            [],
        );
        assertUnchanged(await stack.up(of(["log"])));
    });

    it("are renamed: the new one is empty, and the old claims stay", async () => {
        const preview = assertOk(await stack.preview(of(["trace"])));
        assert.match(preview.output, /tikv-log-demo-tikv-0 and 2 more claims stay.*Nothing moves to tikv-trace/s);
        assertOk(await stack.up(of(["trace"])));
        assert.deepEqual(await volumes(), volumesOf(["trace"]));
        assert.equal((await claims()).filter((name) => name.startsWith("tikv-log-")).length, 3);
        assertUnchanged(await stack.up(of(["trace"])));
    });

    it("are taken out, from the highest pod down, and no pod has them any more", async () => {
        const played = stack.played();
        const before = played.events.length;
        assertOk(await stack.up(of([])));
        const stopped = eventsOf(played, ["pod-stopped"], before).filter(({ component }) => component === "tikv");
        assert.deepEqual(
            stopped.map(({ pod }) => pod),
            pods("tikv", [2, 1, 0]),
        );
        assert.deepEqual(await volumes(), volumesOf([]));
        assert.equal((await claims()).length, 18);
        assertUnchanged(await stack.up(of([])));
    });
});
