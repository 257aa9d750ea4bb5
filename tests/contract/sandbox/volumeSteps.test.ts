import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { driverName } from "../../../sandbox/controlPlane/volumes/driver";
import { nodeOf, PlayedClaim, podOn, volumeOf } from "../../support/volumes/playedClaim";
import {
    growthLine,
    modificationLine,
    recordedClaims,
    recordedEvents,
    recordedModifications,
} from "../../support/volumes/recordedClaims";
import { attributesClass, type ClassOptions } from "../../support/e2e/storageClass";

type Run = keyof typeof recordedClaims;

/** Leaves out what does not differ from the line before it. */
function linesOf(played: PlayedClaim, line: (claim: k8s.V1PersistentVolumeClaim) => string): string[] {
    return played.claims.map(line).filter((one, index, all) => one !== all[index - 1]);
}

function eventsOf(run: keyof typeof recordedEvents): string[] {
    return recordedEvents[run].map((event: string) =>
        event.replaceAll("VOLUME", "v").replaceAll("CLAIM", "default/data").replaceAll("DRIVER", driverName),
    );
}

const quota = { refusesAbove: "15Gi", refusesWith: "OutOfRange", message: "the quota of 15Gi would be exceeded" };
const runs: Record<Run, { options: ClassOptions; play(played: PlayedClaim): void }> = {
    online: {
        options: { seconds: 2 },
        play: (played) => {
            played.change({ pods: [podOn("p", "node-0")] });
            played.request("11Gi");
            played.advance(10);
        },
    },
    restart: {
        options: { driver: "restart" },
        play: (played) => {
            played.change({ pods: [podOn("p", "node-0")] });
            played.request("11Gi");
            played.advance(10);
            assert.equal(growthLine(played.world.claim), recordedClaims.restart[4]);
            played.change({ pods: [podOn("new", "node-0")] });
            played.advance(1);
        },
    },
    offline: {
        options: { driver: "offline" },
        play: (played) => {
            played.change({ pods: [podOn("p", "node-0")] });
            played.request("11Gi");
            played.advance(10);
            played.change({ pods: [] });
            played.advance(10);
            assert.equal(growthLine(played.world.claim), recordedClaims.offline[3]);
            played.change({ pods: [podOn("new", "node-0")] });
            played.advance(1);
        },
    },
    infeasible: {
        options: quota,
        play: (played) => {
            played.request("20Gi");
            played.advance(10);
            played.request("12Gi");
            played.advance(10);
        },
    },
    exhausted: {
        options: { ...quota, refusesWith: "ResourceExhausted", message: "the quota is used up" },
        play: (played) => {
            played.request("20Gi");
            played.advance(10);
            played.request("12Gi");
            played.advance(10);
            const { driver } = played.world;
            assert.ok(driver);
            played.change({ driver: { ...driver, refusesAbove: undefined } });
            played.advance(10);
        },
    },
};

describe("a simulated driver's volumes, as the external resizer was recorded", () => {
    for (const [run, { options, play }] of Object.entries(runs) as [Run, (typeof runs)[Run]][]) {
        it(`grow: ${run}`, () => {
            const played = new PlayedClaim(options);
            play(played);
            assert.deepEqual(linesOf(played, growthLine), recordedClaims[run]);
        });
    }

    for (const run of Object.keys(recordedEvents) as (keyof typeof recordedEvents)[]) {
        it(`say so in Events: ${run}`, () => {
            const played = new PlayedClaim(runs[run].options);
            runs[run].play(played);
            const events = [...new Set(played.events)].filter((one) => !one.includes("FileSystemResizeSuccessful"));
            assert.deepEqual(events, eventsOf(run));
        });
    }

    const ofSilver = (): PlayedClaim => {
        const { claim } = new PlayedClaim().world;
        const status = { ...claim.status, currentVolumeAttributesClassName: "silver" };
        return new PlayedClaim({}, { claim: { ...claim, status } });
    };
    it("get other attributes", () => {
        const played = ofSilver();
        played.attributes("gold", attributesClass("gold", { seconds: 2 }));
        played.advance(1);
        assert.equal(played.world.volume?.spec?.volumeAttributesClassName, undefined);
        played.advance(1);
        assert.deepEqual(linesOf(played, modificationLine), recordedModifications.modified);
        assert.equal(played.world.volume?.spec?.volumeAttributesClassName, "gold");
    });

    it("are refused other attributes, until the old ones are asked for", () => {
        const played = ofSilver();
        const refusal = { refusesWith: "InvalidArgument", message: "iops are out of range" };
        played.attributes("gold", attributesClass("gold", refusal));
        const said = played.world.claim.status?.conditions?.map(({ reason, message }) => [reason, message]);
        assert.deepEqual(said, [
            [undefined, 'Modifying volume to "gold" failed. Waiting for retry.'],
            ["InvalidArgument", "iops are out of range"],
        ]);
        played.attributes("silver", attributesClass("silver"));
        assert.deepEqual(linesOf(played, modificationLine), recordedModifications.refused);
        assert.equal(
            played.events[1],
            "Warning VolumeModifyFailed: rpc error: code = InvalidArgument desc = iops are out of range",
        );
    });

    it("wait for the class of attributes to exist", () => {
        const played = ofSilver();
        played.attributes("gold");
        assert.deepEqual(linesOf(played, modificationLine), recordedModifications.missing);
        assert.deepEqual(played.events, ['Warning VolumeModifyFailed: VAC "gold" does not exist.']);
        played.change({ attributesClass: attributesClass("gold") });
        assert.equal(modificationLine(played.world.claim), "gold");
    });
});

