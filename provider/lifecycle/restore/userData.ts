import type { Fact } from "../vocabulary/evidence";
import { known, notKnown } from "../vocabulary/evidence";

/**
 * Schemas of TiDB itself, in lower case. What a user creates is in others (pingcap/tidb pkg/util/misc.go, IsMemOrSysDB, and
 * pkg/meta/metadef).
 */
const ownSchemas = [
    "information_schema",
    "inspection_schema",
    "metrics_schema",
    "mysql",
    "performance_schema",
    "sys",
    "workload_schema",
];

/** The schema that TiDB creates, empty, for its users. */
export const testSchema = "test";

/** What one TiDB says of the schemas of its cluster. */
export interface SchemaAnswers {
    /** The answer of `/schema`: a list of all schemas. */
    readonly schemas: unknown;
    /** The answer of `/schema/test`: a list of its tables. Undefined if there is no such schema. */
    readonly testTables: unknown;
}

/** Whether the answer of `/schema` names the schema `test`. Users may drop it, and TiDB then has no list of its tables. */
export function hasTestSchema(schemas: unknown): boolean {
    return namesOf(schemas)?.some((name) => name.toLowerCase() === testSchema) ?? false;
}

/**
 * Returns the names of the schemas that users created, as BR counts them before it restores everything (pingcap/tidb
 * br/pkg/restore): every schema that is not TiDB's own, and `test` once it has a table. An answer of another form is not
 * known, and so is one without the schema `mysql`, which every cluster has.
 */
export function userSchemasOf({ schemas, testTables }: SchemaAnswers, from: string, at: number): Fact<string[]> {
    const names = namesOf(schemas);
    if (names === undefined) {
        return notKnown(`${from} does not answer /schema with a list of schemas`);
    }
    const lower = names.map((name) => name.toLowerCase());
    if (!lower.includes("mysql")) {
        return notKnown(`${from} names no schema mysql, which every cluster has`);
    }
    const users = names.filter((name) => ![...ownSchemas, testSchema].includes(name.toLowerCase()));
    if (!hasTestSchema(schemas)) {
        return known(users, from, at);
    }
    // Go writes an empty list as null.
    if (testTables !== null && !Array.isArray(testTables)) {
        return notKnown(`${from} does not answer /schema/${testSchema} with a list of tables`);
    }
    return known([...users, ...(testTables === null || testTables.length === 0 ? [] : [testSchema])], from, at);
}

/** @returns the names in TiDB's answer; undefined if it has another form. */
function namesOf(schemas: unknown): string[] | undefined {
    if (!Array.isArray(schemas)) {
        return undefined;
    }
    const names = schemas.map((schema: unknown) => nameOf(schema));
    return names.every((name) => name !== undefined) ? names : undefined;
}

function nameOf(schema: unknown): string | undefined {
    const name = field(field(schema, "db_name"), "O");
    return typeof name === "string" ? name : undefined;
}

function field(value: unknown, key: string): unknown {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
