import * as assert from "node:assert/strict";
import { copyFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { PulumiDriver } from "pulumi-tidb-sandbox/pulumi";
import { describeOnEngine } from "../support/e2e/arena";
import { assertOk, until } from "../support/e2e/expect";
import { kubernetesObjects, type KubernetesObjects } from "../support/e2e/kubernetesObjects";
import { RunningController } from "../support/e2e/runningController";
import { type ClusterStack, clusterStack, parameterisedProgram } from "../support/e2e/stack";

const small = { pd: { replicas: 1 }, tikv: { replicas: 3 }, tidb: { replicas: 1 } };
const component = "app.kubernetes.io/component";
/** A run of a program takes 10 s on an idle machine, and minutes on one that is busy. */
const patience = 500_000;
/** A test runs several, one after the other. */
const longest = 4 * patience;
const isCli = ({ kind }: PulumiDriver): boolean => kind === "pulumi-cli";

describeOnEngine(
    "objects that somebody deleted or edited",
    (arena) => {
        let stack: ClusterStack;
        let objects: KubernetesObjects;
        const controllers: RunningController[] = [];
        before(async function () {
            if (!isCli(arena().driver)) {
                this.skip();
            }
            stack = await clusterStack(arena(), "drifted");
            assertOk(await stack.up(small));
            objects = await kubernetesObjects(arena().sandbox.kubeconfig, "drifted");
        });
        afterEach(async function () {
            if (this.currentTest?.state === "failed") {
                for (const { lines } of controllers) {
                    console.log(lines.map((line) => JSON.stringify(line)).join("\n"));
                }
            }
            await Promise.all(controllers.splice(0).map((one) => one.end("SIGKILL")));
        });

        /** The program as users have it: its folder has the stack's configuration. */
        function programFolder(): string {
            const folder = path.join(arena().folder, "drifted-program");
            if (!existsSync(folder)) {
                cpSync(parameterisedProgram, folder, { recursive: true });
                symlinkSync(path.resolve(__dirname, "../../node_modules"), path.join(folder, "node_modules"));
            }
            copyFileSync(
                path.join(arena().folder, "drifted", "Pulumi.drifted.yaml"),
                path.join(folder, "Pulumi.drifted.yaml"),
            );
            return folder;
        }

        function control(...options: string[]): RunningController {
            const { sandbox, folder } = arena();
            const program = ["--program", programFolder(), "--stack", "drifted", "--check-every", "1"];
            const environment = {
                KUBECONFIG: sandbox.kubeconfig,
                PULUMI_BACKEND_URL: `file://${path.join(folder, "drifted")}`,
                PULUMI_CONFIG_PASSPHRASE: process.env.PULUMI_CONFIG_PASSPHRASE ?? "",
            };
            const fixed = ["--namespace", "drifted", "--act", "none", ...program];
            const one = new RunningController({ kubeconfig: sandbox.kubeconfig, environment }, ...fixed, ...options);
            controllers.push(one);
            return one;
        }

        it("are told while the cluster is looked at all the same, and nothing is changed", async () => {
            const controller = control();
            await until(
                "the first look",
                async () => /^pulumi_tidb_drift_last_look/m.test(await controller.page("/metrics")) || undefined,
                patience,
            );
            assert.equal(controller.said(/^somebody /), undefined, "an untouched cluster has not drifted");
            await objects.deleteService("demo-tidb");
            await objects.label("statefulset", "demo-tikv", component, "by-hand");
            await until("the Service", () => controller.said(/^somebody deleted Service demo-tidb$/), patience);
            await until(
                "the label",
                () => controller.said(/^somebody edited StatefulSet demo-tikv: metadata\.labels/),
                patience,
            );
            assert.match(
                await controller.page("/metrics"),
                /^pulumi_tidb_drifted_objects\{stack="drifted",namespace="drifted",cluster="demo",change="deleted"\} 1$/m,
            );
            const looks = async (): Promise<number> =>
                Number(
                    /^pulumi_tidb_drift_looks_total\{.*"success"\} (\d+)$/m.exec(
                        await controller.page("/metrics"),
                    )?.[1],
                );
            const before = await looks();
            await until("two more looks", async () => (await looks()) >= before + 2 || undefined, patience);
            const [onDeleted, onEdited] = [await objects.events("DriftDeleted"), await objects.events("DriftEdited")];
            assert.deepEqual([onDeleted.length, onEdited.length], [1, 1], "an Event for each, and none again");
            assert.match(onDeleted[0], /^Lease demo-pulumi-tidb: somebody deleted Service demo-tidb\. Next: /);
            assert.match(
                onEdited[0],
                /^StatefulSet demo-tikv: somebody edited StatefulSet demo-tikv: metadata\.labels/,
            );
            const described = await objects.describedEvents("demo-tikv");
            assert.ok(described.some((message) => message.startsWith("somebody edited StatefulSet demo-tikv: ")));
            assert.ok(controller.said(/^Ready: /), "the cluster's own loop runs beside it");
            assert.equal(await objects.hasService("demo-tidb"), false);
            assert.equal(await controller.end("SIGTERM"), 0);
        }).timeout(longest);

        it("are brought back with --apply, also if the same is edited again and again", async () => {
            const controller = control("--apply");
            await until("the Service", async () => (await objects.hasService("demo-tidb")) || undefined, patience);
            await until(
                "the label",
                async () => (await objects.labels("statefulset", "demo-tikv"))[component] === "tikv" || undefined,
                patience,
            );
            await until(
                "the end",
                () => controller.said(/^Service demo-tidb is as the program wants it again$/),
                patience,
            );
            await objects.label("statefulset", "demo-tikv", component, "once-more");
            await objects.label("configmap", "demo-pd", component, "by-hand");
            await until(
                "both labels",
                async () =>
                    ((await objects.labels("statefulset", "demo-tikv"))[component] === "tikv" &&
                        (await objects.labels("configmap", "demo-pd"))[component] === "pd") ||
                    undefined,
                patience,
            );
            assert.deepEqual(
                controller.lines.filter(({ level }) => level === "error"),
                [],
            );
            assert.equal(await controller.end("SIGTERM"), 0);
        }).timeout(longest);

        it("are only told if a gate has steps, or the program has changes of its own", async () => {
            const controller = control("--apply");
            await objects.scale("demo-tidb", 2);
            await until(
                "the refusal",
                () => controller.said(/^does not repair .*the gate demo-tidb-scale has steps to take/),
                patience,
            );
            assert.equal(await objects.replicas("demo-tidb"), 2);
            await objects.scale("demo-tidb", 1);
            assert.equal(await controller.end("SIGTERM"), 0);

            assertOk(await stack.up(small));
            // Another version is in the configuration, and nobody has run an update.
            assert.ok((await stack.preview({ ...small, version: "v8.5.3" })).ok);
            const other = control("--apply");
            await objects.deleteService("demo-tidb-peer");
            await until("the refusal", () => other.said(/^does not repair .*the program would /), patience);
            assert.equal(await objects.hasService("demo-tidb-peer"), false);
            assert.match(
                await other.page("/metrics"),
                /^pulumi_tidb_drift_repairs_total\{stack="drifted",result="refused"\} \d/m,
            );
            const images = Object.entries(await arena().kubernetes.images("drifted"))
                .filter(([pod]) => /^demo-(pd|tikv|tidb)-\d$/.test(pod))
                .map(([pod, image]) => `${pod} ${image.replace(/^.*:/, "")}`);
            assert.deepEqual(
                images.sort(),
                ["demo-pd-0", "demo-tidb-0", "demo-tikv-0", "demo-tikv-1", "demo-tikv-2"].map((pod) => `${pod} v8.5.2`),
                "never an upgrade",
            );
            assert.equal(await other.end("SIGTERM"), 0);
        }).timeout(longest);

        it("are not looked for by a preview that hangs: it is cancelled, and ends with the controller", async () => {
            const index = path.join(programFolder(), "index.js");
            const source = readFileSync(index, "utf8");
            const marks = path.join(arena().folder, "hangs");
            const hang = `require("node:fs").appendFileSync(${JSON.stringify(marks)}, process.pid + "\\n");
                setInterval(() => {}, 1000);
                module.exports = new Promise(() => {});`;
            const processes = (): number[] =>
                existsSync(marks) ? readFileSync(marks, "utf8").trim().split("\n").map(Number) : [];
            const runs = (id: number): boolean => existsSync(`/proc/${id}`);
            writeFileSync(index, hang);
            try {
                const controller = control("--preview-timeout", "60");
                await until(
                    "the problem",
                    () =>
                        controller.said(/^the program's preview failed: it did not end within 60 s and was cancelled/),
                    patience,
                );
                assert.match(
                    await controller.page("/metrics"),
                    /^pulumi_tidb_drift_looks_total\{stack="drifted",result="failure"\} [1-9]/m,
                );
                await until("its end", () => processes().every((id) => !runs(id)) || undefined, patience);
                assert.equal(await controller.end("SIGTERM"), 0);

                const before = processes().length;
                const other = control();
                await until("another preview", () => processes().length > before || undefined, patience);
                assert.equal(await other.end("SIGTERM"), 0);
                assert.ok(
                    processes().every((id) => !runs(id)),
                    "nothing of it goes on",
                );
                assert.deepEqual(
                    other.lines.filter(({ level }) => level === "error"),
                    [],
                    "that it was ended is no failure",
                );
            } finally {
                writeFileSync(index, source);
            }
        }).timeout(longest);
    },
    {
        prepare: (driver) =>
            Promise.resolve(isCli(driver) ? "by its Automation API" : "skipped: it needs the Pulumi CLI"),
    },
);
