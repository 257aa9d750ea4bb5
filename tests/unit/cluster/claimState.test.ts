import * as assert from "node:assert/strict";
import { claimState } from "../../../provider/cluster/claimState";
import type { ListedClaim } from "../../../provider/cluster/listCalls";

const now = Date.parse("2026-01-01T00:10:00Z");
const condition = (type: string, more: object = {}) => ({ type, status: "True", ...more });
const stateOf = (status: object) =>
    claimState(
        {
            spec: { resources: { requests: { storage: "20Gi" } }, storageClassName: "fast" },
            status: { phase: "Bound", capacity: { storage: "10Gi" }, ...status },
        } as unknown as ListedClaim,
        now,
    );

/** What a claim's status says of a growth, and how that is observed. */
const rows: [name: string, status: object, expected: unknown][] = [
    ["nothing", {}, undefined],
    ["what is over", { conditions: [{ ...condition("Resizing"), status: "False" }] }, undefined],
    [
        "another resource",
        { allocatedResourceStatuses: { "example.com/iops": "ControllerResizeInProgress" } },
        undefined,
    ],
    ["the driver's work", { conditions: [condition("Resizing")] }, { of: "volume" }],
    [
        "the same by its status",
        { allocatedResourceStatuses: { storage: "ControllerResizeInProgress" } },
        { of: "volume" },
    ],
    [
        "a node that is waited for",
        { conditions: [condition("FileSystemResizePending", { lastTransitionTime: "2026-01-01T00:08:00Z" })] },
        { of: "file-system", since: now - 120_000, waited: 120_000 },
    ],
    ["a node at work", { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } }, { of: "file-system" }],
    [
        "a failure, with the driver's words",
        { conditions: [condition("Resizing"), condition("ControllerResizeError", { message: "quota" })] },
        { of: "volume", trouble: "quota" },
    ],
    [
        "a refusal",
        {
            conditions: [condition("ControllerResizeError", { message: "quota" })],
            allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
        },
        { of: "volume", trouble: "quota", isInfeasible: true },
    ],
    [
        "a refusal by the node",
        { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } },
        { of: "file-system", isInfeasible: true },
    ],
];

describe("the growth of a claim's volume, as its status has it", () => {
    for (const [name, status, expected] of rows) {
        it(name, () => assert.deepEqual(stateOf(status).resize, expected));
    }

    it("comes with its sizes and classes", () => {
        const { requested, capacity, storageClass, attributesClass } = stateOf({});
        assert.deepEqual([requested, capacity, storageClass, attributesClass], ["20Gi", "10Gi", "fast", undefined]);
    });
});

/** What a claim's status says of its VolumeAttributesClass. */
const attributes: [name: string, status: object, expected: unknown][] = [
    ["nothing", {}, undefined],
    ["the class of the volume", { currentVolumeAttributesClassName: "slow" }, { current: "slow" }],
    [
        "a change that is tried again",
        {
            currentVolumeAttributesClassName: "slow",
            modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: "quick" },
            conditions: [condition("ModifyVolumeError", { message: "too early" })],
        },
        { current: "slow", trouble: "too early" },
    ],
    [
        "a refusal",
        {
            modifyVolumeStatus: { status: "Infeasible", targetVolumeAttributesClassName: "quick" },
            conditions: [condition("ModifyVolumeError", { message: "unknown iops" })],
        },
        { trouble: "unknown iops", isInfeasible: true },
    ],
];

describe("the attributes class of a claim's volume, as its status has it", () => {
    for (const [name, status, expected] of attributes) {
        it(name, () => assert.deepEqual(stateOf(status).attributes, expected));
    }
});

describe("the record of an automatic growth", () => {
    const grown = { at: "2026-11-30T18:43:08.000Z", from: "10Gi", to: "12Gi", storeBytes: 10 * 1024 ** 3 };
    const readFrom = (text: string | undefined) => {
        const annotations = text === undefined ? {} : { "pulumi-tidb.io/grown-by": text };
        return claimState({ metadata: { annotations }, status: { phase: "Bound" } } as ListedClaim, now).grown;
    };

    it("is read from the claim's annotation", () => {
        assert.deepEqual(readFrom(JSON.stringify(grown)), grown);
    });

    it("says nothing where it is absent, or was edited", () => {
        const edited = [{ at: "yesterday" }, { to: "much" }, { from: undefined }, { storeBytes: "all" }];
        for (const text of [
            undefined,
            "",
            "null",
            "by hand",
            ...edited.map((one) => JSON.stringify({ ...grown, ...one })),
        ]) {
            assert.equal(readFrom(text), undefined, text);
        }
    });
});
