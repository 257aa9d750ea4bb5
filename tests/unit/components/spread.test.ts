import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { checkManifest } from "../../../components/checkManifest";
import type { KubernetesFields } from "../../../components/kubernetes/pod";
import { clusterObjects } from "../../../components/render";
import { readyInputs } from "../../../components/gateInputs/clusterGates";
import { scaleInputs } from "../../../components/gateInputs/memberGates";
import { type OpenManifest, podOf, smallCluster } from "./manifests";

const hard = (member: string, change: (manifest: OpenManifest) => void): KubernetesFields | undefined =>
    ((podOf(member, change).topologySpreadConstraints ?? []) as KubernetesFields[]).find(
        ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
    );
const withTiflash = ({ spec }: OpenManifest, replicas = 3): object =>
    (spec.tiflash = { replicas, storageClaims: [{ resources: { requests: { storage: "1Gi" } } }] });

describe("the template that an update brings", () => {
    it("is what the gates know that decide about the dead: a crash on the former one is no reason to delete a volume", () => {
        const checked = checkManifest(smallCluster());
        const { templateRevision } = checked.members.pd!.facts;
        assert.equal(scaleInputs(checked, "pd", undefined).wantedTemplate, templateRevision);
        assert.equal(readyInputs(checked, undefined).wantedTemplates?.pd, templateRevision);
    });
});

describe("the default topologySpreadConstraints", () => {
    // tidb-operator pkg/scheduler/predicates/ha.go: PD max(1, (n+1)/2-1), TiKV ceil(n/3) from three on.
    for (const [member, replicas, most] of [
        ["pd", 3, 1],
        ["pd", 4, 1],
        ["pd", 5, 2],
        ["pd", 6, 2],
        ["pd", 7, 3],
        ["tikv", 3, 1],
        ["tikv", 4, 2],
        ["tikv", 6, 2],
        ["tikv", 7, 3],
        ["tiflash", 3, 1],
        ["tiflash", 5, 2],
    ] as const) {
        it(`allow at most ${most} of ${replicas} pods of ${member} on a node`, () => {
            const found = hard(member, (manifest) => {
                if (member === "tiflash") {
                    withTiflash(manifest);
                }
                manifest.spec[member].replicas = replicas;
            });
            assert.deepEqual(found, {
                maxSkew: most,
                // With as many nodes as pods or more, a difference of `maxSkew` is the same as `maxSkew` pods.
                minDomains: replicas,
                nodeTaintsPolicy: "Honor",
                topologyKey: "kubernetes.io/hostname",
                whenUnsatisfiable: "DoNotSchedule",
                labelSelector: { matchLabels: labelsOf(member) },
            });
        });
    }

    it("keep no pod of one or two from starting: no way to place them survives the loss of a node", () => {
        for (const replicas of [1, 2]) {
            for (const member of ["pd", "tikv"]) {
                assert.equal(
                    hard(member, ({ spec }) => (spec[member].replicas = replicas)),
                    undefined,
                );
            }
        }
    });

    it("prefer an even spread over nodes and zones", () => {
        const soft = (podOf("pd").topologySpreadConstraints as KubernetesFields[]).slice(1);
        assert.deepEqual(
            soft.map(({ maxSkew, topologyKey, whenUnsatisfiable }) => [maxSkew, topologyKey, whenUnsatisfiable]),
            [
                [1, "kubernetes.io/hostname", "ScheduleAnyway"],
                [1, "topology.kubernetes.io/zone", "ScheduleAnyway"],
            ],
        );
    });

    it("are not for members without data that a node must not take", () => {
        assert.equal(podOf("tidb").topologySpreadConstraints, undefined);
    });

    for (const [what, place] of [
        ["affinity", { affinity: { nodeAffinity: {} } }],
        ["topologySpreadConstraints", { topologySpreadConstraints: [{ topologyKey: "zone" }] }],
    ] as const) {
        it(`leave the pods to the user's ${what}, of the member or of the cluster`, () => {
            const keys = (member: string, change: (manifest: OpenManifest) => void): string[] =>
                ((podOf(member, change).topologySpreadConstraints ?? []) as KubernetesFields[]).map(
                    ({ topologyKey }) => topologyKey as string,
                );
            const own = what === "affinity" ? [] : ["zone"];
            assert.deepEqual(
                keys("pd", ({ spec }) => Object.assign(spec.pd, place)),
                own,
            );
            assert.deepEqual(
                keys("tikv", ({ spec }) => Object.assign(spec, place)),
                own,
            );
            assert.equal(keys("tikv", ({ spec }) => Object.assign(spec.pd, place)).length, 3);
        });
    }

    it("change nothing else: with `placement: off` the objects are those of version 0.1, whose pods must not restart", () => {
        const pinned = parse(readFileSync(join(__dirname, "pinned.yaml"), "utf8")) as KubernetesFields[];
        const off = clusterObjects(checkManifest(smallCluster(), [], { placement: "off" }));
        const templates = (objects: KubernetesFields[]): unknown =>
            objects
                .filter(({ kind }) => kind === "StatefulSet")
                .map(({ metadata, spec }) => {
                    const pod = { ...spec.template.spec };
                    delete pod.topologySpreadConstraints;
                    const revision = metadata.annotations["pulumi-tidb.io/template-revision"] as string;
                    return [revision.split("+")[0], pod];
                });
        assert.deepEqual(templates(off), templates(pinned));
        assert.ok(off.every(({ spec }) => spec?.template?.spec?.topologySpreadConstraints === undefined));
    });

    it("are what a ScaleGate is told of, with the template that they are not part of", () => {
        const checked = checkManifest(smallCluster());
        const { wantedSpread } = scaleInputs(checked, "pd", undefined);
        assert.equal(wantedSpread?.when, "with-changes");
        assert.equal(wantedSpread.templateRevision, checked.members.pd?.facts.templateRevision);
        assert.equal(scaleInputs(checked, "pd", { placement: "now" }).wantedSpread?.when, "now");
        const off = checkManifest(smallCluster(), [], { placement: "off" });
        assert.equal(scaleInputs(off, "pd", { placement: "off" }).wantedSpread, undefined);
    });
});

function labelsOf(member: string): object {
    return {
        "app.kubernetes.io/name": "tidb-cluster",
        "app.kubernetes.io/managed-by": "pulumi-tidb",
        "app.kubernetes.io/instance": "shop",
        "app.kubernetes.io/component": member,
    };
}
