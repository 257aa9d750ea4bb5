import * as assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { prerequisiteInputs } from "../../../components/prerequisiteInputs";
import { renderMembers } from "../../../components/render";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createClusterGate } from "../../../provider/gates/clusterGate";
import { unknownValue } from "../../../provider/gates/inputs";
import { grantedAccess } from "../../support/gates/grantedAccess";
import { basic } from "../plan/livePlan";
import { changePorts, clusterWorld, deployed, leaseOf, told } from "./clusterWorld";

const certificates = ["pd-cluster-secret", "tikv-cluster-secret", "cluster-client-secret"].map((end) => ({
    secretName: `basic-${end}`,
    commonName: `basic-${end.replace("-secret", "")}`,
}));
const asked = {
    members: {},
    objects: "one",
    namespaceMaker: "nobody",
    mayGrant: false,
    sharesUser: true,
    traits: ["tls"],
    certificates,
    allowDowngrade: false,
};

/** Checks the cluster's first gate where these Secrets do not exist. @returns the warnings, and which Secrets were looked for. */
async function checked(
    absent: string[],
    { olds = {}, isHealthy = false, more = {}, failure }: Partial<Scene> = {},
): Promise<{ warnings: string[]; lookedFor: string[][]; failures: unknown; risks: unknown }> {
    const lookedFor: string[][] = [];
    const world = clusterWorld({
        live: {},
        lease: leaseOf({ pdClusterId: isHealthy ? "7" : undefined }),
    });
    changePorts(world, () => ({
        access: {
            ...grantedAccess,
            absentSecrets: (names) => {
                lookedFor.push([...names]);
                return failure ? Promise.reject(failure) : Promise.resolve(absent);
            },
        },
    }));
    const news = told({ prerequisites: { ...asked, ...more }, ...(more as { top?: object }).top });
    const { failures } = await createClusterGate(world).check(olds, news, true);
    const { risks } = await createClusterGate(world).planOf(olds, news);
    return { warnings: world.warnings, lookedFor: lookedFor.slice(0, 1), failures, risks };
}

interface Scene {
    olds: Record<string, unknown>;
    isHealthy: boolean;
    more: object;
    failure: Error;
}

const before = deployed({ prerequisites: asked });

describe("a preview of a cluster with TLS", () => {
    it("warns once for the cluster, with each Secret that does not exist and what creates it", async () => {
        const { warnings, failures, lookedFor, risks } = await checked([
            "basic-pd-cluster-secret",
            "basic-cluster-client-secret",
        ]);
        assert.deepEqual(warnings, [
            "namespace tidb lacks Secrets that TLS needs:\n" +
                "- basic-pd-cluster-secret: the certificate of basic-pd-cluster\n" +
                "- basic-cluster-client-secret: the certificate of basic-cluster-client\n" +
                "Create these Secrets first: a pod that mounts one does not start, and the update waits for it until its timeout. " +
                "A cert-manager Certificate with that secretName creates a Secret, or the program does; `requiredCertificates` lists what each certificate must be valid for",
        ]);
        assert.equal(failures, undefined);
        assert.deepEqual(risks, ["pods that need a missing Secret do not start"]);
        assert.deepEqual((await checked([])).risks, []);
        assert.deepEqual(lookedFor, [certificates.map(({ secretName }) => secretName)]);
    });

    it("says less if the program may create the Secret in the same update", async () => {
        const { warnings } = await checked(["basic-pd-cluster-secret"], { more: { mayGrant: true } });
        assert.match(
            warnings.join(),
            /lacks a Secret that .*\n- basic-pd-cluster-secret: .*\nIf something that the TidbCluster depends on creates this Secret, ignore this warning\. Otherwise a pod/,
        );
    });

    it("says nothing if no Secret is missing, or if it is not known", async () => {
        assert.deepEqual((await checked([])).warnings, []);
        const failure = new KubernetesApiError("answered 503", 503);
        assert.deepEqual((await checked([], { failure })).warnings, []);
    });

    it("looks again while the cluster was never healthy, and after that only if the program changed", async () => {
        const absent = ["basic-pd-cluster-secret"];
        assert.equal((await checked(absent, { olds: before })).warnings.length, 1);
        assert.deepEqual((await checked(absent, { olds: before, isHealthy: true })).lookedFor, []);
        const changed = { olds: before, isHealthy: true, more: { objects: "two" } };
        assert.equal((await checked(absent, changed)).warnings.length, 1);
    });

    it("does not look for Secrets without TLS, of a paused cluster, or while the namespace is not known", async () => {
        for (const more of [
            { certificates: undefined },
            { top: { paused: true } },
            { top: { namespace: unknownValue } },
        ]) {
            assert.deepEqual((await checked(["basic-pd-cluster-secret"], { more })).lookedFor, []);
        }
    });

    it("looks for the Secrets that the manifest requires", () => {
        const names = (spec: Parameters<typeof basic>[0]) => {
            const { manifest } = checkManifest(basic(spec));
            return prerequisiteInputs(renderMembers(manifest), undefined).certificates?.map(
                ({ secretName }) => secretName,
            );
        };
        assert.equal(names({}), undefined);
        assert.deepEqual(names({ tlsCluster: { enabled: true } }), [
            "basic-pd-cluster-secret",
            "basic-tikv-cluster-secret",
            "basic-tidb-cluster-secret",
            "basic-cluster-client-secret",
        ]);
    });
});
