import * as assert from "node:assert/strict";
import type { ClaimState } from "../../../provider/lifecycle/vocabulary/claimState";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ObservedStore } from "../../../provider/lifecycle/vocabulary/observation";
import { assembleDiagnosis } from "../../../status/diagnosis/assembleDiagnosis";
import { textDiagnosis } from "../../../status/diagnosis/textDiagnosis";
import { statusChanges } from "../../../status/statusChanges";
import { textStatus } from "../../../status/textStatus";
import { pinnedWords } from "../../support/pinned";
import { claimsOf, healthy, now, type Seen, statusOf, storeOf } from "./seenCluster";

const gib = 1024 ** 3;
const growing = (resize?: ClaimState["resize"]): Partial<ClaimState> => ({
    ...{ capacity: "10Gi", requested: "20Gi", storageClass: "fast" },
    ...(resize ? { resize } : {}),
});
const trouble = "quota of volumes exceeded";
const byDriver = growing({ of: "volume" });
const failing = growing({ of: "volume", trouble });
const refused = growing({ of: "volume", trouble, isInfeasible: true });
const atStart = growing({ of: "file-system", since: now - 120_000, waited: 120_000 });
const justNow = growing({ of: "file-system", since: now - 119_000, waited: 119_000 });

const seenWith = (...states: Parameters<typeof claimsOf> extends [unknown, ...infer S] ? S : never): Partial<Seen> => ({
    claims: { tikv: claimsOf("tikv", ...states) },
});
const template = { name: "tikv", storage: "10Gi", storageClass: "" };
const templates = { tikv: [template] };
const run = { lock: { holder: "ana@laptop", renewedAt: now } };
/** A TiKV whose disk is filled up to this many of 100 GiB, and its claim. */
const filled = (percent: number, claim: string | Partial<ClaimState> = "100Gi", more: Partial<ObservedStore> = {}) => {
    const [capacityBytes, availableBytes] = [100 * gib, (100 - percent) * gib];
    return {
        ...seenWith("100Gi", claim),
        pd: { placement: known({ maxReplicas: 3, lowSpaceRatio: 0.8 }, "PD", 0) },
        stores: { "basic-tikv-1": { capacityBytes, availableBytes, usedBytes: percent * gib, ...more } },
    };
};
const withTiflash = (): Partial<Seen> => {
    const { pd } = filled(90);
    const [capacityBytes, availableBytes] = [100 * gib, 10 * gib];
    return {
        members: { pd: 3, tikv: 3, tiflash: 1 },
        ...{ pd, stores: { "basic-tiflash-0": { capacityBytes, availableBytes } } },
        claims: { tiflash: claimsOf("tiflash", "60Gi", "40Gi").map(dataClaim) },
    };
};
const dataClaim = (claim: ReturnType<typeof claimsOf>[number], index: number) => ({
    ...claim,
    ...{ name: `data${index}-basic-tiflash-0`, ordinal: 0 },
});

const stateOf = (seen: Partial<Seen>) => statusOf(healthy({ ...seen, lease: { ...run, ...seen.lease } }));
const textOf = (seen: Partial<Seen>) => textStatus(statusOf(healthy(seen)));
const lineOf = (seen: Partial<Seen>, start: string) =>
    textOf(seen)
        .split("\n")
        .filter((line) => line.startsWith(start))
        .map((line) => line.split(/ {2,}/));
const notes = (seen: Partial<Seen>, code: string) =>
    statusOf(healthy(seen))
        .remarks.filter((one) => one.code === code)
        .map(({ message }) => message);
const problemsOf = (seen: Partial<Seen>) =>
    assembleDiagnosis(statusOf(healthy(seen)), { pods: [], certificates: [], unread: [] }, false);

