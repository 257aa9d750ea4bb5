import * as assert from "node:assert/strict";
import { askPd } from "../../../provider/cluster/observePd";
import { notAsked } from "../../../provider/lifecycle/vocabulary/evidence";
import type { PdPart } from "../../../provider/lifecycle/vocabulary/look";
import type { ObservedPd } from "../../../provider/lifecycle/vocabulary/observation";
import { lookAtPd, pdError, pdThat, valueOf } from "./playedPd";

const host = (pod: string, service: string) => `${pod}.${service}.tidb.svc`;
const memberOf = (ordinal: number, more: object = {}) => ({
    name: `basic-pd-${ordinal}`,
    memberId: String(ordinal),
    clientUrls: [],
    peerUrls: [`http://${host(`basic-pd-${ordinal}`, "basic-pd-peer")}:2380`],
    ...more,
});
const healthOf = (ordinal: number, healthy = true, more: object = {}) => ({ ...memberOf(ordinal), healthy, ...more });
const server = (name: string, service: string) => ({
    name,
    address: `http://${host(name, `basic-${service}-peer`)}:2379`,
});
const seen = (ordinal: number, healthy: boolean) => ({
    name: `basic-pd-${ordinal}`,
    memberId: String(ordinal),
    healthy,
    podName: `basic-pd-${ordinal}`,
});
const rule = { group: "pd", id: "default", role: "voter", count: 3, startKey: "", endKey: "" };
const constraints = [{ key: "engine", op: "notIn", values: ["tiflash"] }];

/** A PD that answers everything. */
const logBackup = {
    name: "b1",
    storage: "s3://backups/log",
    startTs: 1n,
    checkpointTs: 2n,
    paused: false,
    errors: [],
};
const own = { evictions: [{ storeId: 5, scheduler: "evict-slow-store-scheduler" }], unreported: [] };
const healthy = {
    clusterId: () => "7",
    health: () => [healthOf(0), healthOf(1, false)],
    members: () => ({ members: [memberOf(0), memberOf(1)], leader: memberOf(1) }),
    stores: () => [],
    tombstoneStores: () => [],
    replication: () => ({
        maxReplicas: 3,
        locationLabels: ["zone", "host"],
        isolationLabels: ["zone"],
        enablePlacementRules: true,
    }),
    placementRules: () => [{ ...rule, constraints, isolationLabels: ["zone"] }],
    schedulers: () => ["balance-leader-scheduler"],
    storeDownTime: () => 1_800_000,
    lowSpaceRatio: () => 0.8,
    unsafeRecovery: () => ({ stage: "running", failedStores: [4], report: "force leader" }),
    snapshotRecovering: () => true,
    evictedStores: () => [4],
    ownEvictions: () => own,
    persistedEvictions: () => [4, 5],
    regionStatus: () => ({ missPeer: 1, downPeer: 2, pendingPeer: 3 }),
    serviceMembers: (service: string) => [server(`basic-${service}-0`, service)],
    servicePrimary: (service: string) => server(`basic-${service}-0`, service).address,
    readKey: () => ({
        value: JSON.stringify({ holder: "ana@laptop", namespace: "tidb", cluster: "basic", operation: "roll out" }),
        leaseId: "7",
    }),
    maintenanceTasks: () => [
        { type: "pulumi-tidb", id: "tidb.basic", description: "roll out" },
        { type: "pulumi-tidb", id: "tidb.other", description: "roll out" },
        { type: "tikv_upgrade", id: "tidb.basic", description: "by hand" },
    ],
    logBackups: () => [logBackup],
    pumps: () => [{ nodeId: "basic-pump-0:8250", host: "basic-pump-0.basic-pump:8250", state: "online" }],
};
const microservice = (name: string) => {
    const { address } = server(`basic-${name}-0`, name);
    const one = { address, podName: `basic-${name}-0` };
    return { servers: [{ name: `basic-${name}-0`, ...one }], primary: one };
};

