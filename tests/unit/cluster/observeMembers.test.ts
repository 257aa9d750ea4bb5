import type {
    V1ControllerRevision,
    V1PersistentVolumeClaim,
    V1Pod,
    V1StatefulSet,
} from "@kubernetes/client-node" with {
    "resolution-mode": "import",
};
import * as assert from "node:assert/strict";
import type { NodeAnswer } from "../../../provider/cluster/containerState";
import {
    type ClaimTemplates,
    type MemberReads,
    observeMembers,
    type NodesToRead,
} from "../../../provider/cluster/observeMembers";
import type { ListedClaim } from "../../../provider/cluster/listCalls";
import type { BoundVolume } from "../../../provider/lifecycle/vocabulary/boundVolume";
import type { Room } from "../../../provider/lifecycle/vocabulary/drain";
import { type Fact, known, type NotKnown, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { SpreadConstraint } from "../../../provider/lifecycle/vocabulary/spread";
import type { VolumePlace } from "../../../provider/lifecycle/vocabulary/volumePlace";
import type { Component } from "../../../topology/members";

const id = { namespace: "tidb", cluster: "basic", instance: "shop" };
const labelsOf = (component: string, instance = "shop") => ({
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/component": component,
});
const claim = (name: string, labels?: Record<string, string>): V1PersistentVolumeClaim => ({
    metadata: { name, uid: `uid of ${name}`, labels },
});
const runningStatus = { name: "tikv", image: "", imageID: "", ready: true, restartCount: 0 };
const crashed = (name: string, nodeName: string): V1Pod => ({
    metadata: { name, uid: name },
    spec: { containers: [], nodeName },
    status: {
        containerStatuses: [
            {
                name: "tikv",
                image: "",
                imageID: "",
                ready: false,
                restartCount: 1,
                state: { waiting: { reason: "x" } },
            },
        ],
    },
});

/** Kubernetes with these objects, that writes down what is read of it. */
class World implements MemberReads {
    statefulSets: Record<string, V1StatefulSet> = {};
    allPods: V1Pod[] = [];
    wholePods: V1Pod[] = [];
    allClaims: V1PersistentVolumeClaim[] = [];
    allRevisions: V1ControllerRevision[] = [];
    refusal: NotKnown | undefined;
    read: string[] = [];

    statefulSet(name: string) {
        return this.note(`StatefulSet ${name}`, this.statefulSets[name]);
    }
    pods(components: readonly Component[]) {
        return this.note(`pods of ${components.join(" ")}`, this.allPods);
    }
    wholePod(name: string) {
        return this.note(
            `pod ${name}`,
            this.wholePods.find(({ metadata }) => metadata?.name === name),
        );
    }
    claims(isWhole?: boolean) {
        return this.note(isWhole ? "whole claims" : "claims", this.allClaims);
    }
    node(name: string): Promise<NodeAnswer> {
        return this.note<NodeAnswer>(`node ${name}`, { status: { conditions: [{ type: "Ready", status: "True" }] } });
    }
    time(): Promise<number | undefined> {
        return this.note<number | undefined>("time", Date.parse("2026-01-01T01:00:00Z"));
    }
    room({ metadata }: V1Pod, _at: number, under?: readonly SpreadConstraint[]): Promise<Fact<Room>> {
        const within = under === undefined ? "" : ` within ${under.map(({ maxSkew }) => maxSkew).join()}`;
        const fact = known<Room>({ is: "somewhere", nodes: [] }, "the API server", 5);
        return this.note<Fact<Room>>(`room for ${metadata?.name}${within}`, fact);
    }
    place(name: string): Promise<Fact<VolumePlace>> {
        return this.note<Fact<VolumePlace>>(`place of ${name}`, known({ is: "unbound" }, "the API server", 5));
    }
    volume({ metadata, spec }: ListedClaim): Promise<Fact<BoundVolume | undefined>> {
        return this.note<Fact<BoundVolume | undefined>>(
            `volume of ${metadata?.name} (${spec?.volumeName})`,
            known(undefined, "the API server", 5),
        );
    }
    expands(name: string): Promise<Fact<boolean>> {
        return this.note<Fact<boolean>>(`class ${name}`, known(name === "grows", "the API server", 5));
    }
    revisions(component: Component, at: number, isNeeded: boolean): Promise<Fact<V1ControllerRevision[]>> {
        const fact = this.refusal ?? known(this.allRevisions, "the API server", at);
        return this.note<Fact<V1ControllerRevision[]>>(
            `revisions of ${component}${isNeeded ? ", which are needed" : ""}`,
            fact,
        );
    }
    private note<T>(what: string, answer: T): Promise<T> {
        this.read.push(what);
        return Promise.resolve(answer);
    }
}

describe("members, as gates observe them", () => {
    let world: World;
    beforeEach(() => (world = new World()));
    const observe = (components: readonly Component[], wanted: ClaimTemplates = {}) =>
        observeMembers(world, id, components, wanted, () => 5);
    const claimsOf = async (component: Component, wanted?: ClaimTemplates) =>
        (await observe([component], wanted))[0].claims.map(({ name }) => name);

    it("have claims that were created beforehand or restored, which have no labels", async () => {
        world.allClaims = [claim("tikv-basic-tikv-0"), claim("tikv-basic-tikv-10", { app: "restored" })];
        assert.deepEqual(await claimsOf("tikv"), ["tikv-basic-tikv-0", "tikv-basic-tikv-10"]);
    });

    it("have the state of their claims, if that is asked for", async () => {
        const dataSource = { kind: "VolumeSnapshot", name: "monday" };
        const states = [
            { status: { phase: "Bound" } },
            { spec: { dataSource }, status: { phase: "Pending" } },
            { spec: { dataSourceRef: dataSource }, status: { phase: "Pending" } },
            { spec: {}, status: {} },
            {},
        ];
        world.allClaims = states.map((state, ordinal) => ({ ...claim(`tikv-basic-tikv-${ordinal}`), ...state }));
        const [{ claims }] = await observeMembers(world, id, ["tikv"], {}, () => 5, { claimStates: true });
        assert.deepEqual(
            claims.map(({ state }) => [state?.phase, state?.hasSource]),
            [
                ["Bound", false],
                ["Pending", true],
                ["Pending", true],
                ["unknown", false],
                ["unknown", false],
            ],
        );
        assert.ok(world.read.includes("whole claims"));
        const [usual] = await observe(["tikv"]);
        assert.ok(usual.claims.every((one) => !("state" in one)));
    });

    it("have the marks of their claims: whose they were, and whether a user made them; an id without a mark says nothing", async () => {
        const mark = "tidb.pingcap.com/pvc-defer-deleting";
        const id = "pulumi-tidb.io/released-id";
        const at = "2026-01-01T00:00:00Z";
        const marks: Record<string, string>[] = [
            { [mark]: at, [id]: "7" },
            { [mark]: at },
            { [mark]: "by-hand" },
            { [id]: "7" },
            { [mark]: at, [id]: "" },
        ];
        world.allClaims = marks.map((annotations, ordinal) => {
            const one = claim(`tikv-basic-tikv-${ordinal}`);
            return { ...one, metadata: { ...one.metadata, annotations } };
        });
        const [{ claims }] = await observe(["tikv"]);
        assert.deepEqual(
            claims.map(({ released, releasedId, releasedByHand }) => [released, releasedId, releasedByHand]),
            [
                [true, "7", undefined],
                [true, undefined, undefined],
                [true, undefined, true],
                [false, undefined, undefined],
                [true, undefined, undefined],
            ],
        );
    });

    it("have the claims of the live templates and of those that the program wants", async () => {
        const template = { metadata: { name: "raft" } };
        world.statefulSets["basic-tikv"] = { spec: { volumeClaimTemplates: [template] } as V1StatefulSet["spec"] };
        world.allClaims = ["raft", "tikv-wal", "foreign"].map((one) => claim(`${one}-basic-tikv-1`));
        assert.deepEqual(await claimsOf("tikv"), ["raft-basic-tikv-1"]);
        assert.deepEqual(await claimsOf("tikv", { tikv: ["tikv-wal"] }), [
            "raft-basic-tikv-1",
            "tikv-wal-basic-tikv-1",
        ]);
    });

    it("have labelled claims of templates that no longer exist, and none of another cluster", async () => {
        world.allClaims = [
            claim("old-basic-tikv-1", labelsOf("tikv")),
            claim("old-basic-tikv-2", labelsOf("tikv", "another")),
            claim("old-basic-tikv-3", labelsOf("tiflash")),
            claim("backup-7", labelsOf("tikv")),
            claim("tikv-other-tikv-4"),
            claim("tikv-my-basic-tikv-5"),
            claim("tikv-basic-tikv-06"),
            claim("tikv-basic-tikv-6-copy"),
        ];
        assert.deepEqual(await claimsOf("tikv"), ["old-basic-tikv-1"]);
    });

    it("are read with one list of pods and one of claims, and no node if all containers run", async () => {
        await observe(["pd", "tikv", "tidb"]);
        const sets = ["StatefulSet basic-pd", "StatefulSet basic-tikv", "StatefulSet basic-tidb"];
        assert.deepEqual(world.read, [...sets, "pods of pd tikv tidb", "claims"]);
        world.read = [];
        assert.deepEqual(await observe([]), []);
        assert.deepEqual(world.read, []);
    });

    it("are read with each node once, only for pods that are not Ready or whose own container does not run", async () => {
        world.allPods = [crashed("basic-tikv-0", "a"), crashed("basic-tikv-1", "a"), crashed("stranger-tikv-0", "b")];
        const [{ pods }] = await observe(["tikv"]);
        assert.deepEqual(
            world.read.filter((what) => what.startsWith("node")),
            ["node a"],
        );
        assert.ok(pods.every(({ container }) => container.known && container.value.is === "stopped"));
    });

    it("are matched by the whole name: tikv's pods are not pd's", async () => {
        const pod = (name: string): V1Pod => ({ metadata: { name } });
        world.allPods = ["basic-tikv-1", "basic-tikv-0", "basic-pd-0"].map(pod);
        const names = (await observe(["pd", "tikv"])).map(({ pods }) => pods.map((one) => one.name));
        assert.deepEqual(names, [["basic-pd-0"], ["basic-tikv-0", "basic-tikv-1"]]);
    });

    it("are in the order of their ordinals, pods and claims, whatever the order of the list", async () => {
        world.allPods = [2, 10, 0, 1].map((one): V1Pod => ({ metadata: { name: `basic-tikv-${one}` } }));
        world.statefulSets["basic-tikv"] = {
            spec: { volumeClaimTemplates: [{ metadata: { name: "raft" } }] } as V1StatefulSet["spec"],
        };
        const names = ["tikv-basic-tikv-10", "raft-basic-tikv-2", "tikv-basic-tikv-2", "raft-basic-tikv-10"];
        world.allClaims = names.map((one) => claim(one));
        const [{ pods, claims }] = await observe(["tikv"]);
        assert.deepEqual(
            pods.map(({ ordinal }) => ordinal),
            [0, 1, 2, 10],
        );
        assert.deepEqual(
            claims.map(({ name }) => name),
            ["raft-basic-tikv-2", "tikv-basic-tikv-2", "raft-basic-tikv-10", "tikv-basic-tikv-10"],
        );
    });

    it("include no pod without a name, and ask no node for a pod without a node", async () => {
        world.allPods = [{}, { metadata: {} }, { metadata: { name: "basic-tikv-0" } }];
        const [{ pods }] = await observe(["tikv"]);
        assert.deepEqual(
            pods.map(({ name, container }) => [name, container.known && container.value.is]),
            [["basic-tikv-0", "not-started"]],
        );
        assert.deepEqual(
            world.read.filter((what) => what.startsWith("node")),
            [],
        );
    });

    it("are read with the zone of every pod if that is asked for, each node once", async () => {
        const pod = (ordinal: number, nodeName?: string): V1Pod => ({
            metadata: { name: `basic-tikv-${ordinal}` },
            spec: { containers: [], nodeName },
            status: {
                conditions: [{ type: "Ready", status: "True" }],
                containerStatuses: [{ ...runningStatus, state: { running: { startedAt: new Date(0) } } }],
            },
        });
        world.allPods = [
            pod(0, "one"),
            pod(1, "two"),
            pod(2, "one"),
            pod(3),
            pod(4, "gone"),
            pod(5, "hidden"),
            pod(6, "old"),
        ];
        const zone = "topology.kubernetes.io/zone";
        const answers: Record<string, NodeAnswer> = {
            one: { metadata: { labels: { [zone]: "a" } } },
            two: { metadata: { labels: {} } },
            gone: "absent",
            hidden: { trouble: "could not read node hidden: 403" },
            old: { metadata: { labels: { "failure-domain.beta.kubernetes.io/zone": "b" } } },
        };
        const asked: string[] = [];
        world.node = (name) => {
            asked.push(name);
            return Promise.resolve(answers[name]);
        };
        const [member] = await observeMembers(world, id, ["tikv"], {}, () => 5, { zones: true });
        const shown = member.pods.map(({ node, zone: fact }) => [
            node,
            fact?.known ? (fact.value ?? "none") : fact?.why,
        ]);
        assert.deepEqual(shown, [
            ["one", "a"],
            ["two", "none"],
            ["one", "a"],
            [undefined, undefined],
            ["gone", "node gone is not in the cluster"],
            ["hidden", "could not read node hidden: 403"],
            ["old", "b"],
        ]);
        const labels = member.pods.map(({ nodeLabels: fact }) => (fact?.known ? fact.value : fact?.why));
        assert.deepEqual(labels.slice(0, 2), [{ [zone]: "a" }, {}]);
        assert.deepEqual(labels.slice(3, 6), [
            undefined,
            "node gone is not in the cluster",
            "could not read node hidden: 403",
        ]);
        assert.deepEqual(asked, ["one", "two", "gone", "hidden", "old"]);
        asked.length = 0;
        await observeMembers(world, id, ["tikv"], {}, () => 5);
        assert.deepEqual(asked, [], "not for a decision: nodes are cluster-wide, and every pod runs");
    });
});

describe("pods on nodes that are being emptied, as gates observe them", () => {
    const pods = ["basic-tikv-0", "basic-tikv-1"].map((name, index) => ({
        ...crashed(name, `node-${index}`),
        status: {
            conditions: [{ type: "Ready", status: "True" }],
            containerStatuses: [{ ...runningStatus, state: { running: {} } }],
        },
    }));
    const observe = async (nodes: object, live: V1StatefulSet[] = []) => {
        const world = new World();
        world.statefulSets = Object.fromEntries(live.map((one) => ["basic-tikv", one]));
        world.allPods = pods;
        const [member] = await observeMembers(world, id, ["tikv"], {}, () => 5, nodes);
        return { seen: member.pods.map(({ drain, room }) => [drain?.known, room?.known]), read: world.read };
    };

    it("cost one call for each node, and those of one pod only where another node is looked for", async () => {
        const { seen, read } = await observe({ drains: true, rooms: ["basic-tikv-1"] });
        assert.deepEqual(seen, [
            [true, undefined],
            [true, true],
        ]);
        assert.deepEqual(read.filter((one) => /node|room/.test(one)).sort(), [
            "node node-0",
            "node node-1",
            "room for basic-tikv-1",
        ]);
    });

    it("are looked for another node under the constraints with which they start there: the template's, or those asked about", async () => {
        const spread = (maxSkew: number) => [
            { maxSkew, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" },
        ];
        const template = { spec: { containers: [], topologySpreadConstraints: spread(2) } };
        const live = { metadata: { name: "basic-tikv" }, spec: { selector: {}, serviceName: "", template } };
        const rooms = ["basic-tikv-1"];
        const roomIn = async (nodes: object, sets: V1StatefulSet[]) =>
            (await observe(nodes, sets)).read.filter((one) => one.startsWith("room"));
        assert.deepEqual(await roomIn({ rooms }, [live]), ["room for basic-tikv-1 within 2"]);
        assert.deepEqual(await roomIn({ rooms, roomsUnder: spread(5) }, [live]), ["room for basic-tikv-1 within 5"]);
        const bare = { ...live, spec: { ...live.spec, template: { spec: { containers: [] } } } };
        assert.deepEqual(await roomIn({ rooms }, [bare]), ["room for basic-tikv-1 within "]);
    });

    it("cost nothing if nobody asks", async () => {
        const { seen, read } = await observe({});
        assert.deepEqual([seen.flat().filter(Boolean), read.filter((one) => /node|room/.test(one))], [[], []]);
    });
});

describe("volumes, as gates observe them to know what is lost with a node", () => {
    it("cost calls only for the claims of pods that are not Ready, or not there", async () => {
        const world = new World();
        const ready = { conditions: [{ type: "Ready", status: "True" }] };
        world.allPods = [
            { ...crashed("basic-tikv-0", "one"), status: { ...ready, containerStatuses: [runningStatus] } },
            crashed("basic-tikv-1", "two"),
        ];
        world.allClaims = [0, 1, 2].map((ordinal) => claim(`tikv-basic-tikv-${ordinal}`));
        const places = async (also: object) => {
            world.read = [];
            const [{ claims }] = await observeMembers(world, id, ["tikv"], {}, () => 5, also);
            return [claims.map(({ place }) => place?.known), world.read.filter((one) => one.startsWith("place"))];
        };
        assert.deepEqual(await places({ volumePlaces: true }), [
            [undefined, true, true],
            ["place of tikv-basic-tikv-1", "place of tikv-basic-tikv-2"],
        ]);
        assert.deepEqual(await places({}), [[undefined, undefined, undefined], []]);
    });
});

describe("volumes, as the last gate observes them for their reclaim policy", () => {
    it("are read for the members that have one, by the claims that neither are released nor go", async () => {
        const world = new World();
        const named = (name: string, metadata: object = {}): V1PersistentVolumeClaim => ({
            metadata: { ...claim(name).metadata, name, uid: name, ...metadata },
            spec: { volumeName: `pv-of-${name}` },
        });
        world.allClaims = [
            named("tikv-basic-tikv-0"),
            named("tikv-basic-tikv-1", {
                annotations: { "tidb.pingcap.com/pvc-defer-deleting": "2026-01-01T00:00:00Z" },
            }),
            named("tikv-basic-tikv-2", { deletionTimestamp: new Date() }),
            named("ticdc-basic-ticdc-0"),
        ];
        const seen = await observeMembers(world, id, ["tikv", "ticdc"], {}, () => 5, { volumesOf: ["tikv"] });
        assert.deepEqual(
            seen.map(({ claims }) => claims.map(({ volume }) => volume?.known)),
            [[true, undefined, undefined], [undefined]],
        );
        const read = world.read.filter((one) => /claims|volume/.test(one));
        assert.deepEqual(read, ["whole claims", "volume of tikv-basic-tikv-0 (pv-of-tikv-basic-tikv-0)"]);
    });
});

describe("the templates of a member's revisions, as a plan observes them", () => {
    const revision = (name: string, digest?: string): V1ControllerRevision => ({
        metadata: { name, annotations: digest === undefined ? {} : { "pulumi-tidb.io/template-revision": digest } },
        revision: 1,
    });
    let older: unknown;
    const observe = async (
        podRevision: string,
        also: NodesToRead,
        revisions: V1ControllerRevision[] | NotKnown,
        generation = 2,
    ) => {
        const world = new World();
        world.statefulSets["basic-tikv"] = {
            metadata: { name: "basic-tikv", generation },
            status: { replicas: 1, observedGeneration: 2, updateRevision: "basic-tikv-b" },
        };
        const labels = { ...labelsOf("tikv"), "controller-revision-hash": podRevision };
        world.allPods = [{ metadata: { name: "basic-tikv-0", uid: "u", labels }, spec: { containers: [] } }];
        if (Array.isArray(revisions)) {
            world.allRevisions = revisions;
        } else {
            world.refusal = revisions;
        }
        const [member] = await observeMembers(world, id, ["tikv"], {}, () => 5, also);
        const seen = member.revisions;
        older = seen?.known ? seen.value.changes : undefined;
        const byTemplate = seen?.known ? seen.value.byTemplate : seen;
        return [byTemplate, world.read.filter((one) => one.startsWith("revisions"))];
    };
    const asked = ["revisions of tikv"];
    const forWords = { revisions: "for-words" } as const;
    const found = { A: "basic-tikv-a", B: "basic-tikv-b", "": "basic-tikv-c" };
    const both = [revision("basic-tikv-a", "A"), revision("basic-tikv-b", "B"), revision("basic-tikv-c")];

    it("are read if a pod runs another revision than the newest, and the plan asks", async () => {
        assert.deepEqual(await observe("basic-tikv-a", forWords, both), [found, asked]);
        assert.deepEqual(await observe("basic-tikv-b", forWords, both), [undefined, []]);
        assert.deepEqual(await observe("basic-tikv-a", {}, both), [undefined, []]);
    });

    it("are read if the controller has not seen the template, and nothing tells then where they differ from it", async () => {
        assert.deepEqual(await observe("basic-tikv-b", forWords, both, 3), [found, asked]);
        assert.deepEqual(older, {});
    });

    it("tell where the newest one differs, by fields and names of items, without values, which may be secret", async () => {
        const env = (value: string, more: object[] = []) => ({ name: "tikv", env: [...more, { name: "TZ", value }] });
        const template = (container: object, metadata = {}, command = ["a"]) => ({
            spec: { template: { metadata, spec: { containers: [container], initContainers: [{ command }] } } },
        });
        const listed = [
            { ...both[0], data: template(env("UTC"), {}, ["a", "b"]) },
            { ...both[1], data: template(env("CET", [{ name: "X" }]), { annotations: { "a.b/c": "1" } }) },
            { ...both[2], data: template(env("CET", [{ name: "X" }]), { annotations: { "a.b/c": "1" } }) },
        ];
        await observe("basic-tikv-a", forWords, listed);
        assert.deepEqual(older, {
            "basic-tikv-a": [
                "metadata.annotations",
                "spec.containers.tikv.env.TZ.value",
                "spec.containers.tikv.env.X",
                "spec.initContainers",
            ],
            "basic-tikv-c": [],
        });
        await observe("basic-tikv-a", forWords, [listed[0]]);
        assert.deepEqual(older, {}, "the newest one is not listed");
        await observe("basic-tikv-a", forWords, both);
        assert.deepEqual(older, {}, "without what is in them");
    });

    it("are not known where somebody has changed the template by hand, which has the same digest, or where nobody says them", async () => {
        const edited = [...both, revision("basic-tikv-d", "A")];
        assert.deepEqual(await observe("basic-tikv-a", forWords, edited), [{ ...found, A: "" }, asked]);
        assert.deepEqual(await observe("basic-tikv-a", forWords, []), [{}, asked]);
        const unsaid = notKnown("the API server answered 503");
        assert.deepEqual(await observe("basic-tikv-a", forWords, unsaid), [unsaid, asked]);
    });

    it("are said to be needed where a decision depends on them", async () => {
        const [, read] = await observe("basic-tikv-a", { revisions: "needed" }, both);
        assert.deepEqual(read, ["revisions of tikv, which are needed"]);
    });
});

describe("a pod that is not Ready, as gates observe it to know whether it is dead", () => {
    const time = "2026-01-01T01:00:00Z";
    const before = (seconds: number) => new Date(Date.parse(time) - seconds * 1000);
    const pod = (nodeName: string | undefined, ready = "False"): V1Pod => ({
        metadata: { name: "basic-tikv-0", creationTimestamp: before(900) },
        spec: { containers: [], nodeName },
        status: { conditions: [{ type: "Ready", status: ready, lastTransitionTime: before(400) }] },
    });
    const node = (status: string, lastTransitionTime?: Date): NodeAnswer => ({
        status: { conditions: [{ type: "Ready", status, reason: "NodeStatusUnknown", lastTransitionTime }] },
    });
    const observe = async (one: V1Pod, answer: NodeAnswer, world = new World()) => {
        world.allPods = [one];
        world.node = () => Promise.resolve(answer);
        const [member] = await observeMembers(world, id, ["tikv"], {}, () => 5, { deaths: true });
        const [{ death, readyAtLeast }] = member.pods;
        return { death, readyAtLeast, read: world.read };
    };

    const rows: [string, V1Pod, NodeAnswer, object | string][] = [
        [
            "a node that is not Ready, and since when",
            pod("one"),
            node("Unknown", before(360)),
            { is: "not-ready", for: 360_000, reason: "NodeStatusUnknown" },
        ],
        [
            "a node that itself reports that it is not Ready, by its own clock",
            pod("one"),
            node("False", before(360)),
            { is: "not-ready", for: 360_000, reason: "NodeStatusUnknown", byOwnClock: true },
        ],
        ["a node that is Ready", pod("one"), node("True"), { is: "ready" }],
        ["a node that is gone", pod("one"), "absent", { is: "absent" }],
        ["no node", pod(undefined), "absent", { is: "unscheduled" }],
        ["a node that may not be read", pod("one"), { trouble: "403" }, "403"],
        ["a node without a Ready condition", pod("one"), { status: {} }, "node one has no Ready condition"],
        [
            "a node that is not Ready since nobody knows when",
            pod("one"),
            node("False"),
            "Kubernetes does not say since when",
        ],
    ];
    for (const [title, one, answer, expected] of rows) {
        it(`has ${title}`, async () => {
            const { death } = await observe(one, answer);
            assert.deepEqual(death!.node.known ? death!.node.value : death!.node.why, expected);
            assert.deepEqual(death!.notReadyFor.known && death!.notReadyFor.value, 400_000);
        });
    }

    it("is measured by the clocks of the control plane alone: without its time nothing is known", async () => {
        const world = new World();
        world.time = () => Promise.resolve(undefined);
        const { death } = await observe(pod("one"), node("Unknown", before(360)), world);
        assert.deepEqual([death!.node.known, death!.notReadyFor.known], [false, false]);
    });

    it("has lasted no less than nothing, if its clock is ahead", async () => {
        const { death } = await observe(pod("one"), node("Unknown", before(-60)));
        assert.deepEqual(death!.node.known && death!.node.value, {
            is: "not-ready",
            for: 0,
            reason: "NodeStatusUnknown",
        });
    });

    describe("that is Ready, and whose process has ended before", () => {
        const times = { startedAt: new Date(5), finishedAt: new Date(7) };
        const own = { ...runningStatus, restartCount: 3, lastState: { terminated: { exitCode: 1, ...times } } };
        const listed = pod("one", "True");
        const restarted: V1Pod = { ...listed, status: { ...listed.status, containerStatuses: [own] } };
        const written = (seconds: number, subresource?: string) => ({
            manager: "kubelet",
            subresource,
            time: before(seconds),
        });
        const whole = (managedFields: object[] | undefined, more: object = {}): V1Pod =>
            ({ ...restarted, metadata: { ...restarted.metadata, managedFields, ...more } }) as V1Pod;
        const readyOf = async (...wholePods: V1Pod[]) => {
            const world = new World();
            world.wholePods = wholePods;
            const { readyAtLeast } = await observe(restarted, node("True"), world);
            return readyAtLeast?.known ? readyAtLeast.value : readyAtLeast?.why;
        };

        it("is Ready for as long as the API server has seen no change of its status, whatever its node's clock says", async () => {
            assert.equal(await readyOf(whole([written(2, "status")])), 2000);
            assert.equal(await readyOf(whole([written(900, "status"), written(30, "status")])), 30_000);
            assert.equal(await readyOf(whole([written(900, "status"), written(30)])), 900_000);
        });

        it("is not known to be Ready for long if the API server does not say since when, or the pod is another one", async () => {
            const unsaid = "Kubernetes does not say since when";
            assert.equal(await readyOf(whole(undefined)), unsaid);
            assert.equal(await readyOf(whole([written(900)])), unsaid);
            assert.equal(await readyOf(whole([{ subresource: "status" }, written(900, "status")])), unsaid);
            const gone = "the pod is no longer Ready";
            assert.equal(await readyOf(), gone);
            assert.equal(await readyOf(whole([written(900, "status")], { uid: "later" })), gone);
            assert.equal(await readyOf({ ...whole([written(900, "status")]), status: pod("one").status }), gone);
        });
    });

    it("costs a pod that is Ready nothing", async () => {
        const { death, read } = await observe(pod("one", "True"), node("True"));
        assert.equal(death, undefined);
        assert.ok(!read.includes("time"));
    });
});
