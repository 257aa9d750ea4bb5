import * as assert from "node:assert/strict";
import type { DiagnosisFacts } from "../../../../provider/lifecycle/diagnosis/facts";
import { assembleDiagnosis } from "../../../../status/diagnosis/assembleDiagnosis";
import { textDiagnosis } from "../../../../status/diagnosis/textDiagnosis";
import {
    factsOf,
    forbidden,
    podOf,
    seen,
    statusOf as containerOf,
    unscheduled,
} from "../../lifecycle/diagnosis/podFacts";
import { healthy, now, type Seen, statusOf, suspended } from "../seenCluster";

const nothing: DiagnosisFacts = { pods: [], certificates: [], unread: [] };
const diagnose = (facts: Partial<DiagnosisFacts>, seenSo: Partial<Seen> = {}, guaranteed = false) =>
    assembleDiagnosis(statusOf(healthy(seenSo)), { ...nothing, ...facts }, guaranteed);
const missing = podOf({
    containerStatuses: [containerOf({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } })],
});
const notReady = { ready: false, trouble: "container tikv (pingcap/tikv:v8.5.3) is in ErrImagePull" };

describe("the diagnosis of a cluster", () => {
    it("of a healthy one", () => {
        const found = diagnose({});
        assert.deepEqual([found.isWell, found.problems, found.findings, found.notKnown], [true, [], [], []]);
        assert.equal(
            textDiagnosis(found),
            "TidbCluster tidb/basic: nothing is wrong\n  read at 2026-11-22T17:30:00.000Z with the context `prod` from `https://k8s.example:6443`\n",
        );
    });

    it("notes an eviction that is left, and not one that a run needs", () => {
        const evictions = { 11: { pod: "basic-tikv-1", begunAt: now - 42_000, leadersBefore: 500 } };
        const left = { evicted: [11, 12], observation: { records: { evictions, removals: {} } } };
        assert.deepEqual(diagnose({}, left).remarks, [
            "eviction of store 11 (basic-tikv-1): in force, begun by pulumi-tidb at 17:29:18Z (42 s ago), 500 leaders left of 500: if no update is under way, the next `pulumi up` or a sweep ends it",
            "eviction of store 12 (basic-tikv-2): in force, begun by somebody else, 500 leaders left",
        ]);
        const lock = { holder: "ana@laptop", operation: "roll out basic-tikv", renewedAt: now };
        assert.deepEqual(diagnose({}, { ...left, lease: { lock } }).remarks, []);
    });

    it("says the cause of several pods once, and nothing that the status finds of them", () => {
        const pods = [1, 2].map((ordinal) => factsOf(missing, { name: `basic-tikv-${ordinal}` }));
        const troubled = {
            pods: {
                "basic-tikv-1": notReady,
                "basic-tikv-2": notReady,
                "basic-tidb-0": { ready: false, trouble: "crashes" },
            },
            stores: { "basic-tikv-1": { state: "Down" } },
            podStatus: { "basic-tidb-0": "does not answer" },
        };
        const found = diagnose({ pods }, troubled);
        assert.deepEqual(found.findings, ["basic-tidb-0: does not answer"]);
        assert.equal(
            textDiagnosis(found),
            `TidbCluster tidb/basic: 2 problems
  read at 2026-11-22T17:30:00.000Z with the context \`prod\` from \`https://k8s.example:6443\`

basic-tikv-1, basic-tikv-2: the registry does not have image pingcap/tikv:v8.5.3 of container tikv (manifest unknown)
  fix: correct the image or the version of TiKV in the program
  It cannot come right by itself.

basic-tidb-0: does not answer
`,
        );
        assert.deepEqual(found.problems[0], {
            reason: "ImageNotFound",
            pods: ["basic-tikv-1", "basic-tikv-2"],
            of: ["basic-tikv-1", "basic-tikv-2"],
            cause: "the registry does not have image pingcap/tikv:v8.5.3 of container tikv",
            evidence: "manifest unknown",
            fix: "correct the image or the version of TiKV in the program",
            needsChange: true,
        });
    });

    it("names pods that no check counts, and for which nothing shows a cause", () => {
        const found = diagnose(
            {},
            {
                members: { pd: 3, tikv: 3, tidb: 2, pump: 2 },
                pods: { "basic-pump-0": null, "basic-pump-1": { ready: false, sidecarTrouble: "the sidecar crashes" } },
            },
        );
        assert.deepEqual(found.findings, [
            "basic-pump-0 does not exist",
            "basic-pump-1 is not ready: the sidecar crashes",
        ]);
    });

    it("finds nothing wrong with a member that the program suspends", () => {
        const members = { pd: 3, tikv: 3, tidb: 2 };
        assert.deepEqual(diagnose({}, suspended(members, "tidb")).findings, []);
        assert.deepEqual(diagnose({}, suspended(members, "pd", "tikv", "tidb")).findings, []);
    });

    it("names certificates that expire, by the time of the reading", () => {
        const certificate = seen({ subject: "CN=TiKV", from: now - 1, to: now + 86_400_000 });
        const found = diagnose({ certificates: [{ secret: "s", pods: ["basic-tikv-0"], certificate }] });
        assert.deepEqual(found.problems[0].pods, []);
        assert.match(
            textDiagnosis(found),
            /^the certificate in Secret s expires at .* in 1 day; basic-tikv-0 mounts it/m,
        );
    });

    it("names members that are not Guaranteed only if the user asks for it", () => {
        const pods = [factsOf(podOf({ conditions: [{ type: "Ready", status: "True" }] }))];
        assert.deepEqual(diagnose({ pods }).problems, []);
        assert.deepEqual(diagnose({ pods }, {}, true).problems[0].of, ["tikv"]);
    });

    it("is not well while something is not known, and says each thing once", () => {
        const waiting = factsOf(unscheduled("0/3 nodes are available: 3 Insufficient cpu."), { nodes: forbidden });
        const found = diagnose({
            pods: [waiting, { ...waiting, name: "basic-tikv-1" }],
            unread: ["basic-tikv-2: no answer"],
            certificates: [{ secret: "s", pods: [], certificate: forbidden }],
        });
        assert.deepEqual(found.notKnown, [
            "basic-tikv-2: no answer",
            "nodes: the API server answered 403",
            "the certificate in Secret s: the API server answered 403",
        ]);
        const unread = diagnose({ unread: ["basic-tikv-2: no answer"] });
        assert.equal(unread.isWell, false);
        assert.match(textDiagnosis(unread), /nothing is known to be wrong\n[^]*not known: basic-tikv-2: no answer\n$/);
    });
});
