import * as assert from "node:assert/strict";
import { leftClaims } from "../../../../provider/lifecycle/prerequisites/leftClaims";
import type { DeployedMembers } from "../../../../provider/lifecycle/prerequisites/seenVersions";
import type { ObservedMember } from "../../../../provider/lifecycle/vocabulary/observation";
import type { Component } from "../../../../topology/members";
import { claimOf, observed } from "../../../support/lifecycle/observations";
import { codesOf, messagesOf, repeats } from "../../../support/repeats";
import { pinnedWords } from "../../../support/pinned";

const version = "v8.5.3";
const left = (component: Component, ...claims: (object | undefined)[]): ObservedMember => ({
    component,
    pods: [],
    claims: claims.map((claim, ordinal) => claimOf(component, ordinal, { version, ...claim })),
});
const found = (members: ObservedMember[], before: DeployedMembers = {}, replicas = 3, wanted = ["pd", "tikv"]) =>
    leftClaims(
        Object.fromEntries(wanted.map((component) => [component, { replicas }])),
        { members: Object.fromEntries(members.map((member) => [member.component, member])), pdClusterId: undefined },
        before,
    );

describe("claims of an earlier cluster of the same name", () => {
    const saidOf =
        (...members: ObservedMember[]) =>
        () =>
            messagesOf(found(members).warnings);
    pinnedWords("left-claims", {
        "of PD and TiKV": saidOf(left("pd", {}), left("tikv", {}, {})),
        "of TiKV without those of PD": saidOf(left("pd"), left("tikv", {})),
        "of PD without those of TiKV": saidOf(left("pd", {}), left("tikv")),
        "that a scale-in has released": saidOf(left("pd"), left("tikv", { released: true })),
    });

    it("are named, with what happens to them and what to do for an empty cluster", () => {
        const { warnings, risks } = found([left("pd", {}), left("tikv", {}, {})]);
        assert.deepEqual(codesOf(warnings), ["claims-left", "pd-settings-kept"]);
        repeats(warnings, "pd-basic-pd-0, tikv-basic-tikv-0, tikv-basic-tikv-1");
        assert.deepEqual(risks, ["pods start on the data of an earlier cluster"]);
    });

    it("are no longer those of an earlier cluster once anything of the member is there, or an update has deployed it", () => {
        const nothing = { warnings: [], risks: [] };
        const running = {
            ...observed("tikv", {}).observation.members.tikv!,
            claims: [claimOf("tikv", 0, { version })],
        };
        assert.deepEqual(found([running]), nothing);
        const suspended = { pd: { version, runs: false }, tikv: { version, runs: false } };
        assert.deepEqual(found([left("pd", {}), left("tikv", {})], suspended), nothing);
        assert.deepEqual(found([left("pd"), left("tikv")]), nothing);
    });

    it("count only as far as pods start on them", () => {
        const [first] = found([left("pd", {}), left("tikv", {}, {})], {}, 1).warnings;
        repeats(first, "pd-basic-pd-0", "tikv-basic-tikv-0");
        assert.ok(!first.message.includes("tikv-basic-tikv-1"), first.message);
        const gone = [{ terminating: true }];
        assert.deepEqual(found([left("pd", ...gone), left("tikv", ...gone)]).warnings, []);
    });

    it("are named as deleted where a scale-in has released them, and pods come in their place", () => {
        const members = [left("tikv", { released: true }, { released: true, terminating: true }, { released: true })];
        const { warnings, risks } = found(members, {}, 2, ["tikv"]);
        assert.deepEqual([codesOf(warnings), risks], [["claims-released-before"], []]);
        repeats(warnings, "claim tikv-basic-tikv-0:");
        const running = { ...observed("tikv", {}).observation.members.tikv!, claims: members[0].claims };
        assert.deepEqual(found([running], {}, 2, ["tikv"]).warnings, []);
    });

    it("whose version no record shows are left to the warning about their version", () => {
        assert.deepEqual(found([left("pd"), left("tikv", { version: undefined })]).warnings.slice(1), []);
        assert.deepEqual(
            codesOf(found([left("pd", { version: undefined }), left("tikv", { version: undefined })]).warnings),
            ["pd-settings-kept"],
            "PD keeps its settings whichever version wrote them",
        );
    });

    it("of TiKV without those of PD are as they should be in recovery mode", () => {
        const seen = {
            members: { pd: left("pd"), tikv: left("tikv", { version: undefined }) },
            pdClusterId: undefined,
        };
        const wanted = { pd: { replicas: 3 }, tikv: { replicas: 3 } };
        assert.deepEqual(leftClaims(wanted, seen, {}, true).warnings, []);
        assert.equal(leftClaims(wanted, seen, {}).warnings.length, 1);
    });

    it("of TiKV without those of PD, and of PD without those of TiKV, do not make a cluster", () => {
        const warned = (...members: ObservedMember[]) => codesOf(found(members).warnings);
        assert.deepEqual(warned(left("pd"), left("tikv", {})), ["claims-left", "claims-without-pd"]);
        assert.deepEqual(warned(left("pd"), left("tikv", { version: undefined })), ["claims-without-pd"]);
        assert.deepEqual(warned(left("pd", {}), left("tikv")), ["claims-left", "claims-without-tikv"]);
        assert.deepEqual(warned(left("pd", { version: undefined }), left("tikv")), ["claims-without-tikv"]);
        const pdOfAnother = found([left("tikv", {})], {}, 3, ["tikv"]).warnings;
        assert.deepEqual(codesOf(pdOfAnother), ["claims-left"], "a cluster that joins the PD of another one");
        const running = observed("pd", {}).observation.members.pd!;
        assert.deepEqual(warned(running, left("tikv", {})), ["claims-left"], "PD runs");
    });
});
