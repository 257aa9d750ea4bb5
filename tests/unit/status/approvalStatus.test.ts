import * as assert from "node:assert/strict";
import { answerTo, consent } from "../../../bin/recordedConsent";
import { withdrawal } from "../../../bin/consentOnLease";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { type Approvals, type ApprovalWait, withUsed } from "../../../provider/lifecycle/vocabulary/approvals";
import { htmlStatus } from "../../../status/htmlStatus";
import { textStatus } from "../../../status/textStatus";
import { healthy, now, type Seen, statusOf } from "./seenCluster";

const approvalWait: ApprovalWait = {
    digest: "3f9c2a11d0e7",
    of: "roll out basic-tikv",
    lets: "restart basic-tikv-2, the first of 3 steps",
    by: "ci@runner, process 71 (90ab3c)",
    since: now - 60_000,
    at: now - 10_000,
};
const seen = (more: Partial<ApprovalWait> = {}): Partial<Seen> => ({
    lease: { approvalWaits: { 1: { ...approvalWait, ...more } } },
});

describe("a run that waits for approval", () => {
    it("is in the status with the command that consents", () => {
        const { approvals } = statusOf(healthy(seen()));
        assert.equal(approvals[0].command, "npx pulumi-tidb approve basic 3f9c2a11d0e7 --namespace tidb");
        const words =
            /roll out basic-tikv waits for approval of 3f9c2a11d0e7: restart basic-tikv-2, the first of 3 steps; run by ci@runner, .*, since .* \(60 s ago\), last heard of \d+ s ago; run `npx pulumi-tidb approve/;
        assert.match(textStatus(statusOf(healthy(seen()))), words);
        assert.match(htmlStatus(statusOf(healthy(seen()))), /waits for approval of 3f9c2a11d0e7/);
    });

    it("has how the plan has changed in a field of its own; the texts have it behind the steps", () => {
        const status = statusOf(healthy(seen({ change: "without restart basic-tikv-0" })));
        const [{ lets, change }] = status.approvals;
        assert.deepEqual([lets, change], [approvalWait.lets, "without restart basic-tikv-0"]);
        const words = /the first of 3 steps \(changed: without restart basic-tikv-0\); run by ci@runner/;
        assert.match(textStatus(status), words);
        assert.match(htmlStatus(status), words);
        assert.equal(statusOf(healthy(seen())).approvals[0].change, null);
    });

    it("may have ended once it has not said so for longer than a run that lives", () => {
        const words = (age: number) => textStatus(statusOf(healthy(seen({ at: now - age }))));
        assert.match(
            words(41_000),
            /last heard of 41 s ago, although a run says every 30 s that it waits: it may have ended; run `/,
        );
        assert.doesNotMatch(words(40_000), /may have ended/);
    });

    it("counts as an update that is under way, although it does not hold the lock", () => {
        const statefulSets = { tikv: { image: "pingcap/tikv:v8.5.4" } };
        const [note] = statusOf(healthy({ ...seen(), statefulSets })).remarks;
        assert.match(note, /run different versions: .*: an update is under way$/);
    });

    it("is forgotten once it no longer says so: it was killed", () => {
        assert.deepEqual(statusOf(healthy(seen({ at: now - 90_000 }))).approvals, []);
        assert.deepEqual(statusOf(healthy()).approvals, []);
    });

    it("is forgotten at once if the consent was used after it last said so, and not if it said so later", () => {
        const used = (at: number) => ({
            approvals: { given: {}, goals: {}, used: { "3f9c2a11d0e7": { by: "ana", at } } },
        });
        const of = (at: number) => statusOf(healthy({ lease: { ...seen().lease, ...used(at) } })).approvals.length;
        assert.deepEqual([of(now - 9_000), of(now - 10_000), of(now - 11_000)], [0, 1, 1]);
    });

    it("is one of several, the longest first", () => {
        const other = { ...approvalWait, of: "roll out basic-pd", since: now - 90_000 };
        const { approvals } = statusOf(healthy({ lease: { approvalWaits: { 1: approvalWait, 2: other } } }));
        assert.deepEqual(
            approvals.map(({ of }) => of),
            ["roll out basic-pd", "roll out basic-tikv"],
        );
    });

    it("is judged by the API server's clock, if that is known", () => {
        const lease = { ...seen().lease, asOf: now + 3_600_000 };
        assert.deepEqual(statusOf(healthy({ lease })).approvals, []);
        const late = { approvalWaits: { 1: { ...approvalWait, at: now + 3_600_000 } }, asOf: now + 3_601_000 };
        assert.equal(statusOf(healthy({ lease: late })).approvals.length, 1);
    });
});

