import * as assert from "node:assert/strict";
import { controllerLog } from "../../../controller/controllerLog";
import { ControllerMetrics } from "../../../controller/controllerMetrics";
import { Controller, type ControllerPorts, watchedOf } from "../../../controller/runController";
import type { ClusterName } from "../../../provider/cluster/controllerCalls";
import type { ClusterStatus } from "../../../status/clusterStatus";
import { pinnedWords } from "../../support/pinned";
import { healthy, now, statusOf } from "../status/seenCluster";
import { seriesOf } from "./seriesOf";

const basic: ClusterName = { namespace: "tidb", cluster: "basic" };
const other: ClusterName = { namespace: "tidb", cluster: "other" };

describe("the clusters that a controller looks after", () => {
    it("are the named ones of their namespace, and all of a namespace without one", () => {
        const elsewhere = { namespace: "blue", cluster: "other" };
        assert.deepEqual(watchedOf([basic, other, elsewhere], [basic]), [basic, elsewhere]);
        assert.deepEqual(watchedOf([basic, other], []), [basic, other]);
    });
});

/** A controller in played time: every pause ends when its time has come, until the given end. */
function played({
    until = 60_000,
    leads = () => true,
    clusters = () => [basic],
    namespaces = ["tidb"],
    status = () => statusOf(healthy({})),
    takes = 0,
    renew = () => Promise.resolve(),
    more = {},
}: {
    until?: number;
    leads?: (at: number) => boolean;
    clusters?: (at: number, namespace?: string) => ClusterName[];
    namespaces?: string[];
    status?: () => ClusterStatus;
    /** How long a look takes, in milliseconds. */
    takes?: number;
    renew?: (at: number) => Promise<void>;
    more?: Pick<ControllerPorts, "certificates">;
}) {
    let at = 0;
    const pauses: { end: number; over: () => void }[] = [];
    const looks: string[] = [];
    const lines: string[] = [];
    const metrics = new ControllerMetrics(false);
    let released = false;
    const isStopped = (): boolean => at >= until;
    const ports: ControllerPorts = {
        leadership: {
            get isLeader() {
                return leads(at);
            },
            renew: () => renew(at),
            release: () => {
                released = true;
                return Promise.resolve();
            },
        },
        namespaces,
        findClusters: (namespace) => new Promise((resolve) => resolve(clusters(at, namespace))),
        read: ({ cluster }) => {
            looks.push(`${cluster} at ${Math.round(at / 1000)}`);
            const seen = status();
            return new Promise((resolve) => pauses.push({ end: at + takes, over: () => resolve(seen) }));
        },
        actions: [],
        log: controllerLog(
            "text",
            (line) => lines.push(line.slice(line.indexOf(" ") + 1)),
            () => now,
        ),
        metrics,
        pace: { every: 10_000, longest: 300_000 },
        now: () => now + at,
        machineTime: () => now + at,
        random: () => 0.5,
        isStopped,
        ...more,
        sleep: (milliseconds) =>
            isStopped() ? Promise.resolve() : new Promise((over) => pauses.push({ end: at + milliseconds, over })),
    };
    const controller = new Controller(ports);
    const texts: { at: number; text: string }[] = [];
    const run = async (): Promise<void> => {
        const done = controller.run();
        for (;;) {
            await new Promise((resolve) => setImmediate(resolve));
            const next = pauses.sort((one, two) => one.end - two.end).shift();
            if (next === undefined) {
                return done;
            }
            texts.push({ at, text: await metrics.text() });
            at = Math.max(at, next.end);
            next.over();
        }
    };
    /** What Prometheus was told last before this time. */
    const toldBefore = (time: number): string => texts.filter((one) => one.at < time).at(-1)?.text ?? "";
    return { controller, run, looks, lines, metrics, toldBefore, isReleased: () => released };
}

/** How many series Prometheus is told of the condition, of why the cluster is stuck, and of the last look. */
const state = (text: string) =>
    ["condition", "stuck", "last_look_timestamp_seconds"].map(
        (name) => Object.keys(seriesOf(text, `pulumi_tidb_cluster_${name}`)).length,
    );
/** The API server for a controller's Lease, which is silent after 10 s. */
const answers = (at: number) => (at < 10_000 ? Promise.resolve() : Promise.reject(new Error("no answer")));

