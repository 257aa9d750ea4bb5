import * as assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { Registry } from "prom-client";
import { controllerLog } from "../../../../controller/controllerLog";
import { DriftMetrics } from "../../../../controller/drift/driftMetrics";
import { DriftWatch } from "../../../../controller/drift/driftWatch";
import { previewedProgram } from "../../../../controller/drift/previewedProgram";
import type { PreviewRun, ProgramRuns } from "../../../../controller/drift/programRuns";
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import type { ObjectEvent } from "../../../../provider/lifecycle/journal/objectEvents";
import { failed, gate, refreshed, service, statefulSet, step } from "./programEvents";

const conflict = "server-side apply field conflict detected";

function seen(events: readonly EngineEvent[]): PreviewRun {
    const program = previewedProgram(events);
    const [problem] = program.errors;
    return problem === undefined
        ? program
        : { ...program, failure: { problem, isConflict: program.errors.every((one) => one === conflict) } };
}

const fine = [refreshed(service, []), step("same", service)];
const isGone = [refreshed(service, "gone"), step("create", service)];

/** A watch whose program shows these events, round by round. */
function watched({
    looks,
    plain = [step("same", service)],
    planned = isGone,
    applies = true,
    repair = () => Promise.resolve(),
    write = () => undefined,
}: {
    looks: (readonly EngineEvent[])[];
    plain?: readonly EngineEvent[];
    planned?: readonly EngineEvent[];
    applies?: boolean;
    repair?: (signal: AbortSignal) => Promise<void>;
    /** What the API server says of the Events. */
    write?: () => Error | undefined;
}) {
    const calls: string[] = [];
    const lines: string[] = [];
    const waits: number[] = [];
    const events: { namespace: string; event: ObjectEvent }[] = [];
    const left = [...looks];
    const registry = new Registry();
    const runs: ProgramRuns = {
        preview: (refresh) => {
            calls.push(refresh ? "refresh" : "plain");
            return Promise.resolve(seen(refresh ? (left.shift() ?? fine) : plain));
        },
        plan: (force) => {
            calls.push(force ? "plan by force" : "plan");
            return Promise.resolve({
                ...seen(planned),
                repair: (signal) => {
                    calls.push("repair");
                    return repair(signal);
                },
                close: () => {
                    calls.push("close");
                    return Promise.resolve();
                },
            });
        },
    };
    let ended: Promise<void> = Promise.resolve();
    const watch: DriftWatch = new DriftWatch({
        runs,
        stack: "prod",
        applies,
        log: controllerLog(
            "json",
            (line) => {
                const { level, message } = JSON.parse(line) as { level: string; message: string };
                lines.push(`${level} ${message}`);
            },
            () => 0,
        ),
        metrics: new DriftMetrics(registry),
        pace: { every: 600_000, longest: 3_600_000 },
        machineTime: () => 5_000,
        random: () => 0.5,
        write: (namespace, told) => {
            events.push(...told.map((event) => ({ namespace, event })));
            return Promise.resolve(write());
        },
        sleep: (milliseconds) => {
            waits.push(milliseconds);
            if (left.length === 0) {
                ended = watch.end(false);
            }
            return new Promise((resolve) => setImmediate(resolve));
        },
    });
    return {
        watch,
        calls,
        lines,
        waits,
        events,
        run: async () => {
            watch.begin();
            while (left.length > 0) {
                await new Promise((resolve) => setImmediate(resolve));
            }
            const text = await registry.metrics();
            await new Promise((resolve) => setImmediate(resolve));
            await ended;
            return text;
        },
        metrics: () => registry.metrics(),
    };
}

