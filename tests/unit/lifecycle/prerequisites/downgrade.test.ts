import * as assert from "node:assert/strict";
import { versionChanges } from "../../../../provider/lifecycle/prerequisites/downgrade";
import type { DeployedMembers } from "../../../../provider/lifecycle/prerequisites/seenVersions";
import { type Fact, known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import type {
    ContainerState,
    ObservedClaim,
    ObservedMember,
} from "../../../../provider/lifecycle/vocabulary/observation";
import { claimOf, observed } from "../../../support/lifecycle/observations";
import type { Component } from "../../../../topology/members";
import { repeats } from "../../../support/repeats";
import type { Notice } from "../../../../provider/lifecycle/vocabulary/notices";

/** A member whose pods run images with these tags, or whose StatefulSet has such an image and no pod. */
function running(component: Component, tags: string[], template?: string): ObservedMember {
    const { members } = observed(component, {}).observation;
    const member = members[component]!;
    return {
        ...member,
        pods: tags.map((tag, ordinal) => ({
            ...member.pods[0],
            name: `basic-${component}-${ordinal}`,
            image: `hub:5000/${component}:${tag}`,
        })),
        statefulSet: { ...member.statefulSet!, image: template && `pingcap/${component}:${template}` },
    };
}

function changed(
    to: string,
    tags: string[],
    {
        component = "tikv" as Component,
        template = undefined as string | undefined,
        before = undefined as string | undefined,
        isAllowed = false,
    } = {},
): { refused: string[]; warnings: Notice[]; risks: string[] } {
    const { refused, ...told } = versionChanges(
        { [component]: { version: to, versionField: "spec.version" } },
        { members: { [component]: running(component, tags, template) }, pdClusterId: "7" },
        before === undefined ? {} : { [component]: { version: before } },
        isAllowed,
    );
    const risks = told.risks.map(({ words }) => words);
    assert.ok(told.risks.every(({ members }) => members.includes(component)));
    return { refused: refused.map(({ property, reason }) => `${property}: ${reason}`), ...told, risks };
}

describe("a program that asks for another version than the one that runs", () => {
    for (const [to, tags] of [
        ["v8.5.3", ["v8.5.3", "v8.5.3"]],
        ["v8.5.3", ["v8.5.2"]],
        ["v8.5.0", ["v8.1.2"]],
        ["v9.0.0", ["v8.5.3"]],
        ["v10.0.0", ["v9.0.0"]],
        ["v8.10.0", ["v8.9.0"]],
        ["v8.5.3-hotfix", ["v8.5.3"]],
        ["nightly", ["nightly"]],
    ] as const) {
        it(`may go from ${tags.join(", ")} to ${to} without a word`, () => {
            assert.deepEqual(changed(to, [...tags]), { refused: [], warnings: [], risks: [] });
        });
    }

    for (const [to, tags, which] of [
        ["v8.1.2", ["v8.5.0"], "basic-tikv-0 runs v8.5.0"],
        ["v7.5.5", ["v8.1.0"], "basic-tikv-0 runs v8.1.0"],
        ["v8.9.0", ["v8.10.0"], "basic-tikv-0 runs v8.10.0"],
        ["8.1", ["v8.5.0"], "basic-tikv-0 runs v8.5.0"],
        // An upgrade that was interrupted: one pod has already changed data.
        ["v8.1.0", ["v8.1.0", "v8.1.0", "v8.5.0"], "basic-tikv-2 runs v8.5.0"],
    ] as const) {
        it(`may not go from ${tags.join(", ")} back to ${to}: the store could not read its data, and PD would turn it away`, () => {
            const { refused } = changed(to, [...tags]);
            assert.equal(refused.length, 1);
            assert.ok(refused[0].startsWith(`spec.version: found ${to}, but basic-tikv-`), refused[0]);
            assert.ok(refused[0].includes(which), refused[0]);
            repeats(refused[0], "operations: { allowDowngrade: true }");
            const allowed = changed(to, [...tags], { isAllowed: true });
            assert.deepEqual(allowed.refused, []);
            repeats(allowed.warnings, which);
            assert.deepEqual(allowed.risks, ["TiDB does not support going back to an earlier version"]);
        });
    }

    it("may go back to an earlier patch, with a warning: TiDB supports that as little", () => {
        const { refused, warnings, risks } = changed("v8.5.1", ["v8.5.3"]);
        assert.deepEqual(refused, []);
        assert.deepEqual(risks, ["TiDB does not support going back to an earlier version"]);
        assert.equal(warnings.length, 1);
        repeats(warnings, "spec.version: found v8.5.1", "basic-tikv-0", "v8.5.3");
    });

    for (const [to, tag, unknown] of [
        ["v8.5.3", "nightly", "nightly"],
        ["nightly", "v8.5.3", "nightly"],
        ["v8.5.3", "0f3c1a2b", "0f3c1a2b"],
    ]) {
        it(`may go from ${tag} to ${to}, with a warning that nobody can tell what is earlier`, () => {
            const { refused, warnings, risks } = changed(to, [tag]);
            assert.deepEqual(refused, []);
            assert.deepEqual(risks, ["the version may be an earlier one, and TiDB does not support going back"]);
            assert.equal(warnings.length, 1);
            repeats(warnings, unknown);
        });
    }

    it("is compared with the StatefulSet where no pod runs, and with the last update where there is none: volumes stay", () => {
        repeats(changed("v8.1.0", [], { template: "v8.5.0" }).refused, "StatefulSet basic-tikv", "v8.5.0");
        repeats(changed("v8.1.0", [], { before: "v8.5.0" }).refused, "v8.5.0", "tikv");
        assert.deepEqual(changed("v8.1.0", []).refused, []);
    });

    it("is named once for the members that the last update asked it for, by their names", () => {
        const wanted = { version: "v8.1.0", versionField: "spec.version" };
        const nothing = (component: Component): ObservedMember => ({ component, pods: [], claims: [] });
        const last = { version: "v8.5.4" };
        const reasonOf = (names: Component[]) => {
            const of = <T>(value: (name: Component) => T) =>
                Object.fromEntries(names.map((name) => [name, value(name)]));
            const live = { members: of(nothing), pdClusterId: "7" };
            const { refused } = versionChanges(
                of(() => wanted),
                live,
                of(() => last),
                false,
            );
            return refused.map(({ reason }) => reason.split(". ")[0]);
        };
        for (const [names, words] of [
            [["tikv"], "tikv"],
            [["pd", "tikv"], "pd and tikv"],
            [["pd", "tikv", "tidb"], "pd, tikv and tidb"],
        ] as [Component[], string][]) {
            assert.deepEqual(reasonOf(names), [`found v8.1.0, but the last update asked for v8.5.4 for ${words}`]);
        }
    });

    it("is compared with pods alone where they run: an upgrade that has restarted no pod can be taken back", () => {
        assert.deepEqual(changed("v8.1.0", ["v8.1.0"], { template: "v8.5.0", before: "v8.5.0" }).refused, []);
    });

    it("is told once for each field that has the version, with a pod of each member", () => {
        const wanted = {
            pd: { version: "v8.1.0", versionField: "spec.version" },
            tikv: { version: "v8.1.0", versionField: "spec.version" },
            tidb: { version: "v7.5.0", versionField: "spec.tidb.version" },
        };
        const live = {
            pd: running("pd", ["v8.5.0"]),
            tikv: running("tikv", ["v8.5.0"]),
            tidb: running("tidb", ["v8.5.0"]),
        };
        const { refused } = versionChanges(wanted, { members: live }, {}, false);
        assert.deepEqual(
            refused.map(({ property, reason }) => `${property}: ${reason.split(". ")[0]}`),
            [
                "spec.version: found v8.1.0, but basic-pd-0 runs v8.5.0, basic-tikv-0 runs v8.5.0",
                "spec.tidb.version: found v7.5.0, but basic-tidb-0 runs v8.5.0",
            ],
        );
    });

    it("may do with TiProxy what it likes: it keeps no data and has versions of its own", () => {
        assert.deepEqual(changed("v1.2.0", ["v1.4.0"], { component: "tiproxy" }), {
            refused: [],
            warnings: [],
            risks: [],
        });
    });
});

describe("a version whose containers never started", () => {
    const notStarted = known<ContainerState>({ is: "not-started" }, "node one", 0);
    const wanted = { tikv: { version: "v8.5.2", versionField: "spec.version" } };
    const deployed: DeployedMembers = { tikv: { version: "v8.55.2", runs: true } };
    /** TiKV with these pods, each with its tag and what its own container does. */
    const tikv = (rows: [string, Fact<ContainerState>][], more: Partial<ObservedMember> = {}): ObservedMember => {
        const member = running(
            "tikv",
            rows.map(([tag]) => tag),
            "v8.55.2",
        );
        return { ...member, pods: member.pods.map((pod, index) => ({ ...pod, container: rows[index][1] })), ...more };
    };
    const compared = (member: ObservedMember, { wasHealthy = true, before = deployed } = {}) => {
        const seen = { members: { tikv: member }, pdClusterId: wasHealthy ? "7" : undefined };
        const { refused, warnings } = versionChanges(wanted, seen, before, false);
        return {
            refused: refused.map(({ reason }) => reason).join(),
            warnings: warnings.map(({ message }) => message).join(),
        };
    };
    const runs = known<ContainerState>({ is: "running", startedAt: 0 }, "node one", 0);

    it("is not what the cluster runs: a tag that does not exist may be corrected", () => {
        const member = tikv([
            ["v8.5.1", runs],
            ["v8.55.2", notStarted],
        ]);
        assert.deepEqual(compared(member), { refused: "", warnings: "" });
    });

    for (const [state, said] of [
        [runs, "basic-tikv-0 runs v8.55.2"],
        [known<ContainerState>({ is: "stopped" }, "node one", 0), "basic-tikv-0 has run v8.55.2"],
        [notKnown("its node is not Ready"), "basic-tikv-0", "v8.55.2"],
    ] as const) {
        it(`is told from one that ${said.replace("basic-tikv-0 ", "")}, which is refused`, () => {
            assert.ok(compared(tikv([["v8.55.2", state]])).refused.includes(`but ${said}`));
        });
    }

    it("may be corrected, with a warning, while the cluster was never healthy: nothing has run", () => {
        const { refused, warnings } = compared(tikv([["v8.55.2", notStarted]]), { wasHealthy: false });
        assert.equal(refused, "");
        repeats(warnings, "spec.version: found v8.5.2", "tikv");
        const nothing: ObservedMember = { component: "tikv", pods: [], claims: [] };
        assert.equal(compared(nothing, { wasHealthy: false }).refused, "");
    });

    it("is refused in a cluster that was healthy, and by the StatefulSet's name: earlier pods may have run it", () => {
        const { refused } = compared(tikv([["v8.55.2", notStarted]]));
        repeats(refused, "v8.5.2", "StatefulSet basic-tikv", "v8.55.2");
    });

    it("is refused where the member is suspended: its pods are gone because they ran", () => {
        const nothing: ObservedMember = { component: "tikv", pods: [], claims: [] };
        const cases: [ObservedMember, DeployedMembers][] = [
            [{ ...nothing, claims: [claimOf("tikv", 0)] }, deployed],
            [nothing, { tikv: { version: "v8.55.2", runs: false } }],
        ];
        for (const [member, before] of cases) {
            repeats(compared(member, { wasHealthy: false, before }).refused, "v8.55.2", "tikv");
        }
        repeats(compared(tikv([]), { wasHealthy: false }).refused, "StatefulSet basic-tikv", "v8.55.2");
    });

    it("is not known of volumes that nobody deployed, or that an earlier build did: that is a warning", () => {
        const nothing: ObservedMember = { component: "tikv", pods: [], claims: [] };
        const onClaim = compared({ ...nothing, claims: [claimOf("tikv", 0)] }, { before: {} });
        repeats(onClaim.warnings, "tikv-basic-tikv-0");
        assert.notEqual(compared(nothing, { before: { tikv: {} } }).warnings, "");
        assert.deepEqual(compared(nothing, { before: {} }), { refused: "", warnings: "" }, "a new member");
    });

    it("is no question of a member that an interrupted first deployment did not come to, where another shows its version", () => {
        const asked = { version: "v8.5.5", versionField: "spec.version" };
        const warned = (version: string | undefined, pdClusterId?: string, before: DeployedMembers = { tidb: {} }) => {
            const tikv: ObservedMember = { component: "tikv", pods: [], claims: [claimOf("tikv", 0, { version })] };
            const members = { tikv, tidb: { component: "tidb", pods: [], claims: [] } as ObservedMember };
            const wanted = { tikv: asked, tidb: asked };
            return versionChanges(wanted, { members, pdClusterId }, { tikv: {}, ...before }, false).warnings;
        };
        assert.deepEqual(warned("v8.5.5"), []);
        repeats(warned(undefined), "tikv, tidb");
        repeats(warned("v8.5.5", "7"), "tidb");
    });

    it("may be corrected without the right to read nodes if the pod reports no start, in a cluster that was never healthy", () => {
        const reported = { ...notKnown("user ana may not read nodes"), reported: "not-started" as const };
        const unread = tikv([["v8.55.2", notStarted]]);
        const member = { ...unread, pods: unread.pods.map((pod) => ({ ...pod, container: reported })) };
        assert.equal(compared(member, { wasHealthy: false }).refused, "");
        repeats(compared(member).refused, "basic-tikv-0", "v8.55.2");
    });

    it("is found in an image that has a digest beside its tag", () => {
        const member = tikv([["v9.0.0@sha256:0f3c1a2b", runs]]);
        repeats(compared(member).refused, "basic-tikv-0", "v9.0.0");
    });
});

describe("claims that an earlier cluster left", () => {
    const wanted = (version: string) => ({
        pd: { version, versionField: "spec.version" },
        tikv: { version, versionField: "spec.version" },
    });
    /** A member that has these claims and nothing else. */
    const left = (component: Component, ...more: Partial<ObservedClaim>[]): ObservedMember => ({
        component,
        pods: [],
        claims: more.map((one, ordinal) => claimOf(component, ordinal, one)),
    });
    const compared = (version: string, live: ObservedMember[], { isAllowed = false, before = {} } = {}) => {
        const members = Object.fromEntries(live.map((member) => [member.component, member]));
        const { refused, ...told } = versionChanges(wanted(version), { members }, before, isAllowed);
        return { refused: refused.map(({ property, reason }) => `${property}: ${reason}`), ...told };
    };
    const both = [left("pd", { version: "v8.5.3" }), left("tikv", { version: "v8.1.2" }, { version: "v8.5.3" })];

    it("refuse an earlier minor version, by claim and version, and say what to do: TiKV could not read its data", () => {
        const { refused, warnings } = compared("v8.1.2", both);
        assert.deepEqual(warnings, []);
        assert.equal(refused.length, 1);
        repeats(refused, "spec.version: found v8.1.2", "operations: { allowDowngrade: true }");
        repeats(refused, "pd-basic-pd-0", "tikv-basic-tikv-1", "v8.5.3", "delete");
        const allowed = compared("v8.1.2", both, { isAllowed: true });
        assert.deepEqual(allowed.refused, []);
        repeats(allowed.warnings, "pd-basic-pd-0", "tikv-basic-tikv-1");
    });

    it("let the same version and a later one start on their data without a word", () => {
        for (const version of ["v8.5.3", "v8.5.4", "v9.0.0"]) {
            assert.deepEqual(compared(version, both), { refused: [], warnings: [], risks: [] });
        }
    });

    it("warn of an earlier patch version, and of a record that is not a version", () => {
        repeats(compared("v8.5.1", both).warnings, "v8.5.1", "pd-basic-pd-0");
        repeats(compared("v8.5.1", [left("tikv", { version: "nightly" })]).warnings, "nightly");
    });

    it("are named if nothing shows which version wrote them, up to twelve: operators and people record none", () => {
        const { refused, warnings } = compared("v8.1.2", [left("pd", {}), left("tikv", {}, {})]);
        assert.deepEqual(refused, []);
        assert.equal(warnings.length, 1);
        repeats(warnings, "spec.version: found v8.1.2", "pd-basic-pd-0, tikv-basic-tikv-0, tikv-basic-tikv-1,");
        const many = left("tikv", ...Array.from({ length: 14 }, () => ({})));
        repeats(compared("v8.1.2", [many]).warnings, "tikv-basic-tikv-11 and 2 more");
    });

    it("are named beside those that have a record: the newest data may be where no record is", () => {
        const mixed = [left("tikv", { version: "v8.1.2" }, {})];
        repeats(compared("v8.1.2", mixed).warnings, "claim tikv-basic-tikv-1");
    });

    it("do not count if a scale-in released them or they are being deleted: no pod starts on them", () => {
        for (const gone of [{ released: true }, { terminating: true }]) {
            for (const version of ["v8.5.3", undefined]) {
                const found = compared("v8.1.2", [left("tikv", { ...gone, version })]);
                assert.deepEqual(found, { refused: [], warnings: [], risks: [] });
            }
        }
    });

    it("count beside the last update where one has no record: a suspended member may have gone further", () => {
        const suspended = [left("tikv", { version: "v8.1.2" }, {})];
        const before = { tikv: { version: "v8.5.3", runs: false } };
        repeats(compared("v8.1.2", suspended, { before }).refused, "v8.5.3", "tikv");
        const newer = [left("tikv", { version: "v8.5.3" })];
        const older = { tikv: { version: "v8.1.2", runs: false } };
        const [refused] = compared("v8.1.2", newer, { before: older }).refused;
        repeats(refused, "claim tikv-basic-tikv-0", "v8.5.3");
        assert.ok(!refused.includes("delete"), "they are the cluster's own");
    });

    it("replace the last update if all have a record: a version that was asked for may be taken back if it never ran", () => {
        const suspended = [left("tikv", { version: "v8.1.2" }, { version: "v8.1.2" })];
        const asked = { tikv: { version: "v8.55.3", runs: false } };
        const { refused, warnings } = compared("v8.1.2", suspended, { before: asked });
        assert.deepEqual(refused, []);
        assert.equal(warnings.length, 1);
        repeats(warnings, "spec.version: found v8.1.2", "v8.55.3", "tikv");
        repeats(compared("v8.1.2", suspended, { before: { tikv: { version: "nightly" } } }).warnings, "nightly");
        assert.deepEqual(compared("v8.55.3", suspended, { before: asked }), { refused: [], warnings: [], risks: [] });
    });

    it("replace the StatefulSet too, where the only pod never started: a mistyped tag may be corrected", () => {
        const member = running("tikv", ["v8.55.3"], "v8.55.3");
        const container = known<ContainerState>({ is: "not-started" }, "node one", 0);
        const corrected = (claim: Partial<ObservedClaim>) => {
            const pods = member.pods.map((pod) => ({ ...pod, container }));
            const tikv = { ...member, pods, claims: [claimOf("tikv", 0, claim)] };
            return versionChanges(wanted("v8.5.3"), { members: { tikv }, pdClusterId: "7" }, {}, false);
        };
        assert.deepEqual(corrected({ version: "v8.5.2" }).refused, []);
        repeats(corrected({ version: "v8.5.2" }).warnings, "StatefulSet basic-tikv", "v8.55.3");
        repeats(corrected({ version: "v8.55.3" }).refused[0].reason, "StatefulSet basic-tikv", "v8.55.3");
    });

    it("are not named as data of an earlier cluster if the member was deployed, or has pods or a StatefulSet", () => {
        const pending = running("tikv", ["v8.55.3"], "v8.55.3");
        const container = known<ContainerState>({ is: "not-started" }, "node one", 0);
        const pods = pending.pods.map((pod) => ({ ...pod, container }));
        const claims = [claimOf("tikv", 0)];
        for (const [member, before] of [
            [{ ...pending, pods, claims }, {}],
            [{ ...pending, pods, statefulSet: undefined, claims }, {}],
            [left("tikv", {}), { tikv: {} }],
        ] as const) {
            const { refused, warnings } = compared("v8.5.3", [member], { before });
            assert.deepEqual(refused, []);
            assert.equal(warnings.length, 1);
            assert.ok(!warnings[0].message.includes("tikv-basic-tikv-0"), warnings[0].message);
        }
    });

    it("count only up to the number of pods that a new member is to have: no pod starts on the others", () => {
        const five = left("tikv", {}, {}, {}, {}, { version: "v8.5.3" });
        const asked = { tikv: { ...wanted("v8.1.2").tikv, replicas: 3 } };
        const of = (member: ObservedMember, before: DeployedMembers) =>
            versionChanges(asked, { members: { tikv: member } }, before, false);
        const { refused, warnings } = of(five, {});
        assert.deepEqual(refused, []);
        repeats(warnings, "claims tikv-basic-tikv-0, tikv-basic-tikv-1, tikv-basic-tikv-2,");
        assert.equal(of(five, { tikv: {} }).refused.length, 1, "pods of a deployed member may have used all");
    });

    it("are not named if pods or the last update show the version: nobody needs a record then", () => {
        const member = { ...running("tikv", ["v8.5.3"]), claims: [claimOf("tikv", 0)] };
        assert.deepEqual(compared("v8.5.3", [member]), { refused: [], warnings: [], risks: [] });
        const before = { tikv: { version: "v8.5.3", runs: false } };
        assert.deepEqual(compared("v8.5.3", [left("tikv", {})], { before }), { refused: [], warnings: [], risks: [] });
    });

    it("do not count where the ordinal's own pod runs: what runs is newer evidence", () => {
        const member = { ...running("tikv", ["v8.1.2"]), claims: [claimOf("tikv", 0, { version: "v8.5.3" })] };
        assert.deepEqual(compared("v8.1.2", [member]), { refused: [], warnings: [], risks: [] });
    });

    for (const [title, container] of [
        ["is gone", undefined],
        ["waits for a node", known<ContainerState>({ is: "not-started" }, "the API server", 0)],
        ["may or may not have started", notKnown("its node is not Ready")],
    ] as const) {
        it(`count where the ordinal's pod ${title}, although other pods run the earlier version: its store was upgraded`, () => {
            const { pods, ...member } = running("tikv", ["v8.1.2", "v8.1.2", "v8.1.2"], "v8.1.2");
            const live = (version: string, more: Partial<ObservedClaim> = {}) => ({
                ...member,
                pods: [...pods.slice(0, 2), ...(container ? [{ ...pods[2], container }] : [])],
                claims: [0, 1, 2].map((ordinal) =>
                    claimOf("tikv", ordinal, ordinal === 2 ? { version, ...more } : { version: "v8.1.2" }),
                ),
            });
            const [refused] = compared("v8.1.2", [live("v8.5.3")]).refused;
            repeats(refused, "v8.1.2", "claim tikv-basic-tikv-2", "v8.5.3");
            assert.ok(!refused.includes("delete"), refused);
            for (const gone of [{ released: true }, { terminating: true }]) {
                assert.deepEqual(compared("v8.1.2", [live("v8.5.3", gone)]).refused, []);
            }
        });
    }
});