describe("the volumes in a status", () => {
    it("have a size for each member, each size once, and that of each template if there are several", () => {
        const sizes = (seen: Partial<Seen>) => lineOf(seen, "TiKV")[0].at(-1);
        assert.equal(sizes(seenWith("10Gi", "10Gi", "10Gi")), "10Gi");
        assert.equal(sizes(seenWith("20Gi", "10Gi", "10Gi")), "10Gi ×2, 20Gi");
        assert.equal(sizes(seenWith("10Gi", { phase: "Pending", requested: "10Gi" })), "10Gi, no volume yet");
        const wal = claimsOf("tikv", "1Gi", "1Gi").map((claim) => ({
            ...claim,
            name: `tikv-wal${claim.name.slice(4)}`,
        }));
        const both = { claims: { tikv: [...claimsOf("tikv", "10Gi", "10Gi"), ...wal] } };
        assert.equal(sizes(both), "tikv 10Gi; tikv-wal 1Gi");
        assert.ok(!textOf({}).includes("VOLUMES"), "no column if no member has one");
    });

    it("are in the JSON whole, those of pods that do not exist too", () => {
        const { members } = stateOf({ ...seenWith("10Gi", atStart), pods: { "basic-tikv-1": null } });
        const pods = members.find(({ component }) => component === "tikv")?.pods ?? [];
        const none = { name: "tikv-basic-tikv-0", template: "tikv", storageClass: "", growth: null };
        assert.deepEqual(pods[0].claims, [{ ...none, size: "10Gi", requested: "10Gi" }]);
        const growth = {
            ...{ stage: "file-system", words: "the file system grows when the pod starts", trouble: null },
            ...{ since: "2026-11-22T17:28:00.000Z", isRefused: false, needsStart: true },
        };
        const grown = { ...none, name: "tikv-basic-tikv-1", size: "10Gi", requested: "20Gi", storageClass: "fast" };
        assert.deepEqual(pods[1].claims, [{ ...grown, growth }]);
        assert.deepEqual(pods[2].claims, []);
    });

    it("have a line if they have less than their claims request, and none if a driver gave them more", () => {
        assert.deepEqual(lineOf(seenWith({ capacity: "16Gi", requested: "10Gi" }), "POD"), []);
        for (const one of [growing(), byDriver, failing, refused, justNow]) {
            const line = lineOf(seenWith(one), "basic-tikv-0").at(-1) ?? [];
            assert.ok(line[2].startsWith("volume tikv has 10Gi of 20Gi: "), line.join());
            assert.equal(line[2].endsWith(`(${trouble})`), one === failing || one === refused);
        }
        const group = lineOf(seenWith(byDriver, byDriver, "10Gi"), "basic-tikv-0, basic-tikv-1");
        assert.equal(group.length, 1, "pods with the same words have one line");
    });

    it("are logged as a change when their growth begins, fails and ends", () => {
        let facts: ReturnType<typeof statusChanges>["facts"] | undefined;
        const changes = [seenWith("10Gi"), seenWith(byDriver), seenWith(failing), seenWith("20Gi")].map((seen) => {
            const next = statusChanges(facts, statusOf(healthy(seen)));
            facts = next.facts;
            return next.changes.filter((line) => line.startsWith("basic-tikv-0:")).length;
        });
        assert.deepEqual(changes, [0, 1, 1, 1]);
    });

    it("have the size of the claim next to that of the disk only if a file system does not explain the difference", () => {
        const shown = (claim: string, capacityBytes: number) =>
            lineOf({ ...filled(50, claim, { capacityBytes }) }, "11")[0].slice(6, 9);
        assert.deepEqual(shown("100Gi", 95 * gib), ["95.0 GiB", "50.0 GiB", "50.0 GiB"]);
        assert.equal(shown("100Gi", 100 * gib)[0], "100.0 GiB");
        assert.equal(shown("100Gi", 89 * gib)[0], "89.0 GiB (claim 100.0 GiB)");
        assert.equal(shown("10Gi", 100 * gib)[0], "100.0 GiB (claim 10.0 GiB)");
        const unreported = { capacityBytes: undefined, availableBytes: undefined, usedBytes: undefined };
        assert.deepEqual(lineOf(filled(50, "100Gi", unreported), "11")[0].slice(6, 9), ["?", "?", "?"]);
    });

    it("of a TiFlash are its data volumes together, and no store of another cluster has claims", () => {
        const sizesOf = (seen: Partial<Seen>) => {
            const { stores } = statusOf(healthy(seen));
            return stores.known ? stores.value.map(({ claimBytes }) => claimBytes) : [];
        };
        assert.equal(sizesOf(withTiflash()).at(-1), 100 * gib);
        const half = claimsOf("tiflash", "60Gi", { requested: "40Gi" }).map(dataClaim);
        assert.equal(sizesOf({ ...withTiflash(), claims: { tiflash: half } }).at(-1), null);
        const foreign = { ...storeOf("tikv", "basic-tikv-0", 7), own: false };
        assert.deepEqual(sizesOf({ ...seenWith("10Gi"), moreStores: [foreign] }), [10 * gib, null, null, null]);
    });
});

