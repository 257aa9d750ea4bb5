import assert from "node:assert/strict";
import { mayRestore, unknownDataSeconds } from "../../../../provider/lifecycle/restore/mayRestore";
import { hasTestSchema, userSchemasOf } from "../../../../provider/lifecycle/restore/userData";
import { known, notKnown } from "../../../../provider/lifecycle/vocabulary/evidence";
import { repeats } from "../../../support/repeats";

const schema = (O: string) => ({ id: 1, db_name: { O, L: O.toLowerCase() }, state: 5 });
const own = ["INFORMATION_SCHEMA", "PERFORMANCE_SCHEMA", "METRICS_SCHEMA", "mysql", "sys"].map(schema);
const found = (schemas: unknown, testTables?: unknown) => userSchemasOf({ schemas, testTables }, "basic-tidb-0", 7);

describe("the schemas of users", () => {
    it("are none in a cluster that has only TiDB's own, with an empty schema test or without it", () => {
        assert.deepEqual(found(own), known([], "basic-tidb-0", 7));
        assert.deepEqual(found([...own, schema("test")], []), known([], "basic-tidb-0", 7));
        // Go writes an empty list as null.
        assert.deepEqual(found([...own, schema("test")], null), known([], "basic-tidb-0", 7));
    });

    it("are all others, empty ones too, and test once it has a table", () => {
        assert.deepEqual(
            found([...own, schema("Shop"), schema("test")], [{ name: {} }]),
            known(["Shop", "test"], "basic-tidb-0", 7),
        );
    });

    for (const [what, schemas, tables] of [
        ["no list", { message: "not ready" }, undefined],
        ["null", null, undefined],
        ["an empty list, which no cluster has", [], undefined],
        ["a list without mysql", [schema("sys")], undefined],
        ["an entry without a name", [...own, { id: 9 }], undefined],
        ["no list of the tables of test", [...own, schema("test")], undefined],
        ["an error for the tables of test", [...own, schema("test")], "schema is not ready"],
    ] as const) {
        it(`are not known from ${what}`, () => assert.equal(found(schemas, tables).known, false));
    }

    it("need the tables of test only if there is such a schema", () => {
        assert.equal(hasTestSchema([...own, schema("Test")]), true);
        assert.equal(hasTestSchema(own), false);
        assert.equal(hasTestSchema(null), false);
    });
});

describe("a restore", () => {
    const target = {
        namespace: "db",
        cluster: "basic",
        does: "restore s3://b into the cluster db/basic",
        allowField: "allowExistingData",
    };

    it("begins if the cluster is known to hold no data", () => {
        assert.deepEqual(mayRestore(known([], "x", 0), target, 0, 0), { kind: "pass" });
    });

    it("is refused at once if the cluster holds data, with the schemas and the way out", () => {
        const move = mayRestore(known(["a", "b", "c", "d", "e", "f", "g"], "x", 0), target, 0, 0);
        assert.ok(move.kind === "fail");
        assert.equal(move.problem.code, "restore-target-not-empty");
        repeats(move.problem.seen, "a, b, c, d, e and 2 more");
        repeats(move.problem.next, "`allowExistingData: true`");
    });

    it("waits while that is not known, and fails in the end: it never takes the cluster as empty", () => {
        const unknown = notKnown("none of its 1 TiDB pods is Ready");
        const end = unknownDataSeconds * 1000;
        const waiting = mayRestore(unknown, target, 0, end - 1);
        assert.deepEqual(waiting, {
            kind: "wait",
            reason: `whether it holds data is not known: ${unknown.why}`,
            until: end,
        });
        const move = mayRestore(unknown, target, 0, end);
        assert.ok(move.kind === "fail");
        assert.equal(move.problem.code, "restore-target-unknown");
        repeats(move.problem.seen, unknown.why, "300 s");
    });
});