describe("A watch for drift", () => {
    it("runs one preview each time while nothing has drifted", async () => {
        const { run, calls, lines } = watched({ looks: [fine, fine, fine] });
        await run();
        assert.deepEqual(calls, ["refresh", "refresh", "refresh"]);
        assert.deepEqual(lines, []);
    });

    it("tells drift once, and its end, and changes nothing unless it may", async () => {
        const { run, calls, lines } = watched({ looks: [isGone, isGone, fine], applies: false });
        await run();
        assert.deepEqual(calls, ["refresh", "refresh", "refresh"]);
        assert.deepEqual(lines, [
            "warn somebody deleted Service basic-tidb",
            "info Service basic-tidb is as the program wants it again",
        ]);
    });

    it("repairs what the preview of the repair alone shows, and looks again", async () => {
        const { run, calls, lines, metrics } = watched({ looks: [isGone, fine] });
        await run();
        assert.deepEqual(calls, ["refresh", "plain", "plan", "repair", "close", "refresh"]);
        assert.deepEqual(lines.slice(1), [
            "info brings back what drifted, and nothing else",
            "info Service basic-tidb is as the program wants it again",
        ]);
        assert.match(await metrics(), /pulumi_tidb_drift_repairs_total\{stack="prod",result="success"\} 1/);
    });

    const refusals: [title: string, more: Partial<Parameters<typeof watched>[0]>, why: RegExp][] = [
        [
            "the program itself would change something",
            { plain: [step("update", service)] },
            /the program would update Service/,
        ],
        ["a gate has steps to take", { plain: [step("update", gate)] }, /the gate basic-tikv-rollout has steps/],
        ["the preview of the repair shows more", { planned: [...isGone, step("update", gate)] }, /the gate/],
    ];
    for (const [title, more, why] of refusals) {
        it(`only tells, and says why once, if ${title}`, async () => {
            const { run, calls, lines, metrics } = watched({ looks: [isGone, isGone], ...more });
            await run();
            assert.ok(!calls.includes("repair"));
            const told = lines.filter((line) => line.startsWith("warn does not repair what drifted: "));
            assert.equal(told.length, 1);
            assert.match(told[0], why);
            assert.match(await metrics(), /repairs_total\{stack="prod",result="refused"\} 2/);
        });
    }

    for (const [title, more] of [
        ["the plain preview", { plain: [failed("PD does not answer")] }],
        ["the preview of the repair", { planned: [...isGone, failed("PD does not answer")] }],
    ] as const) {
        it(`repairs nothing if ${title} fails: what is not known is no permission`, async () => {
            const { run, calls, lines } = watched({ looks: [isGone], ...more });
            await run();
            assert.ok(!calls.includes("repair"));
            assert.match(lines.at(-1) ?? "", /^error .*PD does not answer$/);
        });
    }

    it("tells what a failed preview saw, and takes nothing for repaired that it did not come to", async () => {
        const broken = [failed("PD does not answer")];
        const { run, lines } = watched({ looks: [[...isGone, ...broken], broken] });
        await run();
        assert.deepEqual(lines, [
            "warn somebody deleted Service basic-tidb",
            "error the program's preview failed: PD does not answer",
        ]);
    });

    it("writes an Event once for what drifted: on an edited object, and for a deleted one on the Lease of its cluster", async () => {
        const isEdited = [refreshed(statefulSet, ["metadata.labels.x"]), step("update", statefulSet)];
        const both = [...isGone, ...isEdited];
        const { run, events } = watched({ looks: [both, both, both], applies: false });
        await run();
        const next = "Next: `pulumi preview --refresh --stack prod` shows what an update with it would bring back";
        assert.deepEqual(events, [
            {
                namespace: "tidb",
                event: {
                    object: { kind: "Lease", name: "basic-pulumi-tidb" },
                    reason: "DriftDeleted",
                    note: `somebody deleted Service basic-tidb. ${next}`,
                    isWarning: true,
                },
            },
            {
                namespace: "tidb",
                event: {
                    object: { apiVersion: "apps/v1", kind: "StatefulSet", name: "basic-tikv", uid: "uid-basic-tikv" },
                    reason: "DriftEdited",
                    note: `somebody edited StatefulSet basic-tikv: metadata.labels.x. ${next}`,
                    isWarning: true,
                },
            },
        ]);
    });

    it("writes an Event again when an object drifts otherwise, or once more after it was as wanted", async () => {
        const isEdited = [refreshed(service, ["spec.type"]), step("update", service)];
        const { run, events } = watched({ looks: [isGone, isEdited, fine, isEdited], applies: false });
        await run();
        assert.deepEqual(
            events.map(({ event }) => event.reason),
            ["DriftDeleted", "DriftEdited", "DriftEdited"],
        );
    });

    it("says once which permission its Events need, and goes on", async () => {
        const denied = new KubernetesApiError("create an Event: forbidden", 403);
        const isEdited = [refreshed(service, ["spec.type"]), step("update", service)];
        const { run, lines } = watched({ looks: [isGone, isEdited], applies: false, write: () => denied });
        await run();
        const told = lines.filter((line) =>
            line.startsWith("warn Kubernetes Events of drift were not written: create"),
        );
        assert.equal(told.length, 1);
        assert.match(told[0], /grant .* \[events\.k8s\.io\], resources: \[events\], verbs: \[create\]/);
        assert.ok(lines.some((line) => /somebody edited Service/.test(line)));
    });

    it("takes an object that a failed preview did not come to for edited only if it is to be changed", async () => {
        const added = refreshed(statefulSet, ["metadata.annotations.x"]);
        const { run, lines, events } = watched({ looks: [[added, failed("PD does not answer")]], applies: false });
        await run();
        assert.deepEqual(lines, ["error the program's preview failed: PD does not answer"]);
        assert.deepEqual(events, []);
    });

    it("says that the program could be run again", async () => {
        const { run, lines } = watched({ looks: [[failed("PD does not answer")], fine] });
        await run();
        assert.equal(lines.at(-1), "info the program could be run again");
    });

    it("looks through a conflict of field managers, and forces nothing but the preview of the repair", async () => {
        const { run, calls } = watched({ looks: [[refreshed(service, ["spec.type"]), failed(conflict)], fine] });
        await run();
        assert.deepEqual(calls.slice(0, 4), ["refresh", "plain", "plan by force", "repair"]);
    });

    it("waits longer after each failure, up to an hour, and as usual after a success", async () => {
        const broken = [failed("locked")];
        const { run, waits, lines, metrics } = watched({ looks: [broken, broken, broken, broken, fine] });
        await run();
        assert.deepEqual(waits.slice(1, 6), [1_200_000, 2_400_000, 3_600_000, 3_600_000, 600_000]);
        assert.equal(lines.filter((line) => line.startsWith("error")).length, 1, "the same problem is told once");
        assert.match(await metrics(), /drift_looks_total\{stack="prod",result="failure"\} 4/);
    });

    it("counts drifted objects for each cluster, 0 without drift", async () => {
        const one = await watched({ looks: [isGone, isGone], applies: false }).run();
        assert.match(one, /drifted_objects\{stack="prod",namespace="tidb",cluster="basic",change="deleted"\} 1/);
        assert.match(one, /drifted_objects\{stack="prod",namespace="tidb",cluster="basic",change="edited"\} 0/);
        assert.match(one, /drift_last_look_timestamp_seconds\{stack="prod"\} 5/);
    });

    it("asks the run under way to end, waits for it, and begins nothing after it", async () => {
        let asked = false;
        const { watch, calls, lines } = watched({
            looks: [isGone, fine],
            repair: (signal) => {
                void watch.end(false);
                asked = signal.aborted;
                return Promise.reject(new Error("update canceled"));
            },
        });
        watch.begin();
        while (!calls.includes("close")) {
            await new Promise((resolve) => setImmediate(resolve));
        }
        await watch.end(false);
        assert.equal(asked, true);
        assert.deepEqual(calls.slice(-2), ["repair", "close"]);
        assert.ok(!lines.some((line) => line.startsWith("error")), "that it was ended is no failure");
    });

    it("does not ask a run twice that a terminal has asked: Pulumi would end it at once", async () => {
        let asked: boolean | undefined;
        const { watch, calls } = watched({
            looks: [isGone, fine],
            repair: (signal) => {
                void watch.end(true);
                asked = signal.aborted;
                return Promise.resolve();
            },
        });
        watch.begin();
        while (!calls.includes("close")) {
            await new Promise((resolve) => setImmediate(resolve));
        }
        await watch.end(true);
        assert.equal(asked, false);
    });

    it("runs once at a time, however often it is told to begin", async () => {
        const { watch, calls, run } = watched({ looks: [fine, fine] });
        watch.begin();
        watch.begin();
        await run();
        assert.equal(calls.length, 2);
    });
});
