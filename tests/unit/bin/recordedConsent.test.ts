import * as assert from "node:assert/strict";
import { argumentProblem } from "../../../bin/approveCommand";
import { withdrawal } from "../../../bin/consentOnLease";
import { answerTo, consent } from "../../../bin/recordedConsent";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { type Approvals, type ApprovalWait, withUsed } from "../../../provider/lifecycle/vocabulary/approvals";
import { pinnedWords, refusalOf } from "../../support/pinned";
import { approvalWait, now } from "../status/seenCluster";

const digest = approvalWait.digest;
const annotation = `pulumi-tidb.io/approved-plan-${digest}`;
const plan = { namespace: "tidb", cluster: "basic", digest, ahead: false };
const ahead = { ...plan, ahead: true };

/** The API server, whose Lease has changed after each of the first reads. @param changes how often. */
function api(annotations: Record<string, string>, changes = 0, onChange = () => undefined as unknown) {
    const patches: object[] = [];
    let version = 0;
    return {
        patches,
        server: "https://k8s.example",
        serverNow: () => now,
        readLease: () =>
            Promise.resolve({
                metadata: { name: "basic-pulumi-tidb", namespace: "tidb", resourceVersion: `${version}`, annotations },
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
}

/** The Lease with a consent, which a run uses once the Lease was read. */
function usedMeanwhile(at: number) {
    const annotations: Record<string, string> = { [annotation]: JSON.stringify({ by: "ana", at }) };
    return api(annotations, 1, () => {
        delete annotations[annotation];
        annotations["pulumi-tidb.io/approved-goals"] = "{}";
        annotations["pulumi-tidb.io/used-consents"] = JSON.stringify({ [digest]: { by: "ana", at: now } });
    });
}

const unreadWait = { "pulumi-tidb.io/waits-for-approval-1": "[]" };
const unreadConsent = { [annotation]: "{}", "pulumi-tidb.io/used-consents": "[]" };

describe("a consent that is recorded while a run writes the Lease", () => {
    it("is decided again from the Lease as it is then", async () => {
        const lease = api({}, 2);
        await consent(lease, plan);
        assert.deepEqual(
            lease.patches.map(({ metadata }) => metadata.resourceVersion),
            ["2"],
        );
    });

    it("does not bring back one that the run has used meanwhile", async () => {
        const lease = usedMeanwhile(now - 7 * 86_400_000 + 3_600_000);
        await assert.rejects(consent(lease, plan));
        assert.deepEqual(lease.patches, []);
    });

    it("fails if the Lease never stays as it was read", () =>
        assert.rejects(consent(api({}, 99), plan), { status: 409 }));

    it("is withdrawn from the Lease as it was read", async () => {
        const lease = api({ [annotation]: JSON.stringify({ by: "ana", at: now - 60_000 }) }, 1);
        await withdrawal(lease, plan);
        assert.deepEqual(lease.patches, [{ metadata: { annotations: { [annotation]: null }, resourceVersion: "1" } }]);
    });

    it("is not withdrawn once a run has used it, also if it does so at that moment, or if it is not on record", async () => {
        for (const lease of [usedMeanwhile(now - 60_000), api({}), api(unreadConsent)]) {
            await assert.rejects(withdrawal(lease, plan));
            assert.deepEqual(lease.patches, []);
        }
    });

    it("is refused while it is not known what runs wait for, unless one waits for this plan or the user insists", async () => {
        const asked = { ...unreadWait, "pulumi-tidb.io/waits-for-approval-2": JSON.stringify(approvalWait) };
        for (const [annotations, how, recorded] of [
            [unreadWait, plan, 0],
            [unreadWait, ahead, 1],
            [asked, plan, 1],
        ] as const) {
            const lease = api(annotations);
            await consent(lease, how).catch(() => undefined);
            assert.equal(lease.patches.length, recorded);
        }
    });
});

describe("the answer to a consent", () => {
    const hour = 3_600_000;
    const week = 7 * 24 * hour;
    const of = (age: number) => ({ [digest]: { by: "ana@laptop", at: now - age } });
    const wait = (more: Partial<ApprovalWait> = {}): ApprovalWait => ({ ...approvalWait, ...more });
    const other = wait({ digest: "000000000000" });
    const silent = wait({ at: now - 65_000 });
    const changed = wait({ change: "without restart basic-tikv-0" });
    const usedProblem = "annotation x is invalid JSON. Remove it";
    type Case = [waits: ApprovalWait[], approvals?: Partial<Approvals>, isAhead?: boolean, digest?: string];
    const answer = ([waits, approvals = {}, isAhead = false, asked = digest]: Case) =>
        answerTo("tidb/basic", asked, waits, isAhead, approvals, now);

    /** What comes of a consent to the plan, by who waits, what is on record and whether `--ahead` is given. */
    const cases: Record<"records" | "is there already" | "refuses", Record<string, Case>> = {
        records: {
            "a run waits for the plan, whoever else waits": [[other, wait()]],
            "the plan has changed since the run asked for another one": [[changed]],
            "the run has not said for 65 s that it waits": [[silent]],
            "a run that waits for another plan has not said so for 65 s, and the user insists": [
                [silent],
                {},
                true,
                "000000000000",
            ],
            "a run waits for another plan, and the user insists": [[other], {}, true],
            "no run waits": [[]],
            "the last consent is too old": [[], { given: of(week + 24 * hour) }],
            "a consent to another plan is on record": [
                [],
                { given: { "000000000000": { by: "ana@laptop", at: now } } },
            ],
            "the last consent ends in 23 hours": [[], { given: of(week - 23 * hour) }],
            "the last consent ends now, and a run waits": [[wait()], { given: of(week - 1) }],
            "it may have been used, and the user insists": [[], { usedProblem }, true],
            "it may have been used, and a run asks for it": [[wait()], { usedProblem }],
            "it was used, and a run asks for the plan again": [[wait()], { used: of(60_000) }],
            "it was used, and the user says that it is for a later run": [[], { used: of(60_000) }, true],
            "it was used too long ago": [[], { used: of(week + 24 * hour) }],
            "it was used before the run said that it waits": [[wait({ at: now - 2_000 })], { used: of(3_000) }],
            "it was used when the run said that it waits": [[wait({ at: now - 2_000 })], { used: of(2_000) }],
            "it was used after the run said that it waits, and the user insists": [
                [wait({ at: now - 2_000 })],
                { used: of(1_000) },
                true,
            ],
        },
        "is there already": {
            "no run waits": [[], { given: of(60_000) }],
            "the user insists": [[], { given: of(60_000) }, true],
            "a run waits": [[wait()], { given: of(60_000) }],
            "it ends in 25 hours": [[], { given: of(week - 25 * hour) }],
            "it is from a clock that is ahead": [[wait()], { given: of(-hour) }],
        },
        refuses: {
            "a run waits for another plan": [[other]],
            "a run waits for another plan, whose plan has changed": [[changed], {}, false, "000000000000"],
            "a run waits for another plan, with control characters in it": [[{ ...other, lets: "restart \u001b[2J" }]],
            "a run waits for another plan, and has not said so for 65 s": [[silent], {}, false, "000000000000"],
            "a run waits for another plan, also if a consent ends soon": [[other], { given: of(week - hour) }],
            "it may have been used": [[], { usedProblem }],
            "it was used": [[], { used: of(60_000) }],
            "it was used after the run said that it waits": [[wait({ at: now - 2_000 })], { used: of(1_000) }],
            "it was used, and a run waits for another plan": [
                [wait({ at: now - 2_000 }), wait({ ...other, at: now - 2_000 })],
                { used: of(1_000) },
            ],
        },
    };
    const listed = Object.entries(cases).flatMap(([comes, some]) =>
        Object.entries(some).map(([title, given]) => ({ comes, title, given })),
    );
    for (const { comes, title, given } of listed) {
        it(`${comes}, if ${title}`, () => {
            if (comes === "refuses") {
                assert.throws(() => answer(given));
            } else {
                assert.equal(answer(given).isNew, comes === "records");
            }
        });
    }

    pinnedWords("approve", {
        ...Object.fromEntries(
            listed.map(({ comes, title, given }) => [
                `${comes}, if ${title}`,
                comes === "refuses" ? refusalOf(() => answer(given)) : () => answer(given).said,
            ]),
        ),
        "refuses, if what runs wait for cannot be read": refusalOf(() => consent(api(unreadWait), plan)),
        withdraws: () => withdrawal(api({ [annotation]: JSON.stringify({ by: "ana", at: now - 60_000 }) }), plan),
        "withdraws nothing, if the run has used it": refusalOf(() => withdrawal(usedMeanwhile(now - 60_000), plan)),
        "withdraws nothing, if it is not on record": refusalOf(() => withdrawal(api({}), plan)),
        "withdraws nothing, if it cannot be read": refusalOf(() => withdrawal(api(unreadConsent), plan)),
        ...Object.fromEntries(
            (
                [
                    ["a digest and --next", digest, true, true],
                    ["--yes without --next", digest, false, true],
                    ["neither a digest nor --next", undefined, false, false],
                    ["what is no digest", "xyz", false, false],
                    ["no terminal", undefined, true, false],
                ] as const
            ).map(([title, asked, next, yes]) => [
                `refuses ${title}`,
                () => argumentProblem(asked, { next, yes }, false) ?? "",
            ]),
        ),
    });

    it("knows the last twenty consents of a week that were used", () => {
        const digests = Array.from({ length: 30 }, (_, index) => `digest ${index}`);
        const tooOld = now - week - 24 * hour;
        const used = digests.reduce<Approvals["used"]>(
            (before, one, index) => withUsed(before, one, { by: "ana", at: now + index }),
            { old: { by: "ben", at: tooOld } },
        );
        assert.deepEqual(Object.keys(used ?? {}).sort(), digests.slice(10).sort());
        assert.deepEqual(Object.keys(withUsed({ old: { by: "ben", at: tooOld } }, "new", { by: "ana", at: now })), [
            "new",
        ]);
    });
});
