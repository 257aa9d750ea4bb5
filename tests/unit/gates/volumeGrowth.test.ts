import * as assert from "node:assert/strict";
import { createGate } from "../../../provider/gates/gate";
import { scaleGateDefinition } from "../../../provider/gates/scaleGate";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import { remakeOf } from "../../../provider/lifecycle/volumes/claimTemplates";
import { unknownValue } from "../../../provider/gates/inputs";
import { claimOf, now, observed } from "../../support/lifecycle/observations";
import { failsWith } from "../../support/failsWith";
import { codesOf, repeats } from "../../support/repeats";
import { eventOf } from "../lifecycle/diagnosis/podFacts";
import { changePorts, clusterWorld, type ClusterWorld, told as clusterTold } from "./clusterWorld";

const templatesOf = (storage: string) => [{ name: "tikv", storage, storageClass: "fast" }];
const told = (storage: string, desiredReplicas = 3) =>
    clusterTold({
        gate: "scale",
        component: "tikv",
        desiredReplicas,
        policy: defaultPolicy,
        fixed: { podManagementPolicy: "Parallel", serviceName: "", claims: templatesOf(storage) },
    });
const tikvOf = (sizes: string[], template = "10Gi", expands = true) => ({
    live: sizes.length,
    claimTemplates: templatesOf(template),
    claims: sizes.map((size, ordinal) =>
        claimOf("tikv", ordinal, {
            state: { phase: "Bound", hasSource: false, storageClass: "fast", requested: size, capacity: size },
            expands: known(expands, "the API server", now),
        }),
    ),
});
const world = (sizes: string[], template?: string, expands?: boolean) =>
    clusterWorld({ live: { tikv: tikvOf(sizes, template, expands) } });
const scale = (seen: ClusterWorld) => createGate(scaleGateDefinition, seen);

/** A driver that enlarges at once. */
function grows(seen: ClusterWorld, more: object = {}): void {
    const sizes = ["10Gi", "10Gi", "10Gi"];
    let template = "10Gi";
    seen.changes = (action) => {
        if (action.do === "grow-claims") {
            sizes[Number(action.pod.at(-1))] = action.claims[0].to;
        }
        if (action.do === "remake-stateful-set") {
            template = action.becomes.fixed.claims[0].storage;
        }
        seen.live.tikv = { ...tikvOf(sizes, template), ...more };
    };
}

