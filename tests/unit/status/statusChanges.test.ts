import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { known } from "../../../provider/lifecycle/vocabulary/evidence";
import { unreachablePd } from "../../../provider/lifecycle/vocabulary/observation";
import { statusChanges, type StatusFacts } from "../../../status/statusChanges";
import { watchStatus } from "../../../status/watchStatus";
import type { ClusterStatus } from "../../../status/clusterStatus";
import { pinnedWords } from "../../support/pinned";
import { healthy, now, type Seen, statusOf, suspended } from "./seenCluster";

const seen = (more: Partial<Seen> = {}) => statusOf(healthy(more));

/** The changes of each look but the first. */
const changesOf = (looks: Partial<Seen>[]): (readonly string[])[] => {
    let facts: StatusFacts | undefined;
    return looks
        .map((look) => {
            const result = statusChanges(facts, seen(look));
            facts = result.facts;
            return result.changes;
        })
        .slice(1);
};

describe("what changes between two looks", () => {
    /** What has changed after a look at a healthy cluster, by what each line is about. */
    const rows: Record<string, [after: Partial<Seen>, ...about: string[]]> = {
        nothing: [{}],
        "leaders and disk alone, which always change": [
            { stores: { "basic-tikv-0": { leaderCount: { reported: 1 }, availableBytes: 5 } } },
        ],
        "PD's leader": [{ pd: { leader: known("basic-pd-1", "PD", now) } }, "PD's leader"],
        "a store": [
            { stores: { "basic-tikv-0": { state: "Disconnected" } } },
            ...["condition", "basic-tikv-0 as a member", "store 10 (basic-tikv-0)"],
        ],
        "a lock that is taken": [
            { lease: { lock: { holder: "ana@laptop", operation: "roll out basic-pd", renewedAt: now } } },
            "operation",
        ],
        "the versions of members, once an update was killed": [
            { statefulSets: { tidb: { image: "pingcap/tidb:v8.5.4" } } },
            ...["condition", "note", "TiDB"],
        ],
        "an eviction": [{ evicted: [11] }, "eviction of store 11"],
    };
    for (const [title, [after, ...about]] of Object.entries(rows)) {
        it(`if ${title}`, () => {
            const [changes] = changesOf([{}, after]);
            assert.deepEqual(
                changes.map((line) => line.split(":")[0]),
                about,
            );
        });
    }
    const withoutSets = {
        ...suspended({ pd: 3, tikv: 3, tidb: 2 }, "tidb"),
        statefulSets: { tidb: null, tikv: null },
    };
    const words =
        (...looks: Partial<Seen>[]) =>
        () =>
            changesOf(looks)
                .map((changes) => changes.join("\n"))
                .join("\n");
    pinnedWords("status-watch", {
        ...Object.fromEntries(Object.entries(rows).map(([title, [after]]) => [title, words({}, after)])),
        "an eviction ends": words({ evicted: [11] }, {}),
        "a member is suspended, and another has no StatefulSet yet": words({}, withoutSets),
        "PD falls silent": words({ evicted: [11] }, { pd: unreachablePd("PD does not answer").pd }),
    });

    it("if something ends", () => {
        const [[gone, ...others]] = changesOf([{ evicted: [11] }, {}]);
        assert.deepEqual([gone.startsWith("eviction of store 11: gone"), others], [true, []]);
    });

    it("if something ends that was long: what it was is cut", () => {
        const schedule = {
            name: "nightly",
            namespace: "tidb",
            cronJob: "c",
            schedule: "0 1 * * *",
            timeZone: "Etc/UTC",
        };
        const newest = { job: "nightly-1", is: "failed" as const, words: "x".repeat(2_000) };
        const known = {
            isPaused: false,
            createdAt: now,
            lastScheduledAt: undefined,
            lastSucceededAt: undefined,
            newest,
        };
        const [changes] = changesOf([{ schedules: { known: true, value: [{ ...schedule, ...known }] } }, {}]);
        const note = changes.find((line) => line.startsWith("note: gone"));
        assert.ok(note?.endsWith("x…)"), note);
        assert.ok((note ?? "").length < 160, note);
    });

    it("if PD falls silent, it is said, and nothing is called gone that only is not known", () => {
        const silent = { pd: unreachablePd("PD does not answer").pd };
        const down: Partial<Seen> = { evicted: [11], stores: { "basic-tikv-0": { state: "Down" } } };
        const [falls, again] = changesOf([{ evicted: [11] }, silent, down]);
        assert.deepEqual(
            falls.map((line) => line.split(":")[0]),
            ["condition", "not known"],
        );
        assert.deepEqual(
            again.filter((line) => !line.startsWith("condition:")).map((line) => line.split(" (was: PD\'s")[0]),
            [
                "basic-tikv-0 as a member: store 10 is Down (was: well)",
                "store 10 (basic-tikv-0): Down (was: Up)",
                again.find((line) => line.startsWith("not known: gone"))?.split(" (was: PD\'s")[0],
            ],
        );
    });
});

