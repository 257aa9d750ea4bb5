import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { liveSources } from "../../../plan/planSources";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { addressOf } from "../../../provider/cluster/kubernetesTarget";

describe("the Kubernetes cluster that a plan names", () => {
    for (const [server, shown] of [
        ["https://k8s.example:6443", "https://k8s.example:6443"],
        ["https://k8s.example/clusters/one", "https://k8s.example/clusters/one"],
        ["https://alice:hunter2@k8s.example:6443/", "https://k8s.example:6443"],
        ["https://k8s.example?token=hunter2#hunter2", "https://k8s.example"],
        ["hunter2", "unknown"],
        ["", "unknown"],
    ]) {
        it(`is ${shown} for the server ${JSON.stringify(server)}`, () => assert.equal(addressOf(server), shown));
    }

    it("comes from the chosen context, or from the current one, and reveals nothing about the user", async () => {
        const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-read-from-"));
        const names = ["east", "west"];
        const kubeconfig = join(folder, "kubeconfig");
        const content = {
            clusters: names.map((name) => ({ name, cluster: { server: `https://u:p@${name}.example` } })),
            users: names.map((name) => ({ name: `user-${name}`, user: { token: "hunter2" } })),
            contexts: names.map((name) => ({ name, context: { cluster: name, user: `user-${name}` } })),
            "current-context": "east",
        };
        try {
            writeFileSync(kubeconfig, JSON.stringify(content));
            const of = async (context?: string) =>
                liveSources(await loadKubeConfig({ kubeconfig, context })).kubernetes;
            assert.deepEqual(await of(), { context: "east", server: "https://east.example" });
            assert.deepEqual(await of("west"), { context: "west", server: "https://west.example" });
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});
