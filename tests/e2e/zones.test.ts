import * as assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { codeBlocks, pageAt, root } from "../contract/docs/pages";
import { type Arena, describeOnEngine } from "../support/e2e/arena";
import { assertOk, assertUnchanged, dataLoaded, eventsOf, planOf, until } from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const page = "docs/upgrade.md";

/** The program that the page shows for a sandbox: the only one in its namespace `default` with batches of zones. */
function shownProgram(): string {
    const programs = codeBlocks(pageAt(page)).filter(({ code }) =>
        /namespace: "default"[^]*parallelism: "zone"/.test(code),
    );
    assert.equal(programs.length, 1);
    return programs[0].code;
}

/** So long that a store is still not Up when the next one of its batch stops, on a busy machine too. */
const slowStores = { storeUpAfterReadyMilliseconds: 4_000 };

describeOnEngine(`the program of ${page} for a sandbox`, define, { timings: slowStores });

/** Names of a zone by pod, and of the store's labels by pod. */
type ByPod = Record<string, string | undefined>;

function define(arena: () => Arena): void {
    let stack: ReturnType<typeof openStack>;
    let write: (version: string) => void;
    const allNodes = async () => arena().kubernetes.nodes();
    const nameOf = ({ metadata }: Awaited<ReturnType<typeof allNodes>>[number]) => metadata?.name ?? "";

    before(async () => {
        const folder = path.join(arena().folder, "zones-program");
        write = (version) => writeFileSync(path.join(folder, "index.ts"), shownProgram().replace("v8.5.3", version));
        mkdirSync(folder);
        symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
        writeFileSync(path.join(folder, "Pulumi.yaml"), "name: zones\nruntime: nodejs\nmain: index.ts\n");
        write("v8.5.3");
        stack = openStack(arena(), "default", folder, "mine");
        assertOk(await stack.run("up", { skipPreview: true }));
        await dataLoaded(stack.played());
    });

    /** The node of each pod, and its zone. */
    async function places(): Promise<{ nodes: ByPod; zones: ByPod }> {
        const nodes = Object.fromEntries((await allNodes()).map((node) => [nameOf(node), node.metadata?.labels ?? {}]));
        const pods = (await arena().kubernetes.pods("default")).map(
            ({ metadata, spec }) => [metadata?.name ?? "", spec?.nodeName ?? ""] as const,
        );
        return {
            nodes: Object.fromEntries(pods),
            zones: Object.fromEntries(pods.map(([pod, node]) => [pod, nodes[node]["topology.kubernetes.io/zone"]])),
        };
    }

    async function assertLabelled(): Promise<ByPod> {
        const { nodes, zones } = await places();
        const stores = stack.played().stores();
        assert.equal(stores.length, 6);
        const labels = (of: (pod: string) => object) => Object.fromEntries(stores.map(({ pod }) => [pod, of(pod)]));
        assert.deepEqual(
            Object.fromEntries(stores.map((store) => [store.pod, store.labels])),
            labels((pod) => ({ zone: zones[pod], host: nodes[pod] })),
        );
        const servers = Object.keys(nodes).filter((pod) => pod.startsWith("mine-tidb-"));
        assert.ok(servers.length > 0);
        for (const pod of servers) {
            const { labels: own } = stack.played().tidbProcess(pod);
            assert.deepEqual(own, { zone: zones[pod], host: nodes[pod] }, pod);
        }
        return zones;
    }

    it("after the deployment PD knows the zone and the host of each store, which gives itself no label", async () => {
        const zones = await assertLabelled();
        const ofStores = stack
            .played()
            .stores()
            .map(({ pod }) => zones[pod]);
        assert.equal(new Set(ofStores).size, 3);
        assertUnchanged(await stack.run("up", { skipPreview: false }));
    });

    it("PD keeps regions apart by the zones, and an upgrade restarts the stores of a zone side by side", async () => {
        const played = stack.played();
        const { zones } = await places();
        const stores = played.stores();
        write("v8.5.4");
        const plan = await until("PD has counted how regions are isolated", async () => {
            const steps = planOf(assertOk(await stack.run("preview")), "mine-tikv-rollout");
            return steps.some((step) => step.includes("in one batch")) ? steps : undefined;
        });
        const restarts = plan.filter((step) => step.startsWith("restart "));
        assert.equal(restarts.length, stores.length);
        for (const step of restarts) {
            const [, pod, other] =
                /^restart (\S+) .*in one batch with (\S+) \(proven by PD's pd_regions_label_level\)/.exec(step) ?? [];
            assert.equal(zones[pod], zones[other], step);
        }
        const before = played.events.length;
        assertOk(await stack.run("up", { skipPreview: true }));
        const podOf = new Map(stores.map(({ id, pod }) => [id, pod]));
        const stops = eventsOf(played, ["pod-stopped"], before).filter(({ component }) => component === "tikv");
        for (const { pod = "", otherStoresNotUp = [] } of stops) {
            const others = otherStoresNotUp.map((id) => podOf.get(id) ?? "");
            assert.deepEqual(
                [...new Set([pod, ...others].map((one) => zones[one]))],
                [zones[pod]],
                `${pod} beside ${others.join()}`,
            );
        }
        const zonesInTurn = stops.map(({ pod = "" }) => zones[pod]);
        assert.equal(zonesInTurn.length, stores.length);
        assert.equal(zonesInTurn.filter((zone, index) => zone !== zonesInTurn[index - 1]).length, 3);
        // On a busy machine a store may be back before the next one of its zone stops.
        assert.ok(
            stops.some(({ otherStoresNotUp = [] }) => otherStoresNotUp.length > 0),
            "side by side",
        );
    });

    it("stores whose pods moved out of a zone that is emptied are in their new zones to PD, once the update ends", async () => {
        const before = await assertLabelled();
        const emptied = before["mine-tikv-0"];
        const nodes = (await allNodes()).filter(
            ({ metadata }) => metadata?.labels?.["topology.kubernetes.io/zone"] === emptied,
        );
        await Promise.all(nodes.map((node) => arena().kubernetes.cordon(nameOf(node), true)));
        try {
            assertOk(await stack.run("up", { skipPreview: false }));
        } finally {
            await Promise.all(nodes.map((node) => arena().kubernetes.cordon(nameOf(node), false)));
        }
        const after = await assertLabelled();
        assert.notEqual(after["mine-tikv-0"], emptied);
        assert.ok(
            !stack
                .played()
                .stores()
                .some(({ labels }) => labels.zone === emptied),
        );
    });

    it("a node that gets another label: the preview names each of its stores, from and to, and the update sets them", async () => {
        const { nodes, zones } = await places();
        const [pod] = stack
            .played()
            .stores()
            .map((store) => store.pod);
        const node = nodes[pod] ?? "";
        await arena().kubernetes.labelNode(node, { "topology.kubernetes.io/zone": "zone-new" });
        const there = stack
            .played()
            .stores()
            .filter((store) => nodes[store.pod] === node)
            .sort((a, b) => a.pod.localeCompare(b.pod));
        const servers = Object.keys(nodes)
            .filter((of) => of.startsWith("mine-tidb-") && nodes[of] === node)
            .sort();
        assert.deepEqual(
            planOf(assertOk(await stack.run("preview")), "mine-ready"),
            [
                ...there.map(({ id, pod: of }) => [`store ${id} (${of})`, zones[of], "PD"]),
                ...servers.map((of) => [of, zones[of], "TiDB"]),
            ].map(
                ([what, from, list]) =>
                    `label ${what} (on node ${node}): zone from ${from} to zone-new; until ${list} lists them (~1 s)`,
            ),
        );
        assertOk(await stack.run("up", { skipPreview: false }));
        assert.equal((await assertLabelled())[pod], "zone-new");
        assertUnchanged(await stack.run("up", { skipPreview: false }));
    });
}