describe("a consent that no run has used", () => {
    const given = {
        "3f9c2a11d0e7": { by: "ana@laptop", at: now - 60_000 },
        "000000000000": { by: "ben@build", at: now - 8 * 86_400_000 },
    };
    const status = statusOf(healthy({ lease: { approvals: { given, goals: {} } } }));

    it("is in the status, in all formats, and says whether it still counts", () => {
        assert.deepEqual(status.consents, [
            { digest: "000000000000", by: "ben@build", at: "2026-11-14T17:30:00.000Z", counts: false },
            { digest: "3f9c2a11d0e7", by: "ana@laptop", at: "2026-11-22T17:29:00.000Z", counts: true },
        ]);
        const text = textStatus(status);
        assert.match(
            text,
            /^ {2}consent: 3f9c2a11d0e7, by ana@laptop at 2026-11-22 17:29:00 UTC: no run has used it yet$/m,
        );
        assert.match(
            text,
            /^ {2}consent: 000000000000, by ben@build at 2026-11-14 17:30:00 UTC: it no longer counts$/m,
        );
        assert.match(htmlStatus(status), /consent: 3f9c2a11d0e7, by ana@laptop/);
    });

    it("says that the plan which waits for approval is another one", () => {
        const waits = (digest: string) =>
            statusOf(
                healthy({
                    lease: { approvals: { given, goals: {} }, approvalWaits: { 1: { ...approvalWait, digest } } },
                }),
            );
        const words = /consent: 3f9c2a11d0e7, .*: no run has used it yet, and it does not cover the plan that waits/;
        assert.match(textStatus(waits("81d0c6f5a2b4")), words);
        assert.match(htmlStatus(waits("81d0c6f5a2b4")), words);
        assert.doesNotMatch(textStatus(waits("3f9c2a11d0e7")), /does not cover/);
    });
});

