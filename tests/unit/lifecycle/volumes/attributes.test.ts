import * as assert from "node:assert/strict";
import type { ClaimState } from "../../../../provider/lifecycle/vocabulary/claimState";
import { emptyMemory } from "../../../../provider/lifecycle/vocabulary/memory";
import type { ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import { nextVolumesMove } from "../../../../provider/lifecycle/volumes/nextVolumesMove";
import { claimOf, inShort, observed } from "../../../support/lifecycle/observations";

type Claim = Pick<ClaimState, "attributesClass" | "attributes"> & Partial<Pick<ObservedClaim, "released">>;

const templates = (attributesClass?: string) => [
    { name: "tikv", storage: "10Gi", storageClass: "fast", ...(attributesClass ? { attributesClass } : {}) },
];

function inWords(claims: Claim[], wanted: string | undefined, template = wanted): string {
    const { observation, target } = observed("tikv", {
        live: claims.length,
        replicas: claims.length,
        claimTemplates: templates(template),
        claims: claims.map(({ released = false, ...state }, ordinal) =>
            claimOf("tikv", ordinal, {
                released,
                state: {
                    ...{ phase: "Bound", hasSource: false, storageClass: "fast" },
                    ...{ requested: "10Gi", capacity: "10Gi", ...state },
                },
            }),
        ),
    });
    const move = nextVolumesMove(observation, { ...target, claims: templates(wanted) }, emptyMemory);
    return move === undefined ? "nothing" : inShort(move);
}

const slow: Claim = { attributesClass: "slow", attributes: { current: "slow" } };
const quick: Claim = { attributesClass: "quick", attributes: { current: "quick" } };
const asked: Claim = { attributesClass: "quick", attributes: { current: "slow" } };

const rows: [
    name: string,
    claims: Claim[],
    wanted: string | undefined,
    template: string | undefined,
    expected: string,
][] = [
    ["a program without a class leaves it", [slow, slow], undefined, undefined, "nothing"],
    ["all have the class", [quick, quick], "quick", "quick", "nothing"],
    ["the first is modified in place", [slow, slow], "quick", "slow", "modify tikv-basic-tikv-0 quick"],
    ["one that has none gets it", [{}, quick], "quick", "quick", "modify tikv-basic-tikv-0 quick"],
    ["one at a time", [asked, slow], "quick", "slow", "wait volume-modified basic-tikv-0"],
    [
        "a refusal ends it",
        [{ ...asked, attributes: { current: "slow", trouble: "no iops", isInfeasible: true } }, slow],
        "quick",
        "slow",
        "fail volume-modified basic-tikv-0",
    ],
    [
        "a failure is tried again",
        [{ ...asked, attributes: { current: "slow", trouble: "too early" } }, slow],
        "quick",
        "slow",
        "wait volume-modified basic-tikv-0",
    ],
    ["a released claim stays as it is", [quick, { ...slow, released: true }], "quick", "quick", "nothing"],
    ["new pods get it, too", [quick, quick], "quick", "slow", "recreate basic-tikv"],
];

describe("the VolumeAttributesClass of a member's volumes", () => {
    for (const [name, claims, wanted, template, expected] of rows) {
        it(`${name}: ${expected}`, () => assert.equal(inWords(claims, wanted, template), expected));
    }
});
