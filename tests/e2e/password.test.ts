import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { loadKubeConfig } from "../../provider/cluster/kubeConfig";
import { PodForwards } from "../../provider/cluster/podForwards";
import { SqlLogin } from "../../provider/cluster/sqlLogin";
import { ports } from "../../topology/ports";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertUnchanged,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { clusterStack, type TestStack } from "../support/e2e/stack";

const one = { pd: { replicas: 1 }, tikv: { replicas: 1 } };
const plain = { ...one, tidb: { replicas: 1 } };
const asking = { ...one, tidb: { replicas: 1, initializer: { createPassword: true } } };

describeOnEngine("a password for root", (arena) => {
    /** Logs in to the pod as it is now, as a user does who has a kubeconfig. */
    const letsIn = async (namespace: string, password: string): Promise<boolean> => {
        const forwards = new PodForwards(
            await loadKubeConfig({ kubeconfig: arena().sandbox.kubeconfig }),
            namespace,
            ports.tidb.sql,
        );
        try {
            return await new SqlLogin(forwards).isAccepted({ name: "demo-tidb-0", uid: "" }, password);
        } finally {
            forwards.keepOnly([]);
        }
    };
    const secretOf = async (namespace: string): Promise<string | undefined> =>
        (await arena().kubernetes.secrets(namespace))["demo-init"]?.root;
    const stateOf = ({ namespace }: TestStack): string => {
        const folder = path.join(arena().folder, namespace);
        const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
        assert.ok(files.length > 0, `no state in ${folder}`);
        return files.map((file) => readFileSync(path.join(file.parentPath, file.name), "utf8")).join("\n");
    };

    it("is set by the first deployment, and neither in the state nor in the output; then an update finds nothing to do", async () => {
        const stack = await clusterStack(arena(), "password");
        const first = assertOk(await stack.up(asking, { skipPreview: false }));
        assert.match(first.output, /create Secret demo-init with a random password/);
        const password = (await secretOf("password")) ?? "";
        assert.match(password, /^[\w-]{13,}$/);
        assert.equal(stack.played().rootPassword(), password);
        assert.equal(await letsIn("password", ""), false);
        assert.equal(await letsIn("password", password), true);

        const since = stack.played().pdCalls.length;
        const again = [await stack.preview(asking), await stack.up(asking)];
        again.forEach(assertUnchanged);
        assert.ok(stack.played().pdCalls.length - since <= 6);
        assert.match(stateOf(stack), /PasswordGate/);
        for (const text of [stateOf(stack), ...[first, ...again].map((run) => JSON.stringify(run))]) {
            assert.ok(!text.includes(password), "the password is in the state or in an output");
        }

        // A restarted server knows it still, as the cluster's data do.
        await arena().kubernetes.deletePod("password", "demo-tidb-0");
        await until("TiDB stopped", () => stoppedPods(stack.played()).includes("demo-tidb-0") || undefined);
        await until(
            "TiDB serves again",
            async () => (await letsIn("password", password).catch(() => false)) || undefined,
        );
        assert.equal(await letsIn("password", ""), false);
        await assertNothingLeft(arena(), stack);

        assertOk(await stack.destroy(asking));
        assert.equal(await secretOf("password"), password, "it stays with the volumes");

        const kept = await arena().kubernetes.claims("password");
        assert.deepEqual(
            kept.map(({ metadata }) => [metadata?.name, metadata?.annotations?.["pulumi-tidb.io/version"]]).sort(),
            ["pd", "tikv"].map((member) => [`${member}-demo-${member}-0`, "v8.5.2"]),
        );
        const older = { ...asking, version: "v8.1.2" };
        assertFailed(
            await stack.preview(older),
            /spec\.version: found v8\.1\.2, but claim pd-demo-pd-0 was last used by v8\.5\.2, claim tikv-demo-tikv-0 was/,
        );
    });

    it("is set by the next update where one was killed between the Secret and SQL", async () => {
        const stack = await clusterStack(arena(), "password-kill");
        assertOk(await stack.up(plain));
        stack.played().faults.tidb["demo-tidb-0"] = { sqlUnresponsive: true };
        const run = stack.startUp(asking);
        const password = await until("the Secret is made", () => secretOf("password-kill"));
        run.kill();
        await run.done;
        assert.equal(stack.played().rootPassword(), "");
        delete stack.played().faults.tidb["demo-tidb-0"];

        const preview = assertOk(await stack.preview(asking));
        assert.deepEqual(planOf(preview, "demo-tidb-password"), [
            "set the password in Secret demo-init for root, unless root has a different one",
        ]);
        assertOk(await stack.up(asking));
        assert.equal(await secretOf("password-kill"), password);
        assert.equal(stack.played().rootPassword(), password);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.up(asking));
    });

    it("is not forced on a root that has one: a warning says so, once", async () => {
        const stack = await clusterStack(arena(), "password-own");
        assertOk(await stack.up(plain));
        stack.played().setRootPassword("chosen-by-hand");
        const preview = assertOk(await stack.preview(asking));
        assert.deepEqual(planOf(preview, "demo-tidb-password"), [
            "create Secret demo-init with a random password",
            "set the password in Secret demo-init for root, unless root has a different one",
        ]);
        const run = assertOk(await stack.up(asking));
        assert.match(
            run.output,
            /createPassword: root already has a password and keeps it: the one in Secret password-own\/demo-init is not root's password/,
        );
        assert.equal(stack.played().rootPassword(), "chosen-by-hand");
        const again = await stack.up(asking);
        assertUnchanged(again);
        assert.doesNotMatch(again.output, /root already has a password/);
    });
});