describe("a consent that is recorded while a run writes the Lease", () => {
    const digest = "3f9c2a11d0e7";
    const annotation = `pulumi-tidb.io/approved-plan-${digest}`;
    /** The API server, whose Lease has changed after each of the first reads. @param changes how often. */
    const api = (annotations: Record<string, string>, changes: number, onChange = () => undefined as unknown) => {
        const patches: object[] = [];
        let version = 0;
        return {
            patches,
            server: "https://k8s.example",
            serverNow: () => now,
            readLease: () =>
                Promise.resolve({
                    metadata: { name: "basic-pulumi-tidb", resourceVersion: `${version}`, annotations },
                }),
            patchLease: (_namespace: string, _name: string, patch: object) => {
                if (version < changes) {
                    version++;
                    onChange();
                    return Promise.reject(new KubernetesApiError("the Lease has changed", 409));
                }
                patches.push(patch);
                return Promise.resolve({} as never);
            },
        } as never as Parameters<typeof consent>[0] & { patches: { metadata: { resourceVersion: string } }[] };
    };
    const plan = { namespace: "tidb", cluster: "basic", digest, ahead: false };

    it("is decided again from the Lease as it is then", async () => {
        const lease = api({}, 2);
        assert.match(await consent(lease, plan), /^recorded the consent/);
        assert.equal(lease.patches[0].metadata.resourceVersion, "2");
    });

    it("does not bring back one that the run has used meanwhile", async () => {
        const at = now - 7 * 86_400_000 + 3_600_000;
        const annotations: Record<string, string> = { [annotation]: JSON.stringify({ by: "ana", at }) };
        const lease = api(annotations, 1, () => {
            delete annotations[annotation];
            annotations["pulumi-tidb.io/approved-goals"] = "{}";
            annotations["pulumi-tidb.io/used-consents"] = JSON.stringify({ [digest]: { by: "ana", at: now } });
        });
        await assert.rejects(consent(lease, plan), /the consent to 3f9c2a11d0e7 by ana was used at/);
        assert.deepEqual(lease.patches, []);
    });

    it("fails if the Lease never stays as it was read", () =>
        assert.rejects(consent(api({}, 99), plan), /has changed/));

    it("is withdrawn from the Lease as it was read, and that is said", async () => {
        const lease = api({ [annotation]: JSON.stringify({ by: "ana", at: now - 60_000 }) }, 1);
        assert.equal(
            await withdrawal(lease, plan),
            "withdrew the consent to plan 3f9c2a11d0e7 of tidb/basic (by ana, of 2026-11-22 17:29:00 UTC): no run has used it, and none will",
        );
        assert.deepEqual(lease.patches, [{ metadata: { annotations: { [annotation]: null }, resourceVersion: "1" } }]);
    });

    it("is not withdrawn once a run has used it, also if it does so at that moment", async () => {
        const annotations: Record<string, string> = { [annotation]: JSON.stringify({ by: "ana", at: now - 60_000 }) };
        const lease = api(annotations, 1, () => {
            delete annotations[annotation];
            annotations["pulumi-tidb.io/approved-goals"] = "{}";
            annotations["pulumi-tidb.io/used-consents"] = JSON.stringify({ [digest]: { by: "ana", at: now } });
        });
        await assert.rejects(withdrawal(lease, plan), {
            message:
                "the consent to 3f9c2a11d0e7 by ana was used at 2026-11-22 17:30:00 UTC, so it cannot be withdrawn. Nothing was changed. To stop the run that used it: npx pulumi-tidb stop basic --namespace tidb",
        });
        assert.deepEqual(lease.patches, []);
    });

    it("cannot be withdrawn if it is not on record, and what cannot be read is said", async () => {
        await assert.rejects(withdrawal(api({}, 0), plan), {
            message: "no consent to 3f9c2a11d0e7 is on record, so nothing was changed",
        });
        const unread = { [annotation]: "{}", "pulumi-tidb.io/used-consents": "{" };
        await assert.rejects(
            withdrawal(api(unread, 0), plan),
            /is on record, so nothing was changed\. annotation pulumi-tidb\.io\/approved-plan-3f9c2a11d0e7 holds \{\}.*removes it\. annotation pulumi-tidb\.io\/used-consents of Lease/,
        );
    });

    it("is refused while it is not known what runs wait for, unless one waits for this plan or the user insists", async () => {
        const unread = { "pulumi-tidb.io/waits-for-approval-1": "{" };
        await assert.rejects(
            consent(api(unread, 0), plan),
            /^Error: whether a run waits for another plan than 3f9c2a11d0e7 is not known: annotation .*-1 of Lease .*removes it.*\. Nothing was recorded\. To consent all the same, add --ahead$/,
        );
        assert.match(await consent(api(unread, 0), { ...plan, ahead: true }), /^recorded the consent/);
        const asked = { ...unread, "pulumi-tidb.io/waits-for-approval-2": JSON.stringify(approvalWait) };
        assert.match(await consent(api(asked, 0), plan), /^approved 3f9c2a11d0e7/);
    });
});

