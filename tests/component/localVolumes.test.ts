import * as assert from "node:assert/strict";
import { LocalVolumes } from "../../index";
import { refusesFields } from "../support/refusedFields";
import { patienceMilliseconds, readOutput, runProgram } from "./mockProgram";

describe("component: LocalVolumes", function () {
    this.timeout(patienceMilliseconds);
    const classes = [{ name: "local-ssd", hostDir: "/mnt/ssd" }];

    it("creates the provisioner after all that it needs, under the component", async () => {
        const { value, resources, find } = await runProgram(() => new LocalVolumes("disks", { classes }));
        const daemonSet = find("DaemonSet", "disks");
        const others = resources.filter(({ type }) => /^kubernetes:/.test(type) && !type.endsWith(":DaemonSet"));
        assert.deepEqual(others.map(({ type, name }) => `${type.split(":").at(-1)} ${name}`).sort(), [
            "ClusterRole disks",
            "ClusterRoleBinding disks",
            "ConfigMap disks",
            "ServiceAccount disks",
            "StorageClass disks-local-ssd",
        ]);
        for (const { type, name } of others) {
            assert.ok(daemonSet.dependencies.includes(`${type}::${name}`), name);
        }
        assert.ok([daemonSet, ...others].every(({ parent }) => parent.endsWith("LocalVolumes::disks")));
        assert.deepEqual((await readOutput(value.classNames)).value, ["local-ssd"]);
    });

    it("refuses wrong arguments before anything is created, with every error", async () => {
        await refusesFields(
            () => runProgram(() => new LocalVolumes("disks", { classes: [{ name: "A", hostDir: "mnt" }] })),
            ...["classes[0].name", "classes[0].hostDir"],
        );
    });
});
