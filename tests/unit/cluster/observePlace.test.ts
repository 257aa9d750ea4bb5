import type { V1Node, V1PersistentVolume } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { observePlace } from "../../../provider/cluster/observePlace";
import type { ReadCalls } from "../../../provider/cluster/readCalls";

type Term = { key: string; operator: string; values?: string[] }[];
const host = (...values: string[]) => ({ key: "kubernetes.io/hostname", operator: "In", values });
const volume = (terms: Term[] | undefined, source: object = { local: { path: "/disk" } }): V1PersistentVolume => ({
    metadata: { name: "pv-1" },
    spec: {
        ...source,
        ...(terms === undefined
            ? {}
            : {
                  nodeAffinity: {
                      required: { nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })) },
                  },
              }),
    },
});

/** Kubernetes with one claim, of this volume, and these nodes by the value of their host name. */
class World {
    asked: string[] = [];
    volumeName: string | undefined = "pv-1";
    volume: V1PersistentVolume | undefined = volume([[host("node-1")]]);
    nodes: Record<string, string> = {};
    fails: Record<string, Error> = {};

    private answer<T>(what: string, value: T): Promise<T> {
        this.asked.push(what);
        const failure = Object.entries(this.fails).find(([begin]) => what.startsWith(begin))?.[1];
        return failure ? Promise.reject(failure) : Promise.resolve(value);
    }

    place() {
        const core = {
            readNamespacedPersistentVolumeClaim: ({ namespace, name }: { namespace: string; name: string }) =>
                this.answer(`claim ${namespace}/${name}`, { spec: { volumeName: this.volumeName } }),
            readPersistentVolume: ({ name }: { name: string }) => this.answer(`volume ${name}`, this.volume),
            readNode: ({ name }: { name: string }) =>
                this.answer(`node ${name}`, name in this.nodes ? ({ metadata: { name } } as V1Node) : undefined),
            listNode: ({ labelSelector }: { labelSelector: string }) =>
                this.answer(`nodes ${labelSelector}`, {
                    items: Object.values(this.nodes).filter((one) => labelSelector === `kubernetes.io/hostname=${one}`),
                }),
        };
        const call = <T>(_what: string, request: () => Promise<T>) => request();
        const calls = { core, read: call, readOrMissing: call } as unknown as ReadCalls;
        return observePlace(calls, "tidb", "tikv-basic-tikv-1", 5);
    }
}

describe("where the volume of a claim is", () => {
    let world: World;
    beforeEach(() => (world = new World()));
    const gone = { is: "on-node", volume: "pv-1", node: "node-1", isGone: true };
    const value = async () => {
        const fact = await world.place();
        assert.ok(fact.known, fact.known ? "" : fact.why);
        return fact.value;
    };

    it("on a node that is gone: Kubernetes has none of its name, and none with that host name", async () => {
        assert.deepEqual(await value(), gone);
        assert.deepEqual(world.asked, [
            "claim tidb/tikv-basic-tikv-1",
            "volume pv-1",
            "node node-1",
            "nodes kubernetes.io/hostname=node-1",
        ]);
    });
    it("on a node that exists under its name, or under its host name", async () => {
        world.nodes = { "node-1": "other" };
        assert.deepEqual(await value(), { ...gone, isGone: false });
        world.nodes = { "ip-10-0-0-1": "node-1" };
        assert.deepEqual(await value(), { ...gone, isGone: false });
    });
    it("nowhere yet", async () => {
        world.volumeName = undefined;
        assert.deepEqual(await value(), { is: "unbound" });
        assert.deepEqual(world.asked, ["claim tidb/tikv-basic-tikv-1"]);
    });

    const tied: [string, V1PersistentVolume][] = [
        ["a path on the node", volume([[host("node-1")]], { hostPath: { path: "/disk" } })],
        ["a disk of a storage driver that can be used on that node alone", volume([[host("node-1")]], { csi: {} })],
        ["a local volume with more conditions", volume([[{ key: "zone", operator: "Exists" }, host("node-1")]])],
        ["a local volume with two equal terms", volume([[host("node-1")], [host("node-1")]])],
    ];
    for (const [what, found] of tied) {
        it(`on its node: ${what}`, async () => {
            world.volume = found;
            assert.deepEqual(await value(), gone);
        });
    }
    const free: [string, V1PersistentVolume][] = [
        ["a disk of the network", volume(undefined, { csi: {} })],
        [
            "a disk of a zone",
            volume([[{ key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] }]], { csi: {} }),
        ],
        ["a path on a node without an affinity, which starts empty anywhere", volume(undefined, { hostPath: {} })],
        ["a volume of two nodes", volume([[host("node-1", "node-2")]])],
        ["a volume of one of two nodes", volume([[host("node-1")], [host("node-2")]])],
        ["a volume with a term for other nodes", volume([[host("node-1")], [{ key: "zone", operator: "Exists" }]])],
        ["a volume of every other node", volume([[{ ...host("node-1"), operator: "NotIn" }]])],
    ];
    for (const [what, found] of free) {
        it(`not on one node: ${what}`, async () => {
            world.volume = found;
            assert.deepEqual(await value(), { is: "elsewhere", why: "its volume pv-1 is not tied to one node" });
            assert.ok(!world.asked.some((one) => one.startsWith("node")));
        });
    }
    it("not known to be on a node if the volume does not exist", async () => {
        world.volume = undefined;
        assert.deepEqual(await value(), { is: "elsewhere", why: "its volume pv-1 does not exist" });
    });

    for (const what of ["claim", "volume", "node ", "nodes "]) {
        it(`is not known if the API server does not tell: ${what.trim()}`, async () => {
            world.fails = { [what]: new KubernetesApiError("could not read it: 500", 500) };
            assert.deepEqual(await world.place(), { known: false, why: "could not read it: 500" });
            world.fails = { [what]: new KubernetesApiError("could not read it: 403", 403) };
            const right = "grant `get` on `persistentvolumes`, and `get` and `list` on `nodes`, by a ClusterRole";
            assert.deepEqual(await world.place(), { known: false, why: `could not read it: 403; ${right}` });
            world.fails = { [what]: new TypeError("a defect") };
            await assert.rejects(world.place(), /a defect/);
        });
    }
});
