import type { UserTable } from "pulumi-tidb-sandbox";
import { isDeepStrictEqual } from "node:util";
import { type Config, destroy, expectNoChange, type Step, type StepContext, up } from "./step";

/** What the recorder that stands in for br was called with. */
type Calls = () => readonly { readonly args: readonly string[] }[];

const tables: readonly UserTable[] = [
    { database: "shop", name: "customers", rows: ["1,Ann", "2,Bob"] },
    { database: "shop", name: "orders", rows: ["1,apples", "2,pears", "3,plums"] },
];
const prefix = "monday";

/**
 * A cluster is backed up to S3 and destroyed. Another one gets its data.
 * @param storage the configuration of `examples/backup` that says where the bucket is.
 */
export function backupAndRestore(storage: Config, calls: Calls): readonly Step[] {
    const saved: Config = { ...storage, backupTo: prefix };
    const restored: Config = { ...storage, restoreFrom: prefix };
    return [
        { title: "deploy 3 PD, 3 TiKV, 2 TiDB", run: (context) => up(context, storage) },
        { title: "write two tables", run: writeTables },
        { title: "back it up to S3", run: (context) => withBr(context, saved, calls) },
        { title: "up again, nothing changed", run: expectNoChange(saved) },
        destroy(saved),
        { title: "deploy anew", run: deployEmpty(storage) },
        { title: "restore it from S3", run: (context) => withBr(context, restored, calls) },
        { title: "compare the tables", run: compareTables },
        { title: "up again, nothing changed", run: expectNoChange(restored) },
        destroy(restored),
    ];
}

async function writeTables(context: StepContext): Promise<string> {
    tables.forEach((table) => context.cluster().putTable(table));
    return describeTables(context.cluster().tables());
}

/** Runs an update that starts a Job of br, and shows br's command line. */
async function withBr(context: StepContext, config: Config, calls: Calls): Promise<string> {
    const before = calls().length;
    const changes = await up(context, config);
    const [call, ...others] = calls().slice(before);
    if (call === undefined || others.length > 0) {
        throw new Error(`expected br to run once, it ran ${calls().length - before} times`);
    }
    context.log(`br ${call.args.join(" ")}`);
    return `${changes}; br ${call.args.slice(0, 2).join(" ")}`;
}

function deployEmpty(config: Config): (context: StepContext) => Promise<string> {
    return async (context) => {
        const changes = await up(context, config);
        const found = context.cluster().tables();
        if (found.length > 0) {
            throw new Error(`expected a cluster without data, found ${describeTables(found)}`);
        }
        return `${changes}; no tables`;
    };
}

async function compareTables(context: StepContext): Promise<string> {
    const found = [...context.cluster().tables()].sort((one, other) => (one.name < other.name ? -1 : 1));
    if (!isDeepStrictEqual(found, tables)) {
        throw new Error(`expected ${describeTables(tables)}, found ${JSON.stringify(found)}`);
    }
    return `the same: ${describeTables(found)}`;
}

function describeTables(found: readonly UserTable[]): string {
    return found
        .map(({ database, name, rows }) => `${database}.${name} with ${rows.length} rows`)
        .sort()
        .join(", ");
}
