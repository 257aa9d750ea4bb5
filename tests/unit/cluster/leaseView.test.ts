import type { V1Lease } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { readLease, viewLease } from "../../../provider/cluster/leaseView";
import { noRecords } from "../../../provider/lifecycle/vocabulary/observation";
import { repeats } from "../../support/repeats";

const noted = (annotations: Record<string, string>): V1Lease => ({
    metadata: { name: "basic-pulumi-tidb", uid: "1", resourceVersion: "7", annotations },
});

/** A problem with an annotation quotes it, if it is JSON, and says how to remove it. */
function quotes(problem: string | undefined, annotation: string, held = ""): void {
    const command = "kubectl annotate lease basic-pulumi-tidb --namespace tidb";
    repeats(problem, held === "{" ? "JSON" : held, `${command} pulumi-tidb.io/${annotation}-`);
}

describe("a cluster's Lease, as gates read it", () => {
    it("is empty if nobody has written anything", () => {
        const nothing = {
            uid: "",
            resourceVersion: "",
            lock: {
                holder: undefined,
                acquiredAt: undefined,
                renewedAt: undefined,
                durationSeconds: undefined,
                operation: undefined,
            },
            stopRequest: undefined,
            pdClusterId: undefined,
            owner: undefined,
            members: undefined,
            records: noRecords(),
        };
        assert.deepEqual(viewLease({}), nothing);
        assert.deepEqual(viewLease({ spec: { holderIdentity: "" }, metadata: {} }), nothing, "let go of");
    });

    it("says who holds it, until when, and what is on record", () => {
        const owner = { stack: "acme/shop/prod", urn: "urn", name: "basic", namespace: "tidb" };
        const removals = { 13: { pod: "basic-tikv-3", begunAt: 5 } };
        const { metadata } = noted({
            "pulumi-tidb.io/records": JSON.stringify({ removals }),
            "pulumi-tidb.io/operation": "roll out basic-tikv",
            "pulumi-tidb.io/stop": "ben@build",
            "pulumi-tidb.io/stop-of": "ana@laptop",
            "pulumi-tidb.io/pd-cluster-id": "7",
            "pulumi-tidb.io/owner": JSON.stringify(owner),
            "pulumi-tidb.io/members": JSON.stringify({ pd: { replicas: 3 } }),
        });
        const renewTime = new Date("2026-11-21T14:00:00Z") as unknown as NonNullable<V1Lease["spec"]>["renewTime"];
        const acquireTime = new Date("2026-11-21T13:58:00Z") as typeof renewTime;
        const spec = { holderIdentity: "ana@laptop", acquireTime, renewTime, leaseDurationSeconds: 15 };
        assert.deepEqual(viewLease({ metadata, spec }), {
            uid: "1",
            resourceVersion: "7",
            lock: {
                holder: "ana@laptop",
                acquiredAt: Date.parse("2026-11-21T13:58:00Z"),
                renewedAt: Date.parse("2026-11-21T14:00:00Z"),
                durationSeconds: 15,
                operation: "roll out basic-tikv",
            },
            stopRequest: { by: "ben@build", of: "ana@laptop" },
            pdClusterId: "7",
            owner,
            members: { pd: { replicas: 3 } },
            records: { evictions: {}, removals },
        });
    });

    const next = "expected a JSON object, as pulumi-tidb writes it. Restore the original text before anything is done";
    for (const text of ["[]", "7", "null", '"words"', "true"]) {
        it(`is an error if somebody wrote ${text} as its records`, () => {
            assert.throws(() => viewLease(noted({ "pulumi-tidb.io/records": text })), {
                message: `annotation pulumi-tidb.io/records of Lease basic-pulumi-tidb holds ${text}: ${next}`,
            });
        });
    }

    it("can be read although its record of used consents cannot: it says why, and how to remove that", () => {
        for (const [text, held] of [
            ["{", "{"],
            ["[]", "[]"],
            ['{"3f9c2a11d0e7":7}', "7 for 3f9c2a11d0e7"],
            ['{"3f9c2a11d0e7":{"by":"ana"}}', '{"by":"ana"} for 3f9c2a11d0e7'],
            ['{"3f9c2a11d0e7":null}', "null for 3f9c2a11d0e7"],
        ] as const) {
            const given = { "pulumi-tidb.io/approved-plan-000000000000": '{"by":"ben","at":5}' };
            const lease = noted({ ...given, "pulumi-tidb.io/used-consents": text });
            const { approvals } = viewLease({ metadata: { ...lease.metadata, namespace: "tidb" } });
            assert.deepEqual(approvals?.given, { "000000000000": { by: "ben", at: 5 } });
            assert.equal(approvals?.used, undefined);
            quotes(approvals?.usedProblem, "used-consents", held);
        }
    });

    it("can be read although a consent was written by hand: that does not count, and it says how to remove it", () => {
        for (const text of [
            "{",
            "[]",
            '{"by":"ana"}',
            '{"by":"ana","at":"yesterday"}',
            '{"by":"ana","at":1e+300}',
            '{"at":5}',
        ]) {
            const good = { "pulumi-tidb.io/approved-plan-000000000000": '{"by":"ben","at":5}' };
            for (const [others, given] of [
                [good, { "000000000000": { by: "ben", at: 5 } }],
                [{}, {}],
            ] as const) {
                const lease = noted({ ...others, "pulumi-tidb.io/approved-plan-3f9c2a11d0e7": text });
                const { approvals } = viewLease({ metadata: { ...lease.metadata, namespace: "tidb" } });
                assert.deepEqual(approvals?.given, given);
                quotes(approvals?.givenProblem, "approved-plan-3f9c2a11d0e7", text);
            }
        }
    });

    it("can be read although what a run waits for cannot: it names the annotation, and how to remove it", () => {
        const good = { digest: "3f9c2a11d0e7", of: "", lets: "", by: "", since: 1, at: 2 };
        for (const text of [
            "{",
            "7",
            "{}",
            ...[{ steps: ["a", 5] }, { steps: "a" }, { lets: 5 }, { change: 5 }, { at: "now" }, { since: 1e300 }].map(
                (bad) => JSON.stringify({ ...good, ...bad }),
            ),
        ]) {
            const lease = noted({
                "pulumi-tidb.io/waits-for-approval-1": text,
                "pulumi-tidb.io/waits-for-approval-2": JSON.stringify(good),
            });
            const found = viewLease({ metadata: { ...lease.metadata, namespace: "tidb" } });
            assert.deepEqual(found.approvalWaits, { "pulumi-tidb.io/waits-for-approval-2": good });
            quotes(found.waitsProblem, "waits-for-approval-1");
        }
    });

    it("can be read although the first revision of a template cannot: it says of which member, and what to do", () => {
        for (const text of ["{", "[]", '{"template":"new"}', '{"revision":"r"}']) {
            const good = { "pulumi-tidb.io/first-revision-pd": '{"template":"new","revision":"r"}' };
            for (const others of [good, {}]) {
                const lease = noted({ ...others, "pulumi-tidb.io/first-revision-tikv": text });
                const { approvals } = viewLease({ metadata: { ...lease.metadata, namespace: "tidb" } });
                assert.deepEqual(
                    Object.keys(approvals?.firstRevisions ?? {}),
                    Object.keys(others).length ? ["pd"] : [],
                );
                assert.deepEqual(Object.keys(approvals?.firstProblems ?? {}), ["tikv"]);
                quotes(approvals?.firstProblems?.tikv, "first-revision-tikv", text);
            }
        }
    });

    it("is an error that names the annotation and the cause if it holds invalid JSON", () => {
        assert.throws(
            () => viewLease(noted({ "pulumi-tidb.io/owner": "{" })),
            (error: Error) => {
                repeats(error.message, "pulumi-tidb.io/owner", "basic-pulumi-tidb");
                assert.ok(error.message.endsWith(next));
                return error.cause instanceof SyntaxError;
            },
        );
    });

    it("is quoted in an error only up to a limit", () => {
        const long = `[${"1,".repeat(500)}1]`;
        assert.throws(
            () => viewLease(noted({ "pulumi-tidb.io/members": long })),
            (error: Error) => error.message.length < 300,
        );
        const nameless: V1Lease = { metadata: { annotations: { "pulumi-tidb.io/members": "7" } } };
        assert.throws(() => viewLease(nameless), /of Lease  holds 7: /);
    });

    it("is read by the cluster's name, and is undefined if it does not exist", async () => {
        const asked: string[] = [];
        const readLeaseOf = (namespace: string, name: string) => {
            asked.push(`${namespace}/${name}`);
            return Promise.resolve(name === "basic-pulumi-tidb" ? noted({}) : undefined);
        };
        assert.equal((await readLease({ readLease: readLeaseOf }, "tidb", "basic"))?.uid, "1");
        assert.equal(await readLease({ readLease: readLeaseOf }, "tidb", "other"), undefined);
        assert.deepEqual(asked, ["tidb/basic-pulumi-tidb", "tidb/other-pulumi-tidb"]);
        const timed = await readLease({ readLease: readLeaseOf, serverNow: () => 77 }, "tidb", "basic");
        assert.equal(timed?.asOf, 77, "the API server's time");
    });

    it("says what people have consented to, and what a run waits for", () => {
        const wait = { digest: "3f9c2a11d0e7", of: "", lets: "", by: "", since: 1, at: 2 };
        const other = { ...wait, by: "ben" };
        const { approvals, approvalWaits } = viewLease(
            noted({
                "pulumi-tidb.io/approved-plan-3f9c2a11d0e7": JSON.stringify({ by: "ana", at: 5 }),
                "pulumi-tidb.io/approved-plan-000000000000": JSON.stringify({ by: "ben", at: 6 }),
                "pulumi-tidb.io/approved-goals": JSON.stringify({ "roll out basic-tikv": "1" }),
                "pulumi-tidb.io/waits-for-approval-1": JSON.stringify(wait),
                "pulumi-tidb.io/waits-for-approval-2": JSON.stringify(other),
                "pulumi-tidb.io/first-revision-tikv": JSON.stringify({ template: "new", revision: "basic-tikv-1" }),
            }),
        );
        assert.deepEqual(approvals, {
            given: { "3f9c2a11d0e7": { by: "ana", at: 5 }, "000000000000": { by: "ben", at: 6 } },
            goals: { "roll out basic-tikv": "1" },
            firstRevisions: { tikv: { template: "new", revision: "basic-tikv-1" } },
        });
        assert.deepEqual(approvalWaits, {
            "pulumi-tidb.io/waits-for-approval-1": wait,
            "pulumi-tidb.io/waits-for-approval-2": other,
        });
    });
});
