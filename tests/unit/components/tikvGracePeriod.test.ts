import * as assert from "node:assert/strict";
import { type OpenManifest, podOf, problemsOf, smallCluster } from "./manifests";
import { repeats } from "../../support/repeats";

const tikv =
    (version: string, timeout?: unknown, own: object = {}) =>
    ({ spec }: OpenManifest) =>
        Object.assign(spec.tikv as object, {
            version,
            ...(timeout === undefined ? {} : { config: { server: { "graceful-shutdown-timeout": timeout } } }),
            ...own,
        });
const grace = (seconds: number) => ({ terminationGracePeriodSeconds: seconds });

describe("the time that TiKV gets to stop", () => {
    const rendered: [what: string, change: (manifest: OpenManifest) => void, seconds: number | undefined][] = [
        ["Kubernetes' default, before TiKV lets its leaders go", tikv("v8.5.5"), undefined],
        ["Kubernetes' default, which is enough for TiKV's own", tikv("v8.5.6"), undefined],
        ["longer for a longer timeout: else the leaders that are left are killed with it", tikv("v8.5.6", "2m"), 130],
        ["as long where the tag is no version", tikv("nightly", "45500ms"), 56],
        ["Kubernetes' default where it is switched off", tikv("v8.5.6", "0s"), undefined],
        ["what the program says, even if it is less", tikv("v8.5.6", "2m", grace(60)), 60],
    ];
    for (const [what, change, seconds] of rendered) {
        it(`is ${what}`, () => assert.equal(podOf("tikv", change).terminationGracePeriodSeconds, seconds));
    }

    const field = "spec.tikv.terminationGracePeriodSeconds";
    const warned = (change: (manifest: OpenManifest) => void) =>
        problemsOf(smallCluster(change)).filter((problem) => problem.field === field);

    it("is warned of where the program gives less than the leaders need: they go down with the store", () => {
        const [problem] = warned(tikv("v8.5.6", "1m30s", grace(99)));
        assert.deepEqual([problem.found, problem.severity], ["99", "warning"]);
        repeats(problem.expected, "100", "90 of config.server.graceful-shutdown-timeout", "10");
        repeats(warned(tikv("v8.5.6", undefined, grace(29)))[0].expected, "30", "20");
    });

    it("is enough where it covers the timeout, and where TiKV has none", () => {
        for (const change of [
            tikv("v8.5.6", "1m30s", grace(100)),
            tikv("v8.5.6", undefined, grace(30)),
            tikv("v8.5.5", undefined, grace(5)),
            tikv("v8.5.6", "0s", grace(5)),
        ]) {
            assert.deepEqual(warned(change), []);
        }
    });
});
