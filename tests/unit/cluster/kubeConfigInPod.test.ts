import * as assert from "node:assert/strict";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";

describe("the kubeconfig of a process in a pod", () => {
    const kept = { ...process.env };
    const inPod = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
    beforeEach(() => Object.assign(process.env, inPod, { HOME: "/nobody" }));
    afterEach(() => {
        process.env = { ...kept };
    });

    it("is its service account if there is none, as for the Kubernetes provider", async () => {
        const config = await loadKubeConfig({}, undefined, inPod);
        assert.equal(config.getCurrentCluster()?.server, "https://10.96.0.1:443");
    });

    it("is the one that KUBECONFIG names, even if that does not exist", async () => {
        await assert.rejects(
            loadKubeConfig({}, undefined, { ...inPod, KUBECONFIG: "/does/not/exist" }),
            /KUBECONFIG names \/does\/not\/exist, which does not exist/,
        );
    });

    it("is the one that is given, even if that does not exist", async () => {
        await assert.rejects(
            loadKubeConfig({ kubeconfig: "/does/not/exist" }, undefined, inPod),
            /\/does\/not\/exist, given as `kubeconfig`, does not exist/,
        );
    });

    it("is an error outside of a pod", async () => {
        await assert.rejects(loadKubeConfig({}, undefined, {}), /found no kubeconfig: KUBECONFIG is not set/);
    });

    it("has no context that could be chosen", async () => {
        await assert.rejects(
            loadKubeConfig({ context: "production" }, undefined, inPod),
            /the service account of this pod\) has no context "production"/,
        );
    });
});
