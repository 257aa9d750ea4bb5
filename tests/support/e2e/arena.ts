import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Programs, type S3Options, type Sandbox, startSandbox, type Timings } from "pulumi-tidb-sandbox";
import { findPulumi, type PulumiDriver } from "pulumi-tidb-sandbox/pulumi";
import { type KubernetesSide, kubernetesSide } from "./kubernetes";

/** Few leaders and high rates, so a scenario takes only seconds. */
const fastTimings: Partial<Timings> = {
    leadersPerStore: 60,
    leaderTransfersPerSecond: 200,
    drainRegionsPerSecond: 600,
    dataLoadedAfterMilliseconds: 300,
    storeUpAfterReadyMilliseconds: 200,
    memberHealthyAfterMilliseconds: 100,
    leaderTransferMilliseconds: 100,
    leaderElectionMilliseconds: 200,
    regionGaugeMilliseconds: 500,
};

/** So many leaders that PD's limits are raised while they move, and that their return is waited for. */
export const manyLeaders: Partial<Timings> = { leadersPerStore: 240 };

/** What the tests of one file, or of a group of files, share: an engine and a sandbox. */
export interface Arena {
    readonly driver: PulumiDriver;
    readonly sandbox: Sandbox;
    readonly kubernetes: KubernetesSide;
    /** For states and files. Removed at the end. */
    readonly folder: string;
}

interface OpenArena extends Arena {
    close(): Promise<void>;
}

async function openArena(driver: PulumiDriver, { timings, ...more }: ArenaOptions): Promise<OpenArena> {
    const sandbox = await startSandbox({ timings: { ...fastTimings, ...timings }, ...more });
    const folder = mkdtempSync(path.join(tmpdir(), "pulumi-tidb-e2e-"));
    return {
        driver,
        sandbox,
        kubernetes: await kubernetesSide(sandbox.kubeconfig),
        folder,
        close: async () => {
            await sandbox.down();
            rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}

/** The group whose files are being loaded. */
let group: { readonly arena: () => Arena; readonly timings: Partial<Timings> } | undefined;

/**
 * Loads the files of a group, whose suites share one sandbox instead of having one each: a control plane takes 15 s of CPU to start and
 * stop. For files that need no special servers and the same rates, have namespaces of their own, and leave the control plane and its
 * nodes as they are.
 * @param files names in `tests/e2e`, without `.test.ts`. Each can also run alone
 * @param timings the differences from `fastTimings`, which are those of each suite. Default: none
 */
export function inOneSandbox(title: string, files: readonly string[], timings: Partial<Timings> = {}): void {
    const load = createRequire(__filename);
    describe(title, () => {
        group = { arena: openForAll({ timings, programs: {}, s3: undefined }), timings };
        try {
            files.forEach((file) => load(path.join(__dirname, "../../e2e", `${file}.test`)));
        } finally {
            group = undefined;
        }
    });
}

interface ArenaOptions {
    timings: Partial<Timings>;
    programs: Programs;
    s3: S3Options | undefined;
}

/** Opens an arena before the first test of the suite that is being defined, and closes it after the last. */
function openForAll(options: ArenaOptions): () => Arena {
    let arena: OpenArena | undefined;
    before(async () => {
        arena = await openArena(await engine(), options);
    });
    after(async () => {
        await arena?.close();
    });
    return () => arena as Arena;
}

let found: Promise<PulumiDriver> | undefined;

function engine(): Promise<PulumiDriver> {
    return (found ??= findPulumi());
}

/** What is special to a suite. */
interface SuiteOptions {
    /** Returns what else the suite's name says about this engine, before any run. */
    readonly prepare?: (driver: PulumiDriver) => Promise<string>;
    /** The differences from `fastTimings`. */
    readonly timings?: Partial<Timings>;
    /** What the pods of Jobs may run. */
    readonly programs?: Programs;
    /** How its server of S3 is; without it there is none. */
    readonly s3?: S3Options;
}

/**
 * Defines a suite whose tests share one sandbox. Its name says which engine runs the programs, and why.
 * @param define receives a function, because the arena exists only while the tests run
 */
export function describeOnEngine(
    title: string,
    define: (arena: () => Arena) => void,
    { prepare, timings = {}, programs = {}, s3 }: SuiteOptions = {},
): void {
    const hasServers = Object.keys(programs).length > 0 || s3 !== undefined;
    assert.ok(
        group === undefined || (!hasServers && isDeepStrictEqual(timings, group.timings)),
        `${title}: a suite with other rates or servers cannot share a sandbox`,
    );
    const suite = describe(title, () => {
        define(group?.arena ?? openForAll({ timings, programs, s3 }));
    });
    // This hook runs outside the suite, so the suite gets its name before it is announced.
    before(async () => {
        const driver = await engine();
        const more = await prepare?.(driver);
        suite.title = [`${title}, by ${driver.why}`, ...(more === undefined ? [] : [more])].join("; ");
    });
}