describe("PD's members", () => {
    const client = (ordinal: number) => [`http://${host(`basic-pd-${ordinal}`, "basic-pd-peer")}:2379`];
    const twin = ["http://basic-pd-1.basic-pd-peer.other.svc:2379"];
    const look = async (parts: PdPart[], ...health: object[]) => {
        const { client: pd, asked } = pdThat({ ...healthy, health: () => health });
        const { members } = (await askPd(pd, lookAtPd(parts))).pd;
        return { asked, pods: valueOf(members).map((one) => one.podName) };
    };
    const own = healthOf(0, true, { clientUrls: client(0) });

    it("are taken from the list of health if no step can follow, and their client URLs say whose they are", async () => {
        assert.deepEqual(await look(["health"], own, healthOf(1, true, { clientUrls: client(1) })), {
            asked: ["health"],
            pods: ["basic-pd-0", "basic-pd-1"],
        });
        const { pods } = await look(["health"], own, healthOf(1, true, { clientUrls: twin }));
        assert.deepEqual(pods, ["basic-pd-0", undefined], "a member of another namespace has the same name");
    });

    for (const [title, parts, ...health] of [
        ["a step can follow", ["health", "cluster-id"], own],
        ["one of them has never started", ["health"], own, healthOf(1, false, { name: "" })],
        ["one of them has no client URL", ["health"], own, healthOf(1)],
    ] as [string, PdPart[], ...object[]][]) {
        it(`are asked for their peer URLs if ${title}`, async () => {
            const { asked, pods } = await look(parts, ...health);
            assert.ok(asked.includes("members"));
            assert.deepEqual(pods, ["basic-pd-0", "basic-pd-1"]);
        });
    }
});

