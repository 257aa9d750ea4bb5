import * as assert from "node:assert/strict";
import { versionChanges } from "../../../provider/lifecycle/prerequisites/downgrade";
import type { ObservedMember } from "../../../provider/lifecycle/vocabulary/observation";
import { observed } from "../../support/lifecycle/observations";
import type { Component } from "../../../topology/members";

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
): { refused: string[]; warnings: string[] } {
    const { refused, warnings } = versionChanges(
        { [component]: { version: to, versionField: "spec.version" } },
        { [component]: running(component, tags, template) },
        before === undefined ? {} : { [component]: { version: before } },
        isAllowed,
    );
    return { refused: refused.map(({ property, reason }) => `${property}: ${reason}`), warnings };
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
            assert.deepEqual(changed(to, [...tags]), { refused: [], warnings: [] });
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
            assert.match(refused[0], /upgrade-tidb-using-tiup.*operations: \{ allowDowngrade: true \}$/);
            const allowed = changed(to, [...tags], { isAllowed: true });
            assert.deepEqual(allowed.refused, []);
            assert.match(allowed.warnings.join(), /it is tried because operations\.allowDowngrade is true$/);
        });
    }

    it("may go back to an earlier patch, with a warning: TiDB supports that as little", () => {
        const { refused, warnings } = changed("v8.5.1", ["v8.5.3"]);
        assert.deepEqual(refused, []);
        assert.equal(warnings.length, 1);
        assert.match(
            warnings[0],
            /^spec\.version: found v8\.5\.1, and basic-tikv-0 runs v8\.5\.3\. TiDB does not support/,
        );
    });

    for (const [to, tag, unknown] of [
        ["v8.5.3", "nightly", "nightly"],
        ["nightly", "v8.5.3", "nightly"],
        ["v8.5.3", "0f3c1a2b", "0f3c1a2b"],
    ]) {
        it(`may go from ${tag} to ${to}, with a warning that nobody can tell what is earlier`, () => {
            const { refused, warnings } = changed(to, [tag]);
            assert.deepEqual(refused, []);
            assert.equal(warnings.length, 1);
            assert.ok(warnings[0].includes(`because ${unknown} is not a version`), warnings[0]);
        });
    }

    it("is compared with the StatefulSet where no pod runs, and with the last update where there is none: volumes stay", () => {
        assert.match(
            changed("v8.1.0", [], { template: "v8.5.0" }).refused.join(),
            /StatefulSet basic-tikv has v8\.5\.0/,
        );
        assert.match(changed("v8.1.0", [], { before: "v8.5.0" }).refused.join(), /the last update asked for v8\.5\.0/);
        assert.deepEqual(changed("v8.1.0", []).refused, []);
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
        const { refused } = versionChanges(wanted, live, {}, false);
        assert.deepEqual(
            refused.map(({ property, reason }) => `${property}: ${reason.split(". ")[0]}`),
            [
                "spec.version: found v8.1.0, but basic-pd-0 runs v8.5.0, basic-tikv-0 runs v8.5.0",
                "spec.tidb.version: found v7.5.0, but basic-tidb-0 runs v8.5.0",
            ],
        );
    });

    it("may do with TiProxy what it likes: it keeps no data and has versions of its own", () => {
        assert.deepEqual(changed("v1.2.0", ["v1.4.0"], { component: "tiproxy" }), { refused: [], warnings: [] });
    });
});
