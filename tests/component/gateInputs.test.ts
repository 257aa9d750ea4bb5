import * as assert from "node:assert/strict";
import { TidbCluster } from "../../index";
import { checkManifest } from "../../components/checkManifest";
import { gatesOf, type PlannedGate } from "../../components/gatesOf";
import { locationOf, pdAccessOf } from "../../components/gateLocation";
import type { OperationsArgs } from "../../components/operations";
import type { TidbClusterManifest } from "../../components/spec";
import type { WantedSpread } from "../../provider/lifecycle/spread/chooseSpread";
import { revisionWith } from "../../provider/lifecycle/vocabulary/spread";
import { possibleGates } from "../../topology/gates";
import { components } from "../../topology/members";
import { ownCases } from "../support/goldenCases";
import { patienceMilliseconds, type Registered, runProgram } from "./mockProgram";

/** What only a deployment knows, and what the gate itself found. */
const ofTheDeployment = [
    "access",
    "leaseUid",
    "deployed",
    "owner",
    "statusUrn",
    "lineUrn",
    "__provider",
    "gate",
    "paused",
    "prerequisites",
];

const ownName = "kept";
const suspended = { suspendAction: { suspendStatefulSet: true } };

const backup = { spec: { s3: { provider: "aws", bucket: "backups", prefix: "gates" } } };
const timeouts: OperationsArgs = { timeouts: { podReadySeconds: 71, storeRemovalSeconds: 72 } };
const everyOperation: OperationsArgs = {
    ...timeouts,
    approval: "step",
    lostNodes: ["node-1"],
    rollout: { online: true },
    unsafeRecovery: { failedStores: [4], neverComeBack: true },
    backup: { beforeUpgrade: backup, onDestroy: backup },
};

/** Clusters with each kind of gate. */
const cases: [string, TidbClusterManifest, OperationsArgs?][] = [
    ...ownCases().map(({ name, manifest }): [string, TidbClusterManifest] => [name, manifest as TidbClusterManifest]),
    ["a suspended PD and TiDB", made({ pd: suspended, tidb: suspended })],
    ["a password for root", made({ tidb: { initializer: { createPassword: true } } })],
    ["a paused cluster", made({}, { paused: true })],
    ["every operation", made({ tidb: { initializer: { createPassword: true } } }), everyOperation],
    ["an external PD", made({ pd: undefined }, { cluster: { name: "main", namespace: "other" } })],
];

function made(members: Record<string, object | undefined>, spec: object = {}): TidbClusterManifest {
    const { pd, tikv, tidb } = members;
    const storage = { requests: { storage: "1Gi" } };
    return {
        metadata: { name: ownName, namespace: "tidb" },
        spec: {
            version: "v8.5.3",
            ...("pd" in members && pd === undefined ? {} : { pd: { replicas: 3, ...storage, ...pd } }),
            tikv: { replicas: 3, ...storage, ...tikv },
            tidb: { replicas: 2, ...tidb },
            ...spec,
        },
    } as unknown as TidbClusterManifest;
}

describe("component: the gates of a plan without Pulumi", function () {
    this.timeout(patienceMilliseconds);

    for (const [what, manifest, operations = timeouts] of cases) {
        it(`are the program's gates in their order, with the same inputs: ${what}`, async () => {
            const { metadata, spec } = manifest;
            const { resources } = await runProgram(
                () => new TidbCluster("res", { metadata, spec, operations, pd: { address: "http://pd:2379" } }),
            );
            const registered = resources.filter(({ type }) => /^pulumi-nodejs:tidb:/.test(type));
            const checked = checkManifest(
                { ...manifest, metadata: { ...metadata, name: metadata.name } },
                [],
                operations,
            );
            const planned = gatesOf(checked, operations);
            const shared = { ...locationOf(checked.manifest), pd: pdAccessOf(checked.manifest, "http://pd:2379") };
            assert.deepEqual(
                registered.map(({ name, inputs }) => [name, inputs.gate as unknown]),
                planned.map(({ name, gate }) => [`res-${name}`, gate]),
            );
            registered.forEach((gate, index) => {
                assert.deepEqual(told(gate), plain({ ...shared, ...afterScale(planned, index) }), gate.name);
            });
        });
    }

    it("are of every kind in these cases", () => {
        const kinds = cases.flatMap(([, manifest, operations]) =>
            gatesOf(checkManifest(manifest, [], operations), operations).map(({ gate }) => gate),
        );
        assert.deepEqual(
            possibleGates(components).filter(({ gate }) => !kinds.includes(gate)),
            [],
        );
    });

    it("come after those that they wait for", async () => {
        const manifest = made({});
        const { resources } = await runProgram(() => new TidbCluster("res", manifest));
        const order = gatesOf(checkManifest(manifest)).map(({ name }) => `res-${name}`);
        for (const { name, dependencies } of resources.filter((resource) => order.includes(resource.name))) {
            const before = dependencies.map((one) => one.split("::")[1]).filter((one) => order.includes(one));
            assert.ok(
                before.every((one) => order.indexOf(one) < order.indexOf(name)),
                `${name} waits for ${before.join(", ")}`,
            );
        }
    });
});

/** The mocks play a first deployment: its ScaleGates let all wanted constraints into the templates. */
function afterScale(planned: readonly PlannedGate[], index: number): object {
    const { gate, component, inputs } = planned[index];
    const scale = planned.find((one) => one.gate === "scale" && one.component === component);
    const wanted = scale?.inputs.wantedSpread as WantedSpread | undefined;
    return gate === "rollout" && wanted
        ? { ...inputs, templateRevision: revisionWith(wanted.templateRevision, wanted.spread) }
        : inputs;
}

function told({ inputs }: Registered): unknown {
    return plain(Object.fromEntries(Object.entries(inputs).filter(([key]) => !ofTheDeployment.includes(key))));
}

/** As the engine passes it on: without undefined values. */
function plain(value: object): unknown {
    return JSON.parse(JSON.stringify(value));
}