describe("volumes that the program wants larger", () => {
    it("are steps of the preview: each volume, then the StatefulSet", async () => {
        const { inputs, failures } = await scale(world(["10Gi", "20Gi", "10Gi"])).check({}, told("20Gi"));
        const until = "until its file system has the size, which some drivers enlarge only when the pod starts";
        assert.deepEqual(inputs.plan, [
            `grow the volumes of basic-tikv-0 (10Gi to 20Gi): request tikv-basic-tikv-0 from 10Gi to 20Gi; ${until} (~60 s)`,
            `grow the volumes of basic-tikv-2 (10Gi to 20Gi): request tikv-basic-tikv-2 from 10Gi to 20Gi; ${until} (~60 s)`,
            "recreate StatefulSet basic-tikv (new pods get 20Gi for tikv): delete it without its pods, create it with the new claim templates (~10 s)",
        ]);
        assert.equal(failures, undefined);
    });

    it("are refused in the preview if their class does not let them grow", async () => {
        const { failures } = await scale(world(["10Gi", "10Gi"], "10Gi", false)).check({}, told("20Gi", 2));
        const [{ reason }] = failures ?? [];
        assert.ok(reason.includes("tikv-basic-tikv-0 cannot grow to 20Gi: StorageClass fast does not allow expansion"));
    });

    it("are nothing to do once they are", async () => {
        const seen = world(["20Gi", "20Gi", "20Gi"], "20Gi");
        const { inputs } = await scale(seen).check({}, told("20Gi"));
        assert.deepEqual([inputs.plan, seen.looks.length], [[], 1]);
    });

    it("grow one by one, and the StatefulSet is created again before the number of replicas changes", async () => {
        const seen = world(["10Gi", "10Gi", "10Gi"]);
        grows(seen);
        const news = told("20Gi", 4);
        const { inputs } = await scale(seen).check({}, news);
        await scale(seen).update("", {}, inputs);
        const actions = seen.done.filter((one) => ["grow-claims", "remake-stateful-set"].includes(one));
        assert.deepEqual(actions, ["grow-claims", "grow-claims", "grow-claims", "remake-stateful-set"]);
        assert.equal(seen.lease?.records.remakes, undefined);
    });

    it("grow while PD is down: its own disk may be full", async () => {
        const silent = { pdSilent: true };
        const seen = clusterWorld({ live: { tikv: { ...tikvOf(["10Gi", "10Gi", "10Gi"]), ...silent } } });
        grows(seen, silent);
        const { inputs } = await scale(seen).check({}, told("20Gi"));
        await scale(seen).update("", {}, inputs);
        assert.equal(seen.done.filter((one) => one === "grow-claims").length, 3);
        assert.ok(seen.done.includes("remake-stateful-set"));
    });

    it("fail with the driver's words where it tries again until the time is over: they stand in Events alone", async () => {
        const seen = world(["10Gi", "10Gi", "10Gi"]);
        const { inputs } = await scale(seen).check({}, told("20Gi"));
        seen.changes = () => {
            const [first, ...others] = tikvOf(["10Gi", "10Gi", "10Gi"]).claims;
            const state = { ...first.state!, requested: "20Gi", resize: { of: "volume" as const } };
            seen.live.tikv = { ...tikvOf(["10Gi", "10Gi", "10Gi"]), claims: [{ ...first, state }, ...others] };
        };
        const growing = new Set<string>();
        changePorts(seen, () => ({
            diagnose: (request) => {
                request.growing?.forEach((name) => growing.add(name));
                const event = eventOf("VolumeResizeFailed", "rpc error: code = ResourceExhausted", { type: "Warning" });
                const claim = known({ status: { phase: "Bound" } }, "the API server", 0);
                const claims = [{ name: "tikv-basic-tikv-0", claim, events: known([event], "the API server", 0) }];
                return Promise.resolve({ pods: [], certificates: [], unread: [], claims });
            },
        }));
        const names = ["10Gi of 20Gi", "VolumeResizeFailed", "ResourceExhausted"];
        await failsWith(scale(seen).update("", {}, inputs), "volume-grown", { names });
        assert.deepEqual([...growing], ["tikv-basic-tikv-0"]);
    });

    it("have nothing to ask PD", async () => {
        const seen = clusterWorld({ live: { tikv: { ...tikvOf(["10Gi"]), pdSilent: true } } });
        const { inputs } = await scale(seen).check({}, told("20Gi", 1));
        assert.equal(inputs.deferred, "");
        assert.ok(seen.looks.every(({ pd }) => pd.length === 0));
    });

    it("leave the number of replicas unknown in the preview where a volume is added: the API server takes no template with it yet", async () => {
        const replicas = async (names: string[], isPreview: boolean) => {
            const claims = names.map((name) => ({ ...templatesOf("10Gi")[0], name }));
            const more = { ...told("10Gi"), fixed: { podManagementPolicy: "Parallel", serviceName: "", claims } };
            return (await scale(world(["10Gi", "10Gi", "10Gi"])).check({}, more, isPreview)).inputs.replicas;
        };
        assert.equal(await replicas(["tikv"], true), 3);
        assert.equal(await replicas(["tikv", "tikv-log"], true), unknownValue);
        assert.equal(await replicas(["tikv", "tikv-log"], false), 3);
    });

    it("of another number are refused in the preview together with another number of replicas", async () => {
        const claims = [...templatesOf("10Gi"), { ...templatesOf("10Gi")[0], name: "tikv-log" }];
        const more = { ...told("10Gi", 4), fixed: { podManagementPolicy: "Parallel", serviceName: "", claims } };
        const { failures } = await scale(world(["10Gi", "10Gi", "10Gi"])).check({}, more);
        const [{ reason }] = failures ?? [];
        assert.match(reason, /spec\.tikv\.storageVolumes.*tikv-log.*together with 3 to 4 replicas/);
    });

    it("are remarked where a user has made them larger than the program says", async () => {
        const { inputs, remarks } = await scale(world(["10Gi", "30Gi", "20Gi"])).planOf({}, told("10Gi"));
        assert.deepEqual([inputs.plan, codesOf(remarks)], [[], ["volumes-larger"]]);
        repeats(remarks, "tikv-basic-tikv-1 (30Gi) and 1 more claim are larger than the program's 10Gi");
    });

    it("leave a StatefulSet that a killed run has deleted as the first thing to finish", async () => {
        const { observation, target } = observed("tikv", tikvOf(["10Gi", "10Gi", "10Gi"]));
        const { manifest, ...statefulSet } = observation.members.tikv!.statefulSet!;
        const remake = remakeOf({ ...statefulSet, manifest: manifest! }, target.component, templatesOf("20Gi"));
        const seen = world(["20Gi", "20Gi", "20Gi"]);
        seen.lease = { ...seen.lease!, records: { ...noRecords(), remakes: { tikv: remake } } };
        changePorts(seen, ({ look }) => ({
            look: async (...how) => {
                const all = await look(...how);
                const tikv = { ...all.members.tikv!, statefulSet: undefined };
                return { ...all, members: { ...all.members, tikv } };
            },
        }));
        const { inputs } = await scale(seen).check({}, told("20Gi"));
        assert.deepEqual(
            (inputs.plan as string[]).map((line) => line.split(":")[0]),
            ["recreate StatefulSet basic-tikv (an earlier run has deleted it without its pods)"],
        );
    });
});