describe("a controller", () => {
    it("looks at each cluster every 10 s, each from a time of its own", async () => {
        const { run, looks } = played({ until: 40_000, clusters: () => [basic, other] });
        await run();
        assert.deepEqual(
            looks.filter((look) => look.startsWith("basic")),
            ["basic at 5", "basic at 15", "basic at 25", "basic at 35"],
        );
        assert.equal(looks.filter((look) => look.startsWith("other")).length, 4);
    });

    it("looks at nothing while another one leads, and is ready all the same", async () => {
        const { controller, run, looks } = played({ leads: () => false });
        await run();
        assert.deepEqual(looks, []);
        assert.equal(controller.unready(), undefined);
    });

    it("stops to look when it no longer leads, and tells Prometheus only when it looked last", async () => {
        const { run, looks, metrics } = played({ leads: (at) => at < 20_000 });
        await run();
        assert.deepEqual(looks, ["basic at 5", "basic at 15"]);
        const text = await metrics.text();
        assert.deepEqual(state(text), [0, 0, 1]);
    });

    it("knows for how long a cluster has been stuck, also if it did not lead for a moment", async () => {
        const waiting = {
            digest: "a1b2c3d4",
            of: "roll out basic-pd",
            lets: "",
            change: null,
            by: "ci",
            since: "",
            heardAt: "",
            command: "",
        };
        const { run, toldBefore, lines } = played({
            until: 900_000,
            leads: (at) => at < 400_000 || at > 412_000,
            status: () => ({ ...statusOf(healthy({})), approvals: [waiting] }),
        });
        await run();
        const told = [500_000, 700_000].map((time) => seriesOf(toldBefore(time), "pulumi_tidb_cluster_stuck"));
        assert.deepEqual(
            told.map((reasons) => reasons['reason="WaitsForApproval"']),
            [0, 1],
        );
        assert.equal(lines.filter((line) => line.includes("Ready: ")).length, 1, "nor is the condition told again");
    });

    it("looks at the clusters of a namespace although another one cannot be listed, and tells so once", async () => {
        const { controller, run, looks, lines } = played({
            until: 120_000,
            namespaces: ["tidb", "gone"],
            clusters: (_, namespace) => {
                if (namespace === "gone") {
                    throw new Error("403 in namespace gone");
                }
                return [basic];
            },
        });
        await run();
        assert.equal(looks.length > 5, true);
        assert.equal(controller.unready(), undefined);
        assert.deepEqual(
            lines.filter((line) => line.startsWith("error")),
            ["error 403 in namespace gone"],
        );
    });

    it("still looks at the known clusters of a namespace that can no longer be listed", async () => {
        const { run, looks, lines } = played({
            until: 120_000,
            clusters: (at) => {
                if (at > 20_000) {
                    throw new Error("403 in namespace tidb");
                }
                return [basic];
            },
        });
        await run();
        assert.deepEqual(looks.slice(-1), ["basic at 115"]);
        assert.equal(lines.filter((line) => line.includes("gone")).length, 0);
    });

    it("forgets a cluster that is gone", async () => {
        // The cluster also goes during a look.
        for (const takes of [0, 25_000]) {
            const clusters = (at: number) => (at < 60_000 ? [basic] : []);
            const { run, metrics, toldBefore } = played({ until: 150_000, clusters, takes });
            await run();
            assert.deepEqual(
                [state(toldBefore(50_000)), state(await metrics.text())],
                [
                    [3, 3, 1],
                    [0, 0, 0],
                ],
            );
        }
    });

    it("is not ready once no renewal was answered for a minute", async () => {
        for (const [until, expected] of [
            [60_000, false],
            [75_000, true],
        ] as const) {
            const { controller, run } = played({ until, renew: answers });
            await run();
            assert.equal(controller.unready() !== undefined, expected);
            assert.equal(controller.unhealthy(), undefined);
        }
    });

    const clusters = (at: number) => (at < 60_000 ? [basic] : [other]);
    pinnedWords("controller", {
        "a cluster comes, and another one goes": async () => {
            const { run, lines } = played({ until: 120_000, clusters });
            await run();
            return lines.join("\n");
        },
        "why it is not ready: its Lease is not renewed": async () => {
            const { controller, run } = played({ until: 75_000, renew: answers });
            await run();
            return controller.unready() ?? "";
        },
        "why it is not ready: the clusters are not listed": async () => {
            const { controller, run } = played({ renew: () => Promise.reject(new Error("no answer")) });
            await run();
            return controller.unready() ?? "";
        },
    });

    it("finds clusters that come, and leaves those that go", async () => {
        const { run, looks } = played({ until: 120_000, clusters });
        await run();
        assert.equal(
            looks.some((look) => look.startsWith("other")),
            true,
        );
        assert.equal(looks.filter((look) => look.startsWith("basic")).length <= 7, true);
    });

    it("looks at nothing before the clusters are listed, and is not ready", async () => {
        const { controller, run, looks, lines } = played({ renew: () => Promise.reject(new Error("no answer")) });
        await run();
        assert.deepEqual(looks, []);
        assert.notEqual(controller.unready(), undefined);
        assert.deepEqual(
            lines.filter((line) => line.startsWith("error")),
            ["error no answer"],
        );
    });

    it("looks at certificates after a cluster's actions, and forgets them when it no longer leads", async () => {
        const told: string[] = [];
        const certificates = {
            look: ({ cluster }: ClusterName) => Promise.resolve(void told.push(`look at ${cluster}`)),
            rest: ({ cluster }: ClusterName) => void told.push(`forget ${cluster}`),
        };
        const { run } = played({ leads: (at) => at < 20_000, more: { certificates } });
        await run();
        assert.deepEqual(told, ["look at basic", "look at basic", "forget basic"]);
    });

    it("gives its Lease up at the end", async () => {
        const { run, isReleased } = played({});
        await run();
        assert.equal(isReleased(), true);
    });
});
