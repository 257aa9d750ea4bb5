import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { objectsOf, smallCluster } from "./manifests";

const pinned = join(__dirname, "pinned.json");

/**
 * Every change of a pod's template restarts every pod of every user's cluster when this package is upgraded. So it is
 * never made unintentionally: what is rendered is pinned. After a change that is wanted, and stated in CHANGELOG.md,
 * run the tests once with PULUMI_TIDB_PIN=1.
 */
describe("the rendered objects", () => {
    it("are the same as in the last version", () => {
        const objects = [...objectsOf(smallCluster()).values()].map(withoutScripts);
        const text = `${JSON.stringify(objects, null, 2)}\n`;
        if (process.env.PULUMI_TIDB_PIN === "1") {
            writeFileSync(pinned, text);
        }
        assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(pinned, "utf8")));
    });
});

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
