import * as assert from "node:assert/strict";
import { createGate } from "../../provider/gates/gate";
import { lostNodesGateDefinition } from "../../provider/gates/lostNodesGate";
import type { LookOptions } from "../../provider/lifecycle/vocabulary/look";
import type { Action } from "../../provider/lifecycle/vocabulary/actions";
import { noRecords, type ObservedClaim } from "../../provider/lifecycle/vocabulary/observation";
import { defaultPolicy } from "../../provider/lifecycle/vocabulary/target";
import { PlayedRun } from "../support/gates/playedRun";
import { ofCluster, worldOf } from "../support/gates/worldOf";
import { downFor, minutes, unscheduled } from "../support/lifecycle/deaths";
import { claimAt, lostFrom, onGoneNode, seenLoss } from "../support/lifecycle/lostVolumes";
import { claimOf, type Deviation, observed, storeOf, tiflashStoreOf } from "../support/lifecycle/observations";

type Member = "pd" | "tikv" | "tiflash";
interface Pod {
    readonly member: Member;
    readonly ordinal: number;
    /** PD lists its store or member, moves its regions, or has dropped it. */
    inPd: "in" | "leaving" | "out";
    leavingFor: number;
    claim: "old" | "none" | "new";
    uid: string;
}

/** A cluster of six TiKV stores that has lost two pods with node-1, and people who approve what the preview printed, and nothing else. */
class TwoLost extends PlayedRun {
    readonly pods: Record<string, Pod> = {};
    /** Whether PD does not say how the second pod's volume is to be judged. */
    changes: Deviation = {};

    constructor(...pods: [Member, number][]) {
        super();
        for (const [member, ordinal] of pods) {
            const pod = { member, ordinal, inPd: "in", leavingFor: 3, claim: "old", uid: `uid-${ordinal}` } as const;
            this.pods[`basic-${member}-${ordinal}`] = { ...pod };
        }
    }

    private of(member: Member): Pod[] {
        return Object.values(this.pods).filter((pod) => pod.member === member);
    }

    private storesOf(member: Member): NonNullable<Deviation["stores"]> {
        const state = { in: "Down", leaving: "Offline" };
        return Object.fromEntries(
            this.of(member).map(({ ordinal, inPd }) => [
                ordinal,
                inPd === "out" ? undefined : { ...downFor(minutes), state: state[inPd], regionCount: 7 },
            ]),
        );
    }

    private membersOf(member: Member) {
        const claims = this.of(member).flatMap(({ ordinal, claim }): ObservedClaim[] =>
            claim === "old"
                ? [
                      claimAt(
                          member,
                          ordinal,
                          { ...onGoneNode, volume: `pv-${member}-${ordinal}` },
                          { uid: member === "tiflash" ? `claim-tiflash-${ordinal}` : `claim-${ordinal}` },
                      ),
                  ]
                : claim === "new"
                  ? [claimOf(member, ordinal, { uid: `claim-new-${ordinal}` })]
                  : [],
        );
        const pods = Object.fromEntries(
            this.of(member).map(({ ordinal, uid }) => [ordinal, { ...unscheduled(), uid }]),
        );
        return observed(member, { live: member === "tikv" ? 6 : 3, pods, claims }).observation.members;
    }

    protected seen(_time: number, { regions }: LookOptions) {
        for (const pod of Object.values(this.pods)) {
            if (pod.inPd === "leaving" && (pod.leavingFor -= 1) < 0) {
                pod.inPd = "out";
            }
        }
        const dropped = (member: Member) => this.of(member).filter(({ inPd }) => inPd === "out");
        const listed = typeof regions === "object" && "ofStores" in regions ? regions.ofStores : undefined;
        const tiflash = [0, 1, 2].flatMap((one) => {
            const changed = this.storesOf("tiflash");
            return one in changed && !changed[one] ? [] : [tiflashStoreOf(one, changed[one])];
        });
        const seen = seenLoss("tikv", {
            live: 6,
            stores: this.storesOf("tikv"),
            moreStores: tiflash,
            tombstones: [
                ...dropped("tikv").map(({ ordinal }) => storeOf(ordinal, { state: "Tombstone" })),
                ...dropped("tiflash").map(({ ordinal }) => tiflashStoreOf(ordinal, { state: "Tombstone" })),
            ],
            unhealthy: this.of("pd").map(({ ordinal }) => ordinal),
            notMembers: dropped("pd").map(({ ordinal }) => ordinal),
            ...(listed === undefined ? {} : { regionsOf: { stores: [...listed], regions: [] } }),
            ...this.changes,
        });
        const members = { ...this.membersOf("pd"), ...this.membersOf("tikv"), ...this.membersOf("tiflash") };
        return { ...seen, members };
    }

