import * as assert from "node:assert/strict";
import { backupJobName } from "../../../../provider/lifecycle/backups/backupNames";
import {
    isForUpgrade,
    upgradeInWords,
    upgradeName,
    type UpgradeRecord,
    upgradeRecordOf,
    upgradeRecordText,
    type VersionChange,
    versionChanges,
    type WantedTags,
} from "../../../../provider/lifecycle/backups/beforeUpgrade";
import type { Observation, ObservedStatefulSet } from "../../../../provider/lifecycle/vocabulary/observation";

const upgradeJobName = (cluster: string, of: UpgradeRecord) => backupJobName(cluster, upgradeName(of));
const set = (component: string, tag: string, more: Partial<ObservedStatefulSet> = {}) => ({
    ...{ component, pods: [], claims: [] },
    statefulSet: { uid: `${component}-uid`, generation: 4, image: `pingcap/${component}:${tag}`, ...more },
});
const live = (tags: Record<string, string>, more: Record<string, Partial<ObservedStatefulSet>> = {}) =>
    Object.fromEntries(
        Object.entries(tags).map(([component, tag]) => [component, set(component, tag, more[component])]),
    ) as unknown as Observation["members"];
const all = (tag: string) => ({ pd: tag, tikv: tag, tidb: tag });
const wanted: WantedTags = all("v8.5.4");
const changed = (of: Observation["members"], to = wanted) => {
    const changes = versionChanges(of, to);
    assert.ok(changes);
    return changes;
};
const record = { attempt: 1, changes: changed(live(all("v8.5.3"))) };

describe("the change of versions that a backup comes before", () => {
    it("is what the live StatefulSets have and the program has not", () => {
        assert.deepEqual(versionChanges(live({ ...all("v8.5.4"), tikv: "v8.5.3" }), wanted), {
            tikv: { from: "v8.5.3", to: "v8.5.4", uid: "tikv-uid", generation: 4 },
        });
    });

    const none: [string, Observation["members"], WantedTags][] = [
        ["all have it already", live(all("v8.5.4")), wanted],
        ["the cluster is new", {}, wanted],
        ["a member is new", live({ pd: "v8.5.4", tikv: "v8.5.4" }), wanted],
        ["a member that left the program has another one", live({ ...all("v8.5.4"), tiflash: "v8.5.3" }), wanted],
    ];
    for (const [title, members, tags] of none) {
        it(`is none if ${title}`, () => {
            assert.equal(versionChanges(members, tags), undefined);
        });
    }

    it("is also the way back to an earlier version", () => {
        assert.equal(upgradeInWords(changed(live(all("v8.5.5")))), "v8.5.5 to v8.5.4");
    });
});

describe("a backup that was taken for an upgrade", () => {
    const later: [string, Observation["members"], WantedTags, boolean][] = [
        ["that has not begun", live(all("v8.5.3")), wanted, true],
        [
            "in which PD has its new template",
            live({ ...all("v8.5.3"), pd: "v8.5.4" }, { pd: { generation: 5 } }),
            wanted,
            true,
        ],
        ["in which only TiDB is left", live({ ...all("v8.5.4"), tidb: "v8.5.3" }), wanted, true],
        ["to another version", live(all("v8.5.3")), all("v8.5.5"), false],
        ["from another version", live(all("v8.5.2")), wanted, false],
        [
            "between the same versions, after it had been taken back",
            live(all("v8.5.3"), { tikv: { generation: 6 } }),
            wanted,
            false,
        ],
        ["of a cluster that was made anew", live(all("v8.5.3"), { tikv: { uid: "other" } }), wanted, false],
        [
            "in which TiFlash came later",
            live({ ...all("v8.5.3"), tiflash: "v8.5.3" }),
            { ...wanted, tiflash: "v8.5.4" },
            false,
        ],
        ["whose StatefulSets nobody counts", live(all("v8.5.3"), { pd: { generation: undefined } }), wanted, false],
    ];
    for (const [title, members, to, is] of later) {
        it(`${is ? "counts" : "does not count"} for one ${title}`, () => {
            assert.equal(isForUpgrade(record, { ...record, changes: changed(members, to) }), is);
        });
    }

    it("does not count for another attempt", () => {
        assert.equal(isForUpgrade(record, { ...record, attempt: 2 }), false);
    });

    it("does not count if the program wants it elsewhere by now", () => {
        const made = { ...record, of: "to bucket a" };
        assert.equal(isForUpgrade(made, made), true);
        assert.equal(isForUpgrade(made, { ...made, of: "to bucket b" }), false);
        assert.equal(isForUpgrade(record, made), false);
        assert.notEqual(upgradeName(made), upgradeName({ ...made, of: "to bucket b" }));
        assert.deepEqual(upgradeRecordOf(upgradeRecordText(made)), made);
    });

    it("has both versions in its name, which a label takes", () => {
        assert.match(upgradeJobName("basic", record), /^backup-basic-v8-5-3-v8-5-4-[0-9a-f]{12}$/);
        const long: VersionChange = { ...record.changes.tikv, from: "v8.5.3-Hotfix_2026.11.24" } as VersionChange;
        const name = upgradeJobName("a".repeat(60), { ...record, changes: { tikv: long } });
        assert.ok(name.length <= 63, name);
        assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
    });

    it("has another name for each attempt, and each change of a StatefulSet", () => {
        const again = changed(live(all("v8.5.3"), { pd: { generation: 5 } }));
        const names = [record, { ...record, attempt: 2 }, { ...record, changes: again }].map((one) =>
            upgradeJobName("basic", one),
        );
        assert.equal(new Set(names).size, 3);
    });

    it("is read from its annotation, which may be anybody's", () => {
        assert.deepEqual(upgradeRecordOf(upgradeRecordText(record)), record);
        for (const text of [
            undefined,
            "",
            "{",
            "null",
            "3",
            '{"attempt":1}',
            '{"changes":{}}',
            '{"attempt":1,"changes":null}',
        ]) {
            assert.equal(upgradeRecordOf(text), undefined, text);
        }
    });
});