describe("the answer to a consent", () => {
    const answer = (digest: string, waits = [approvalWait], isAhead = false, approvals = {}) =>
        answerTo("tidb/basic", digest, waits, isAhead, approvals, now).said;
    const consented = (at: number) => ({ "3f9c2a11d0e7": { by: "ana@laptop", at } });
    const tooOld = now - 8 * 86_400_000;

    it("names the run that waits for the plan, whoever else waits", () => {
        const other = { ...approvalWait, digest: "000000000000" };
        assert.equal(
            answer("3f9c2a11d0e7", [other, approvalWait]),
            "approved 3f9c2a11d0e7 of tidb/basic: restart basic-tikv-2, the first of 3 steps (roll out basic-tikv, run by ci@runner, process 71 (90ab3c))",
        );
    });

    it("names how the plan has changed since the run asked for another one", () => {
        const changed = [{ ...approvalWait, change: "without restart basic-tikv-0" }];
        assert.match(
            answer("3f9c2a11d0e7", changed),
            /of 3 steps \(changed: without restart basic-tikv-0\) \(roll out/,
        );
        assert.throws(
            () => answer("000000000000", changed),
            /of 3 steps \(changed: without restart basic-tikv-0\); run by/,
        );
    });

    it("says that the run may have ended, if it has not said that it waits for longer than one that lives", () => {
        const silent = [{ ...approvalWait, at: now - 65_000 }];
        const words = /last heard of 65 s ago, although a run says every 30 s that it waits: it may have ended/;
        const given = answer("3f9c2a11d0e7", silent);
        assert.match(given, /^approved 3f9c2a11d0e7 .*process 71 \(90ab3c\)\); the run was last heard of/);
        assert.match(given, words);
        assert.match(answer("000000000000", silent, true), words);
        assert.throws(() => answer("000000000000", silent), words);
    });

    it("is an error in one line if a run waits for another plan", () => {
        assert.throws(() => answer("000000000000"), {
            message:
                "a run waits for approval of 3f9c2a11d0e7, not of 000000000000 (roll out basic-tikv: restart basic-tikv-2, the first of 3 steps; run by ci@runner, process 71 (90ab3c)). Nothing was recorded. Look at that plan; to consent to one that is not asked for yet, add --ahead",
        });
    });

    it("accepts a plan that is not asked for yet, if the user says so or nobody waits", () => {
        const ahead = answer("000000000000", [approvalWait], true);
        assert.match(
            ahead,
            /^recorded the consent to plan 000000000000 of tidb\/basic; a run waits for .*3f9c2a11d0e7/,
        );
        assert.match(
            answer("3f9c2a11d0e7", []),
            /^recorded the consent to plan 3f9c2a11d0e7 of tidb\/basic; no run waits/,
        );
    });

    it("says that a consent is there already, and records no other one: whoever waits for it, and however often it is given", () => {
        for (const [waits, isAhead] of [
            [[], false],
            [[], true],
            [[approvalWait], false],
        ] as const) {
            const approvals = { given: consented(now - 60_000) };
            assert.deepEqual(answerTo("tidb/basic", "3f9c2a11d0e7", waits, isAhead, approvals, now), {
                said: "3f9c2a11d0e7 of tidb/basic: already approved by ana@laptop at 2026-11-22 17:29:00 UTC, not used yet; nothing was recorded",
                isNew: false,
            });
        }
        assert.equal(answerTo("tidb/basic", "3f9c2a11d0e7", [], false, {}, now).isNew, true);
        assert.match(answer("3f9c2a11d0e7", [], false, { given: consented(tooOld) }), /^recorded the consent/);
        const other = { given: { "000000000000": { by: "ana@laptop", at: now } } };
        assert.match(answer("3f9c2a11d0e7", [], false, other), /^recorded the consent/);
    });

    it("renews a consent that ends within a day, and says so; one from another clock is as old as that says", () => {
        const hour = 3_600_000;
        const week = 7 * 24 * hour;
        for (const [age, isRenewed] of [
            [week - 23 * hour, true],
            [week - 1, true],
            [week - 25 * hour, false],
            [-hour, false],
        ] as const) {
            const approvals = { given: consented(now - age) };
            for (const waits of [[], [approvalWait]]) {
                const { said, isNew } = answerTo("tidb/basic", "3f9c2a11d0e7", waits, false, approvals, now);
                assert.equal(isNew, isRenewed, said);
                assert.match(
                    said,
                    isRenewed
                        ? /^renewed the consent to plan 3f9c2a11d0e7 of tidb\/basic \(by ana@laptop, of 2026-11-1\d .*counts for a week from now$/
                        : /already approved/,
                );
            }
        }
        const approvals = { given: consented(now - week + hour) };
        const other = [{ ...approvalWait, digest: "000000000000" }];
        assert.throws(
            () => answer("3f9c2a11d0e7", other, false, approvals),
            /a run waits for approval of 000000000000/,
        );
    });

    it("says that it does not compare the digest with a plan, unless a run waits for it", () => {
        assert.match(answer("ffffffffffff", []), /This command does not compare the digest with a plan/);
        assert.doesNotMatch(answer("3f9c2a11d0e7"), /does not compare/);
    });

    it("refuses what may have been used while that cannot be read, unless a run asks for it or the user insists", () => {
        const approvals = { usedProblem: "annotation x is invalid JSON. Remove it" };
        assert.throws(() => answer("3f9c2a11d0e7", [], false, approvals), {
            message:
                "whether the consent to 3f9c2a11d0e7 was used before is not known: annotation x is invalid JSON. Remove it. Nothing was recorded. To consent all the same, add --ahead",
        });
        assert.match(answer("3f9c2a11d0e7", [], true, approvals), /^recorded the consent/);
        assert.match(answer("3f9c2a11d0e7", [approvalWait], false, approvals), /^approved/);
    });

    it("refuses a consent that was used, unless a run asks for the plan again, or the user says that it is for a later run", () => {
        const approvals = { used: consented(now - 60_000) };
        assert.throws(() => answer("3f9c2a11d0e7", [], false, approvals), {
            message:
                "the consent to 3f9c2a11d0e7 by ana@laptop was used at 2026-11-22 17:29:00 UTC, and each consent is used once. Nothing was recorded. If a preview shows this plan again, as after a run that failed, add --ahead",
        });
        assert.match(answer("3f9c2a11d0e7", [approvalWait], false, approvals), /^approved 3f9c2a11d0e7/);
        assert.match(answer("3f9c2a11d0e7", [], true, approvals), /^recorded the consent/);
        assert.match(answer("3f9c2a11d0e7", [], false, { used: consented(tooOld) }), /^recorded the consent/);
    });

    it("does not take the note of a wait for another wait, if a run used the consent after that was written", () => {
        const used = (at: number) => ({ used: consented(at) });
        const justNow = { ...approvalWait, at: now - 2_000 };
        assert.throws(() => answer("3f9c2a11d0e7", [justNow], false, used(now - 1_000)), /was used at/);
        assert.match(answer("3f9c2a11d0e7", [justNow], true, used(now - 1_000)), /^recorded .*; no run waits/);
        assert.match(answer("3f9c2a11d0e7", [justNow], false, used(now - 3_000)), /^approved 3f9c2a11d0e7/);
        assert.match(answer("3f9c2a11d0e7", [justNow], false, used(now - 2_000)), /^approved 3f9c2a11d0e7/);
        const other = { ...justNow, digest: "000000000000" };
        assert.throws(
            () => answer("3f9c2a11d0e7", [justNow, other], false, used(now - 1_000)),
            /waits for .*000000000000/,
        );
    });

    it("knows the last twenty consents of a week that were used", () => {
        const digests = Array.from({ length: 30 }, (_, index) => `digest ${index}`);
        const used = digests.reduce<Approvals["used"]>(
            (before, digest, index) => withUsed(before, digest, { by: "ana", at: now + index }),
            { old: { by: "ben", at: tooOld } },
        );
        assert.deepEqual(Object.keys(used ?? {}).sort(), digests.slice(10).sort());
        assert.deepEqual(Object.keys(withUsed({ old: { by: "ben", at: tooOld } }, "new", { by: "ana", at: now })), [
            "new",
        ]);
    });
});