    protected does(action: Action): void {
        if (action.do === "note-lost-volumes" || action.do === "forget-lost-volumes") {
            return;
        }
        const name = "ofDead" in action ? action.ofDead : "pod" in action ? action.pod : undefined;
        const pod = this.pods[String(name)];
        assert.ok(this.records.lostVolumes?.[String(name)], "it is on record before, with what is given up");
        if (action.do === "remove-store" || action.do === "remove-member") {
            pod.inPd = action.do === "remove-store" ? "leaving" : "out";
        } else if (action.do === "delete-claims") {
            assert.equal(pod.inPd, "out");
            pod.claim = "none";
        } else {
            assert.deepEqual([action.do, pod.claim], ["delete-pod", "none"]);
            Object.assign(pod, { uid: "uid-new", claim: "new" });
        }
    }

    private gate() {
        return createGate(lostNodesGateDefinition, worldOf(this.ports()));
    }

    private told(): Record<string, unknown> {
        const policy = { ...defaultPolicy, podReadyTimeoutSeconds: 60 };
        return { ...ofCluster, nodes: ["node-1"], policy, gate: "lost-nodes", statusUrn: "urn" };
    }

    /** @returns the lines of the preview. From now on, people approve what it printed, and nothing else; nothing if it printed no digest. */
    async preview(): Promise<string[]> {
        const { plan, inputs } = await this.gate().planOf({}, this.told());
        this.approvesOnly = plan.flatMap((item) => (item.is === "approval" ? [item.digest] : []))[0] ?? "nothing";
        return inputs.plan as string[];
    }

    update() {
        return this.gate().update("id", this.told(), { ...this.told(), replicas: 0, plan: ["give up"], deferred: "" });
    }

    assertDone(message: string): void {
        assert.deepEqual(this.records, noRecords(), message);
        for (const [name, { inPd, claim }] of Object.entries(this.pods)) {
            assert.deepEqual([name, inPd, claim], [name, "out", "new"], message);
        }
    }
}

const pairs: [string, () => TwoLost][] = [
    ["a PD member and a TiKV store", () => new TwoLost(["pd", 1], ["tikv", 1])],
    ["a TiFlash and a TiKV store", () => new TwoLost(["tiflash", 1], ["tikv", 1])],
    ["two TiKV stores", () => new TwoLost(["tikv", 1], ["tikv", 2])],
];

describe("two pods that a node takes with it", function () {
    this.timeout(60_000);
    for (const [what, make] of pairs) {
        it(`are given up with the one consent that the preview asked for: ${what}`, async () => {
            const played = make();
            const lines = await played.preview();
            const names = Object.keys(played.pods);
            assert.deepEqual(
                lines.slice(0, 2).map((line) => line.split(" (")[0]),
                names.map((name) => `give up the volumes of ${name}`),
            );
            await played.update();
            assert.equal(played.done.filter((one) => one === "consent").length, 1);
            played.assertDone(what);
        });
        it(`go on after a kill at any call with the consent that the next preview asks for, if any: ${what}`, async () => {
            const whole = make();
            await whole.preview();
            whole.countAnew();
            await whole.update();
            assert.ok(whole.callsAtChanges().length > 12);
            for (const call of whole.callsAtChanges()) {
                const run = make();
                await run.preview();
                run.countAnew();
                run.at[call] = () => {
                    throw new Error("killed");
                };
                const failed = await run.update().then(
                    () => false,
                    () => true,
                );
                if (failed) {
                    await run.preview();
                    run.at = {};
                    await run.update();
                }
                run.assertDone(`killed at call ${call}`);
            }
        });
    }

    it("finish the first, which was begun, while the second one's regions, or what PD says of it, are not known", async () => {
        for (const changes of [{}, { unknown: ["placement"] } satisfies Deviation]) {
            const played = new TwoLost(["tikv", 1], ["tikv", 2]);
            played.pods["basic-tikv-1"].inPd = "out";
            played.records = { ...noRecords(), lostVolumes: lostFrom("tikv", 1) };
            Object.assign(played, { approves: false, changes });
            await assert.rejects(played.update(), /nobody has approved|placement rules are not known/);
            const first = ["delete-claims", "delete-pod", "forget-lost-volumes"];
            assert.deepEqual(played.done, first, JSON.stringify(changes));
        }
    });
    it("are not begun, not even the first, while it is not known whether the second may be given up", async () => {
        const played = new TwoLost(["pd", 1], ["tikv", 1]);
        played.changes = { unknown: ["placement"] };
        await assert.rejects(played.update(), /PD's placement rules are not known/);
        assert.deepEqual([played.done, played.records], [[], noRecords()]);
    });
    it("lose their consent with the pod, of PD too: a pod that was made anew is another one", async () => {
        const played = new TwoLost(["pd", 1], ["tikv", 1]);
        const { does } = played as unknown as { does: (action: Action) => void };
        Object.assign(played, {
            does(action: Action) {
                does.call(played, action);
                if (action.do === "note-lost-volumes") {
                    played.pods["basic-pd-1"].uid = "uid-other";
                    played.approves = false;
                }
            },
        });
        await played.preview();
        await assert.rejects(played.update(), /nobody has approved/);
        assert.deepEqual(played.done, ["consent", "note-lost-volumes"]);
    });
});