describe("the notes on volumes", () => {
    const low = (seen: Partial<Seen>) => notes(seen, "store-low-on-space");
    const larger = (seen: Partial<Seen>) => notes({ templates, ...seen }, "volumes-larger");
    const three = seenWith("20Gi", "20Gi", "10Gi");

    it("warn before a disk is full, with PD's ratio, and say which field to raise", () => {
        assert.deepEqual(low(filled(79)), []);
        const [message] = low(filled(81));
        assert.ok(/basic-tikv-1.*81% of 100\.0 GiB.*spec\.tikv\.requests\.storage/.test(message), message);
        assert.ok(low(withTiflash())[0].includes("spec.tiflash.storageClaims"));
    });

    it("do not ask for a larger claim if it grows already, or if a limit keeps the store from using it", () => {
        assert.ok(!low(filled(81, byDriver))[0].includes("requests.storage"));
        assert.ok(low(filled(81, "200Gi"))[0].includes("limits.storage"));
    });

    it("name claims that request more than the StatefulSet says, with the size of a new pod", () => {
        const [message, ...others] = larger(three);
        assert.deepEqual(others, []);
        for (const part of ["tikv-basic-tikv-0, tikv-basic-tikv-1:", "20Gi", "10Gi", "spec.tikv.requests.storage"]) {
            assert.ok(message.includes(part), message);
        }
        const [uneven] = larger(seenWith("20Gi", "30Gi"));
        assert.ok(uneven.includes("set 30Gi"), uneven);
        const wal = claimsOf("tikv", "2Gi").map((claim) => ({ ...claim, name: "tikv-wal-basic-tikv-0" }));
        const ofWal = {
            templates: { tikv: [{ ...template, name: "tikv-wal", storage: "1Gi" }] },
            claims: { tikv: wal },
        };
        assert.ok(larger(ofWal)[0].endsWith("spec.tikv.storageVolumes"));
    });

    it("say of claims that operations.volumes has grown since when and from which size, and ask for nothing", () => {
        const grown = { at: "2026-11-30T18:43:08.000Z", from: "10Gi", to: "12Gi", storeBytes: 10 * gib };
        const [ours, ...others] = larger(seenWith({ capacity: "12Gi", requested: "12Gi", grown }, "10Gi"));
        assert.deepEqual(others, []);
        for (const part of ["tikv-basic-tikv-0: 12Gi", "(operations.volumes) from 10Gi on 2026-11-30", "says 10Gi"]) {
            assert.ok(ours.includes(part), ours);
        }
        assert.ok(!ours.includes("Next"), ours);
        const both = larger(seenWith({ capacity: "12Gi", requested: "12Gi", grown }, { requested: "20Gi", grown }));
        assert.equal(both.length, 2);
        assert.ok(both[1].startsWith("TiKV: tikv-basic-tikv-1: up to 20Gi"), both[1]);
    });

    it("do not name a size that a driver rounded up, a released claim, or what a run may be changing", () => {
        assert.deepEqual(larger(seenWith("10Gi", "5Gi", { capacity: "20Gi", requested: "10Gi" })), []);
        assert.deepEqual(larger({ ...three, lease: run }), []);
        for (const more of [{ released: true }, { terminating: true }]) {
            const claims = { tikv: claimsOf("tikv", "20Gi").map((claim) => ({ ...claim, ...more })) };
            assert.deepEqual(larger({ claims }), []);
        }
        assert.deepEqual(notes({ ...three, statefulSets: { tikv: null } }, "volumes-larger"), []);
    });

    it("are short", () => {
        const all = [filled(81), filled(81, byDriver), filled(81, "200Gi"), withTiflash()].flatMap(low);
        for (const message of [...all, ...larger(three)]) {
            assert.ok(message.length <= 200, `${message.length}: ${message}`);
        }
    });
});

describe("the diagnosis of volumes", () => {
    it("names one whose growth fails or waits for its pod, with the driver's words, once for all pods", () => {
        const { problems, isWell } = problemsOf(seenWith(failing, failing, "10Gi"));
        assert.equal(isWell, false);
        assert.deepEqual(
            problems.map(({ reason, pods, evidence, needsChange }) => [reason, pods, evidence, needsChange]),
            [["VolumeNotEnlarged", ["basic-tikv-0", "basic-tikv-1"], trouble, false]],
        );
        assert.equal(problemsOf(seenWith(refused)).problems[0].needsChange, true);
        assert.ok(problemsOf(seenWith(atStart)).problems[0].fix.includes("pulumi up"));
    });

    it("finds nothing wrong with a growth that makes progress", () => {
        for (const one of [growing(), byDriver, justNow]) {
            assert.deepEqual(problemsOf(seenWith(one)).problems, []);
        }
    });

    it("notes a disk that fills up, and claims that were enlarged by hand", () => {
        const { remarks } = problemsOf({ ...filled(85), templates });
        assert.deepEqual(
            remarks.map(({ code }) => code),
            ["volumes-larger", "store-low-on-space"],
        );
    });
});

const situations: Record<string, Partial<Seen>> = {
    "one driver has not begun, one works": seenWith(growing(), byDriver, "20Gi"),
    "one driver fails, one refuses": seenWith(failing, refused, "10Gi"),
    "file systems wait": seenWith(atStart, justNow, "20Gi"),
    "enlarged by hand": { ...seenWith("20Gi", "20Gi", "10Gi"), templates },
    "a disk fills up": filled(81),
    "a disk fills up, and its volume grows": filled(81, { ...byDriver, capacity: "100Gi", requested: "200Gi" }),
    "a disk fills up that is limited": filled(81, "200Gi"),
};

describe("the words on volumes", () => {
    pinnedWords(
        "volumes",
        Object.fromEntries(
            Object.entries(situations).flatMap(([title, seen]) => [
                [`status: ${title}`, () => textOf(seen)],
                [`diagnose: ${title}`, () => textDiagnosis(problemsOf(seen))],
            ]),
        ),
    );
});