describe("each part of an observation of PD", () => {
    const none = { tso: notAsked, scheduling: notAsked };
    for (const [part, asks, field, value, from = "PD"] of [
        ["cluster-id", ["clusterId"], "clusterId", "7"],
        ["health", ["health", "members"], "members", [seen(0, true), seen(1, false)]],
        ["leader", ["members"], "leader", "basic-pd-1"],
        ["stores", ["stores"], "stores", []],
        ["tombstones", ["tombstoneStores"], "tombstones", []],
        [
            "unsafe-recovery",
            ["unsafeRecovery"],
            "unsafeRecovery",
            { stage: "running", failedStores: [4], report: "force leader" },
        ],
        ["snapshot-recovering", ["snapshotRecovering"], "snapshotRecovering", true],
        ["location-labels", ["replication"], "locationLabels", ["zone", "host"]],
        [
            "placement",
            ["lowSpaceRatio", "placementRules", "replication"],
            "placement",
            {
                maxReplicas: 3,
                rules: [{ ...rule, constraints, isolationLabels: ["zone"] }],
                locationLabels: ["zone", "host"],
                isolationLabels: ["zone"],
                lowSpaceRatio: 0.8,
            },
        ],
        ["evicted-stores", ["evictedStores", "ownEvictions", "schedulers", "schedulers"], "evictedStores", [4]],
        ["evicted-stores", ["evictedStores", "ownEvictions", "schedulers", "schedulers"], "ownEvictions", own],
        ["persisted-evictions", ["persistedEvictions"], "persistedEvictions", [4, 5]],
        ["region-status", ["regionStatus"], "regionStatus", healthy.regionStatus(), "PD's counts of regions"],
        [
            "locks",
            ["maintenanceTasks", "readKey /pulumi-tidb/lock"],
            "locks",
            {
                key: {
                    name: "/pulumi-tidb/lock",
                    holder: "ana@laptop",
                    operation: "roll out",
                    own: true,
                    expires: true,
                },
                tasks: [
                    { name: "pulumi-tidb/tidb.basic", description: "roll out", own: true },
                    { name: "pulumi-tidb/tidb.other", description: "roll out", own: false },
                    { name: "tikv_upgrade/tidb.basic", description: "by hand", own: false },
                ],
            },
        ],
        ["log-backups", ["logBackups"], "logBackups", [logBackup]],
        [
            "pumps",
            ["pumps"],
            "pumps",
            [{ nodeId: "basic-pump-0:8250", podName: "basic-pump-0", own: true, state: "online" }],
        ],
    ] as [PdPart, string[], keyof ObservedPd, unknown, string?][]) {
        it(`${part}: has its own calls, and leaves everything else unknown`, async () => {
            const { client, asked } = pdThat(healthy);
            const { pd } = await askPd(client, lookAtPd([part]));
            const { [field]: fact, microservices, evictedStores, ownEvictions, locationLabels, ...rest } = pd;
            // The first two are asked together; the last one is part of the placement.
            const others = {
                ...rest,
                ...(part === "evicted-stores" ? {} : { evictedStores, ownEvictions }),
                ...(part === "placement" ? {} : { locationLabels }),
            };
            delete others[field as keyof typeof others];
            assert.deepEqual(fact, { known: true, value, from, at: 1_000 });
            assert.deepEqual(asked.sort(), asks);
            assert.deepEqual([...new Set(Object.values(others))], [notAsked]);
            assert.deepEqual(microservices, none);
        });
    }

    it("placement: has the location labels too, and asks for them once", async () => {
        const { client, asked } = pdThat(healthy);
        const { pd } = await askPd(client, lookAtPd(["placement", "location-labels"]));
        assert.ok(pd.locationLabels.known);
        assert.deepEqual(pd.locationLabels.value, ["zone", "host"]);
        assert.deepEqual(asked.sort(), ["lowSpaceRatio", "placementRules", "replication"]);
    });

    for (const name of ["tso", "scheduling"] as const) {
        it(`${name}: has its servers and its primary, by their pods`, async () => {
            const { client, asked } = pdThat(healthy);
            const { microservices } = (await askPd(client, lookAtPd([name]))).pd;
            const fact = { known: true, value: microservice(name), from: "PD", at: 1_000 };
            assert.deepEqual(microservices, { ...none, [name]: fact });
            assert.deepEqual(asked, [`serviceMembers ${name}`, `servicePrimary ${name}`]);
        });
    }

    for (const [title, readKey, expected] of [
        [
            "a run on another cluster that shares this PD, under no etcd lease",
            () => ({ value: JSON.stringify({ holder: "ben@build", namespace: "other", cluster: "basic" }) }),
            ["ben@build", false, false],
        ],
        [
            "what another tool wrote",
            () => ({ value: "mine", leaseId: "7" }),
            ["an unknown holder of /pulumi-tidb/lock in PD's etcd", false, true],
        ],
        ["nobody", () => undefined, undefined],
        ["nobody: this PD does not serve etcd over HTTP", () => pdError("PD_NO_GATEWAY"), undefined],
    ] as const) {
        it(`of PD's locks name who holds its key: ${title}`, async () => {
            const { client } = pdThat({ ...healthy, readKey });
            const { key } = valueOf((await askPd(client, lookAtPd(["locks"]))).pd.locks);
            assert.deepEqual(key && [key.holder, key.own, key.expires], expected);
        });
    }

    it("of PD's locks is not known if PD does not answer", async () => {
        const { client } = pdThat({ ...healthy, readKey: () => pdError("PD_UNREACHABLE") });
        assert.equal((await askPd(client, lookAtPd(["locks", "cluster-id"]))).pd.locks.known, false);
    });

    it("of a microservice without a primary says so, and does not name the first server", async () => {
        const { client } = pdThat({ ...healthy, servicePrimary: () => undefined });
        const { tso } = (await askPd(client, lookAtPd(["tso"]))).pd.microservices;
        assert.equal(valueOf(tso!).primary, undefined);
    });

    it("of PD without a leader says so", async () => {
        const { client } = pdThat({ ...healthy, members: () => ({ members: [memberOf(0)] }) });
        const { leader } = (await askPd(client, lookAtPd(["leader"]))).pd;
        assert.equal(valueOf(leader), undefined);
    });

    it("of a PD with placement rules off has none, which differs from an empty list", async () => {
        const { client } = pdThat({ ...healthy, placementRules: () => undefined });
        const { placement } = (await askPd(client, lookAtPd(["placement"]))).pd;
        assert.deepEqual(valueOf(placement), {
            maxReplicas: 3,
            rules: undefined,
            locationLabels: ["zone", "host"],
            isolationLabels: ["zone"],
            lowSpaceRatio: 0.8,
        });
    });

    it("of a PD that no store has joined has no evictions and no schedulers before the first deployment ends", async () => {
        const not = () => pdError("PD_NOT_BOOTSTRAPPED");
        const { client } = pdThat({
            ...healthy,
            schedulers: not,
            evictedStores: not,
            regionCount: not,
            leadership: () => ({ leader: "basic-pd-0", term: "7" }),
        });
        const look = lookAtPd(["evicted-stores", "leadership"], { isFirstDeployment: true });
        const { evictedStores, leadership } = (await askPd(client, look)).pd;
        assert.deepEqual(evictedStores, { known: true, value: [], from: "PD", at: 1_000 });
        const { hasSchedulers, regionCount } = valueOf(leadership);
        assert.deepEqual([hasSchedulers, regionCount], [false, 0]);
    });

    it("of regions lists those that lack a peer, have a peer down, or have one behind", async () => {
        const kinds = ["miss-peer", "down-peer", "pending-peer"];
        const regionsShortOf = (kind: string) => [{ id: kinds.indexOf(kind), peers: [] }];
        const { client, asked } = pdThat({ regionsShortOf });
        const { shortRegions } = (await askPd(client, lookAtPd([], { regions: "short" }))).pd;
        assert.deepEqual(
            valueOf(shortRegions).regions.map((region) => region.id),
            [0, 1, 2],
        );
        assert.deepEqual(
            asked,
            kinds.map((kind) => `regionsShortOf ${kind}`),
        );
    });
});