describe("the file system of a simulated volume", () => {
    const waiting = recordedClaims.online[2];

    it("does not grow without a pod, nor before the pod has a node", () => {
        const played = new PlayedClaim();
        played.request("11Gi");
        played.change({ pods: [podOn("p", undefined)] });
        played.advance(60);
        assert.equal(growthLine(played.world.claim), waiting);
    });

    for (const [what, node] of [
        ["is NotReady", nodeOf("node-0", "Unknown")],
        ["has lost its power", nodeOf("node-0", "True", { "sandbox.pulumi-tidb/stopped": "true" })],
    ] as const) {
        it(`does not grow while the pod's node ${what}`, () => {
            const played = new PlayedClaim(
                {},
                { nodes: [node, nodeOf("node-1", "True")], pods: [podOn("p", "node-0")] },
            );
            played.request("11Gi");
            played.advance(60);
            assert.equal(growthLine(played.world.claim), waiting);
            played.change({ nodes: [nodeOf("node-0", "True")] });
            assert.equal(growthLine(played.world.claim), "11Gi, 11Gi");
        });
    }

    it("grows within the seconds of the class, for each of the two calls", () => {
        const played = new PlayedClaim({ seconds: 5 }, { pods: [podOn("p", "node-0")] });
        played.request("11Gi");
        played.advance(4.9);
        assert.equal(growthLine(played.world.claim), recordedClaims.online[1]);
        played.advance(0.1);
        assert.equal(growthLine(played.world.claim), recordedClaims.online[3]);
        played.advance(4.9);
        assert.equal(growthLine(played.world.claim), recordedClaims.online[3]);
        played.advance(0.1);
        assert.equal(growthLine(played.world.claim), recordedClaims.online[4]);
    });
});

describe("a simulated offline driver", () => {
    it("refuses while the volume is still attached: the pod is gone only since a moment", () => {
        const played = new PlayedClaim({ driver: "offline" }, { pods: [podOn("p", "node-0")] });
        played.advance(60);
        played.change({ pods: [] });
        played.request("11Gi");
        assert.equal(growthLine(played.world.claim), recordedClaims.offline[2]);
        played.advance(3);
        assert.equal(played.world.volume?.spec?.capacity?.storage, "11Gi");
    });

    it("grows a volume that no pod has used", () => {
        const played = new PlayedClaim({ driver: "offline" });
        played.request("11Gi");
        assert.equal(growthLine(played.world.claim), recordedClaims.online[2]);
    });
});

describe("a simulated driver with a quota", () => {
    it("refuses once so many volumes of the class have grown", () => {
        const others = [volumeOf("a", "11Gi"), volumeOf("b", "10Gi")];
        const played = new PlayedClaim({ refusesAfter: 2 }, { others });
        played.request("11Gi");
        assert.equal(played.world.volume?.spec?.capacity?.storage, "11Gi");
        const late = new PlayedClaim({ refusesAfter: 2 }, { others: [...others, volumeOf("c", "12Gi")] });
        late.request("11Gi");
        assert.equal(
            growthLine(late.world.claim),
            "10Gi, 11Gi ControllerResizeInfeasible: ControllerResizeError Resizing",
        );
    });

    it("lets go of a size that has failed for certain, not of one that it may still reach", () => {
        for (const [refusesWith, then] of [
            ["Internal", "12Gi"],
            ["Unavailable", "20Gi"],
        ] as const) {
            const played = new PlayedClaim({ refusesAbove: "15Gi", refusesWith });
            played.request("20Gi");
            played.request("12Gi");
            played.advance(10);
            assert.equal(played.world.claim.status?.allocatedResources?.storage, then);
        }
    });
});
