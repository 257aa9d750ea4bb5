import * as assert from "node:assert/strict";
import type { ObservedClaim } from "../../../../provider/lifecycle/vocabulary/observation";
import { claimOf as claim } from "../../../support/lifecycle/observations";
import type { FixedClaim, FixedFields } from "../../../../provider/lifecycle/vocabulary/fixedFields";
import { refusedChange } from "../../../../provider/lifecycle/volumes/refusedChange";

const tikv = { name: "tikv", storage: "100Gi", storageClass: "fast" };
const live: FixedFields = { podManagementPolicy: "Parallel", serviceName: "basic-tikv-peer", claims: [tikv] };
const why =
    "as in the live StatefulSet: Kubernetes cannot change this field of a StatefulSet, and this version of pulumi-tidb cannot either. Next: put back what the live StatefulSet has. To change it all the same, where the member can do without its data (PD and TiKV cannot): take the member out of the program, run `pulumi up`, and put it in again with the new value";

const member = (claims: ObservedClaim[]) => ({ cluster: "basic", component: "tikv" as const, claims });
const sized = (requested: string | undefined, more: Partial<ObservedClaim> = {}) =>
    claim("tikv", 0, { state: { phase: "Bound", hasSource: false, requested, capacity: requested }, ...more });

/** The wanted fields, the refused field, and the beginning of the reason. */
const refused: [name: string, wanted: Partial<FixedFields>, field: string, reason: string][] = [
    [
        "the order of pods",
        { podManagementPolicy: "OrderedReady" },
        "podManagementPolicy",
        "found OrderedReady, expected Parallel",
    ],
    ["the headless Service", { serviceName: "other" }, "serviceName", "found other, expected basic-tikv-peer"],
];

describe("the size of a volume", () => {
    const wants = (storage: string, claims: ObservedClaim[]) =>
        refusedChange(live, { ...live, claims: [{ ...tikv, storage }] }, member(claims));

    it("may grow", () => assert.equal(wants("200Gi", [sized("100Gi")]), undefined));
    it("is the same in another unit", () => assert.equal(wants("102400Mi", [sized("100Gi")]), undefined));
    it("may go back to what every volume still has", () =>
        assert.equal(wants("50Gi", [sized("50Gi"), sized("100Gi", { released: true })]), undefined));
    it("shrinks by other volumes", () => assert.equal(wants("50Gi", [sized("100Gi")]), undefined));
    it("does not shrink where the volumes' sizes are not known", () =>
        assert.deepEqual(wants("50Gi", [claim("tikv", 0)]), {
            field: "requests.storage",
            reason: "found 50Gi for volume tikv, expected 100Gi or more: tikv-basic-tikv-0 has a size that is not known, Kubernetes does not shrink a volume, and whether its volume is to be replaced is not known",
        }));
    it("does not shrink where the program lets no volume be replaced", () => {
        const claims = [{ ...tikv, storage: "50Gi" }];
        const found = refusedChange(live, { ...live, claims }, { ...member([sized("100Gi")]), replacesVolumes: false });
        assert.deepEqual(found, {
            field: "requests.storage",
            reason: "found 50Gi for volume tikv, expected 100Gi or more: tikv-basic-tikv-0 has 100Gi, Kubernetes does not shrink a volume, and spec.enablePVCReplace is false, so no volume is replaced. Next: put the value back, or take that field out",
        });
    });
    it("is compared with the claims of its own template", () =>
        assert.equal(wants("50Gi", [{ ...sized("100Gi"), name: "tikv-logs-basic-tikv-0" }]), undefined));
});

describe("the class of a volume", () => {
    const wants = (storageClass: string, more: object = {}) =>
        refusedChange(live, { ...live, claims: [{ ...tikv, storageClass }] }, { ...member([sized("100Gi")]), ...more })
            ?.reason;

    it("changes by other volumes", () => assert.equal(wants("slow"), undefined));
    it("has a name: nothing else shows which volumes have it", () =>
        assert.equal(
            wants(""),
            "found nothing for volume tikv, expected a name: the volumes have fast. Next: name the class that they are to have",
        ));
    it("stays where the program lets no volume be replaced", () =>
        assert.equal(
            wants("slow", { replacesVolumes: false }),
            "found slow for volume tikv, expected fast: spec.enablePVCReplace is false, so no volume is replaced. Next: put the value back, or take that field out",
        ));
    it("stays for Pump: its binlog is nowhere else", () =>
        assert.ok(wants("slow", { component: "pump" })?.includes("a Pump's volume is not replaced")));
});

describe("the attributes class of a volume", () => {
    const of = (attributesClass: string | undefined) => [{ ...tikv, ...(attributesClass ? { attributesClass } : {}) }];
    const from = (now: string | undefined, wanted: string | undefined) =>
        refusedChange({ ...live, claims: of(now) }, { ...live, claims: of(wanted) }, member([]))?.reason;

    it("changes in place", () => assert.equal(from("slow", "quick"), undefined));
    it("comes to volumes without one", () => assert.equal(from(undefined, "quick"), undefined));
    it("does not go: Kubernetes takes none off a claim", () =>
        assert.ok(from("slow", undefined)?.startsWith("found nothing for volume tikv, expected a name")));
});

describe("the number and the names of volumes", () => {
    const log = { ...tikv, name: "tikv-log" };
    const changed = (from: FixedClaim[], to: FixedClaim[]) =>
        refusedChange({ ...live, claims: from }, { ...live, claims: to }, member([sized("100Gi")]));
    it("may grow, fall and change", () => {
        const pairs = [
            [[tikv], [tikv, log]],
            [[tikv, log], [tikv]],
            [
                [tikv, log],
                [{ ...log, name: "tikv-trace" }, tikv],
            ],
            [[], [tikv]],
        ];
        assert.deepEqual(
            pairs.map(([from, to]) => changed(from, to)),
            pairs.map(() => undefined),
        );
    });
    it("keep the volume with the data", () =>
        assert.deepEqual(changed([tikv, log], [log]), {
            field: "storageVolumes",
            reason: "found no volume tikv, expected it: the data of each pod are on it. Next: put it back; a second cluster on the same PD can take its place",
        }));
    it("do not hide that another volume has another size or class", () => {
        assert.equal(changed([tikv], [log, { ...tikv, storageClass: "" }])?.field, "storageClassName");
    });
});

describe("what Kubernetes cannot change of a StatefulSet is refused before the update begins", () => {
    for (const [name, wanted, field, reason] of refused) {
        it(`${name}: ${reason}`, () =>
            assert.deepEqual(refusedChange(live, { ...live, ...wanted }, member([])), {
                field,
                reason: `${reason}, ${why}`,
            }));
    }
    it("nothing is refused if nothing changed", () =>
        assert.equal(refusedChange(live, { ...live }, member([])), undefined));
});
