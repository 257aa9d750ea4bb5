import * as assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { codeBlocks, root } from "../contract/docs/pages";
import { type Arena, describeOnEngine } from "../support/e2e/arena";
import { assertOk, dataLoaded, eventsOf, planOf, until } from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";

const page = "docs/upgrade.md";
const heading = "### Try it in a sandbox\n";

/** The program that the page shows for a sandbox. */
function shownProgram(): string {
    const text = readFileSync(path.join(root, page), "utf8");
    const section = text.slice(text.indexOf(heading) + heading.length).split("\n### ")[0];
    const [program, ...others] = codeBlocks({ path: page, text: section }).filter(({ language }) => language === "ts");
    assert.deepEqual(others, []);
    return program.code;
}

/** So long that a store is still not Up when the next one of its batch stops, on a busy machine too. */
const slowStores = { storeUpAfterReadyMilliseconds: 4_000 };

describeOnEngine(`the program of ${page} for a sandbox`, define, { timings: slowStores });

function define(arena: () => Arena): void {
    it("its stores know their zones, PD keeps regions apart by them, and an upgrade restarts those of a zone side by side", async () => {
        const folder = path.join(arena().folder, "zones-program");
        const write = (version: string) =>
            writeFileSync(path.join(folder, "index.ts"), shownProgram().replace("v8.5.3", version));
        mkdirSync(folder);
        symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
        writeFileSync(path.join(folder, "Pulumi.yaml"), "name: zones\nruntime: nodejs\nmain: index.ts\n");
        write("v8.5.3");
        const stack = openStack(arena(), "default", folder, "mine");
        assertOk(await stack.run("up", { skipPreview: true }));
        const played = stack.played();
        await dataLoaded(played);

        const pods = await arena().kubernetes.pods("default");
        const nodes = await arena().kubernetes.nodes();
        const zoneOf = (pod: string) => {
            const node = pods.find(({ metadata }) => metadata?.name === pod)?.spec?.nodeName;
            return nodes.find(({ metadata }) => metadata?.name === node)?.metadata?.labels?.[
                "topology.kubernetes.io/zone"
            ];
        };
        const stores = played.stores();
        assert.deepEqual(
            stores.map(({ labels }) => labels.zone),
            stores.map(({ pod }) => zoneOf(pod)),
        );
        assert.equal(new Set(stores.map(({ labels }) => labels.zone)).size, 3);

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
            assert.equal(zoneOf(pod), zoneOf(other), step);
        }
        const before = played.events.length;
        assertOk(await stack.run("up", { skipPreview: true }));
        const podOf = new Map(stores.map(({ id, pod }) => [id, pod]));
        const stops = eventsOf(played, ["pod-stopped"], before).filter(({ component }) => component === "tikv");
        for (const { pod = "", otherStoresNotUp = [] } of stops) {
            const others = otherStoresNotUp.map((id) => podOf.get(id) ?? "");
            assert.deepEqual(
                [...new Set([pod, ...others].map(zoneOf))],
                [zoneOf(pod)],
                `${pod} beside ${others.join()}`,
            );
        }
        const zonesInTurn = stops.map(({ pod = "" }) => zoneOf(pod));
        assert.equal(zonesInTurn.length, stores.length);
        assert.equal(zonesInTurn.filter((zone, index) => zone !== zonesInTurn[index - 1]).length, 3);
        // On a busy machine a store may be back before the next one of its zone stops.
        assert.ok(
            stops.some(({ otherStoresNotUp = [] }) => otherStoresNotUp.length > 0),
            "side by side",
        );
    });
}
