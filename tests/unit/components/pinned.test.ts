import assert from "node:assert/strict";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { pinned } from "../../support/pinned";
import { objectsOf, smallCluster } from "./manifests";

/**
 * Every change of a pod's template restarts every pod of every user's cluster when this package is upgraded. So it is
 * never made unintentionally: what is rendered is pinned. After a change that is wanted, and stated in CHANGELOG.md,
 * run the tests once with PULUMI_TIDB_PIN=1.
 */
describe("the rendered objects", () => {
    for (const [name, file, manifest] of [
        ["a small cluster", "pinned.yaml", smallCluster()],
        ["a cluster of every member", "pinnedMembers.yaml", everyMember()],
    ] as const) {
        it(`of ${name} are the same as in the last version`, () => {
            const objects = [...objectsOf(manifest).values()].map(withoutScripts);
            const text = stringify(objects, { lineWidth: 0, aliasDuplicateObjects: false });
            assert.deepEqual(parse(text), parse(pinned(join(__dirname, file), text)));
        });
    }
});

function everyMember(): object {
    const member = { replicas: 1, config: {} };
    const stateful = { ...member, requests: { storage: "10Gi" } };
    return {
        metadata: { name: "shop", namespace: "stores" },
        spec: {
            version: "v8.5.3",
            pd: { ...stateful, mode: "ms" },
            pdms: [
                { name: "tso", replicas: 2 },
                { name: "scheduling", replicas: 1 },
            ],
            tikv: stateful,
            tidb: { ...member, service: { type: "ClusterIP" } },
            tiflash: { ...member, storageClaims: [{ resources: { requests: { storage: "10Gi" } } }] },
            ticdc: member,
            tiproxy: { ...stateful, version: "v1.3.0" },
            pump: stateful,
        },
    };
}

/** Scripts and the files of discovery have tests of their own. */
function withoutScripts(object: KubernetesObject): KubernetesObject {
    const copy = structuredClone(object);
    if (copy.kind === "ConfigMap") {
        copy.data = Object.fromEntries(
            Object.entries(copy.data as Record<string, string>)
                .filter(([key]) => !key.endsWith(".js"))
                .map(([key, text]) => [key, key === "startup-script" ? "<script>" : text]),
        );
    }
    const annotations = copy.kind === "Deployment" ? copy.spec.template.metadata.annotations : {};
    if (annotations["pulumi-tidb.io/files"] !== undefined) {
        annotations["pulumi-tidb.io/files"] = "<digest>";
    }
    return copy;
}
