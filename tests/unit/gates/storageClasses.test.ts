import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { prerequisiteInputs } from "../../../components/prerequisiteInputs";
import { renderMembers } from "../../../components/render";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import type { FoundClass } from "../../../provider/lifecycle/prerequisites/missingClasses";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { basic } from "../plan/livePlan";
import { changePorts, clusterWorld, deployed, leaseOf, told } from "./clusterWorld";
import { warnedRisks } from "../../../provider/lifecycle/walks/warnedRisks";
import { repeats } from "../../support/repeats";

const asked = {
    members: {},
    objects: "one",
    namespaceMaker: "nobody",
    mayGrant: false,
    sharesUser: true,
    traits: [],
    storageClasses: { pd: ["fast"], tikv: ["fast", "fast"], tiflash: [null] },
    allowDowngrade: false,
};
const gp3 = { name: "gp3", isDefault: true };
const slow = { name: "slow", isDefault: false };

/** Checks the cluster's first gate in a Kubernetes cluster with these classes. */
async function checked(found: FoundClass[] | Error | undefined, more: object = {}, olds: Record<string, unknown> = {}) {
    const world = clusterWorld({ live: {}, lease: leaseOf({ pdClusterId: undefined }) });
    let calls = 0;
    changePorts(world, () => ({
        access: {
            ...grantedAccess,
            storageClasses: () => {
                calls += 1;
                return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
            },
        },
    }));
    const news = told({ prerequisites: { ...asked, ...more }, ...(more as { top?: object }).top });
    const { failures } = await createClusterGate(world).check(olds, news, true);

    const askedInCheck = calls;
    const risks = warnedRisks([await createClusterGate(world).planOf(olds, news)]);
    return { warnings: world.warnings, failures, risks, calls: askedInCheck };
}

describe("a preview", () => {
    it("warns once for the cluster of each StorageClass that does not exist, and of a default that is missing", async () => {
        const { warnings, failures, risks } = await checked([slow]);
        assert.deepEqual([warnings.length, failures], [1, undefined]);
        repeats(warnings[0], "StorageClass fast", "PD, TiKV", "TiFlash", "There are: slow");
        assert.deepEqual(risks, ["pods of PD, TiKV and TiFlash whose StorageClass is missing do not start"]);
    });

    it("says so if there is no class at all, and less if the program may create it", async () => {
        assert.equal((await checked([])).warnings.length, 1);
        repeats((await checked([gp3], { mayGrant: true })).warnings, "There are: gp3");
    });

    it("says nothing if every class exists, if claims want volumes without a class, or if classes are not known", async () => {
        const fast = { name: "fast", isDefault: false };
        assert.deepEqual((await checked([gp3, fast])).warnings, []);
        assert.deepEqual((await checked([], { storageClasses: { pd: [""] } })).warnings, []);
        assert.deepEqual((await checked(undefined)).warnings, []);
        assert.deepEqual((await checked(new KubernetesApiError("answered 503", 503))).warnings, []);
    });

    it("does not look without a change of the program, of a paused cluster, or while a class is not known yet", async () => {
        assert.equal((await checked([slow])).calls, 1);
        assert.equal((await checked([slow], {}, deployed({ prerequisites: asked }))).calls, 0);
        for (const more of [
            { top: { paused: true } },
            { storageClasses: {} },
            { storageClasses: undefined },
            { storageClasses: { pd: [unknownValue] } },
        ]) {
            assert.equal((await checked([slow], more)).calls, 0);
        }
    });

    it("knows the classes of all claims of members that run", () => {
        const { spec } = basic();
        const manifest = checkManifest({
            ...basic(),
            spec: {
                ...spec,
                pd: { ...(spec as { pd: object }).pd, storageClassName: "fast" },
                tikv: {
                    ...(spec as { tikv: object }).tikv,
                    storageVolumes: [{ name: "wal", storageSize: "1Gi", storageClassName: "nvme", mountPath: "/wal" }],
                },
            },
        }).manifest;
        assert.ok(manifest);
        assert.deepEqual(prerequisiteInputs(renderMembers(manifest), undefined).storageClasses, {
            pd: ["fast"],
            tikv: [null, "nvme"],
            tidb: [],
        });
    });
});