describe("a status that is watched", () => {
    const watch = async (looks: (ClusterStatus | Error)[], isTerminal: boolean) => {
        const written: string[] = [];
        const slept: number[] = [];
        let time = now;
        const watcher = {
            isTerminal,
            now: () => time,
            write: (text: string) => {
                written.push(text);
                return Promise.resolve(true);
            },
            sleep: (milliseconds: number) => {
                slept.push(milliseconds);
                time += milliseconds;
                return Promise.resolve();
            },
        };
        const read = () => {
            const next = looks.shift() ?? new Error("the end");
            return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
        };
        const isFinal = (error: Error) => !(error instanceof KubernetesApiError);
        await assert.rejects(watchStatus(read, isFinal, 5_000, watcher), /the end/);
        return { written, slept };
    };
    const away = () => new KubernetesApiError("no answer", undefined);

    it("is a line for each change where there is no terminal, and none for none", async () => {
        const { written, slept } = await watch(
            [seen(), seen(), seen({ evicted: [11] }), away(), away(), seen({ evicted: [11] })],
            false,
        );
        assert.deepEqual(written, [
            "2026-11-22T17:30:00.000Z TidbCluster tidb/basic\n2026-11-22T17:30:00.000Z Ready: every pod, member and store is as wanted\n",
            "2026-11-22T17:30:10.000Z eviction of store 11: in force\n",
            "2026-11-22T17:30:15.000Z the cluster cannot be read: no answer\n",
            "2026-11-22T17:30:25.000Z the cluster can be read again\n",
        ]);
        assert.deepEqual(slept, Array(6).fill(5_000));
    });

    it("is redrawn in a terminal, without what was there before", async () => {
        const { written } = await watch([seen(), away()], true);
        assert.ok(
            written[0].startsWith("\u001b[2J\u001b[HTidbCluster tidb/basic\u001b[K\n"),
            JSON.stringify(written[0].slice(0, 60)),
        );
        assert.ok(written[0].endsWith("\u001b[J"));
        assert.ok(
            written[1].startsWith(
                "\u001b[H2026-11-22T17:30:05.000Z: the cluster cannot be read: no answer\u001b[K\nwhat follows is the last status that was read\u001b[K\nTidbCluster",
            ),
            JSON.stringify(written[1].slice(0, 200)),
        );
    });

    it("ends once nobody reads it", async () => {
        let looks = 0;
        const watcher = {
            isTerminal: false,
            now: () => now,
            write: () => Promise.resolve(false),
            sleep: () => Promise.resolve(),
        };
        const read = () => {
            looks += 1;
            return Promise.resolve(seen());
        };
        await watchStatus(read, () => true, 1, watcher);
        assert.equal(looks, 1);
    });
});