describe("the members of PD", () => {
    it("are asked for their peer URLs: one that never started has no name, and a name alone says nothing of its cluster", async () => {
        const twin = memberOf(1, { peerUrls: [`http://${host("basic-pd-1", "basic-pd-peer")}.two.example:2380`] });
        const { client } = pdThat({ ...healthy, members: () => ({ members: [memberOf(0), twin] }) });
        const { members } = (await askPd(client, lookAtPd(["health"]))).pd;
        assert.deepEqual(
            valueOf(members).map(({ podName, otherDomain }) => podName ?? otherDomain),
            ["basic-pd-0", { podName: "basic-pd-1", domain: "two.example" }],
        );
    });

    it("are listed if one never started, which has a peer URL but no name", async () => {
        const nameless = { name: "", memberId: "9" };
        const { client, asked } = pdThat({
            ...healthy,
            health: () => [healthOf(0), healthOf(3, false, nameless)],
            members: () => ({ members: [memberOf(0), memberOf(3, nameless)] }),
        });
        const { members } = (await askPd(client, lookAtPd(["health"]))).pd;
        assert.deepEqual(valueOf(members), [seen(0, true), { ...nameless, healthy: false, podName: "basic-pd-3" }]);
        assert.deepEqual(asked, ["health", "members"]);
    });

    it("have their health if the leader is asked for too", async () => {
        const foreign = memberOf(1, {
            peerUrls: [`http://${host("basic-pd-1", "basic-pd-peer").replace("tidb", "other")}:2380`],
        });
        const { client, asked } = pdThat({
            ...healthy,
            members: () => ({ members: [memberOf(0), foreign], leader: foreign }),
        });
        const { members, leader } = (await askPd(client, lookAtPd(["health", "leader"]))).pd;
        const elsewhere = { ...seen(1, false), podName: undefined, isElsewhere: true };
        assert.deepEqual(valueOf(members), [seen(0, true), elsewhere]);
        assert.equal(valueOf(leader), "basic-pd-1");
        assert.deepEqual(asked.sort(), ["health", "members"]);
    });

    it("are unknown if the list fails", async () => {
        const { client } = pdThat({ ...healthy, members: () => pdError("PD_REFUSED") });
        for (const parts of [["health"], ["health", "leader"]] as const) {
            const { members } = (await askPd(client, lookAtPd(parts))).pd;
            assert.equal(members.known, false, "the list of health has no peer URLs");
        }
    });
});
