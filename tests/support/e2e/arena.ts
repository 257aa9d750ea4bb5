import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
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
};

/** So many leaders that PD's limits are raised while they move, and that their return is waited for. */
export const manyLeaders: Partial<Timings> = { leadersPerStore: 240 };

/** What the tests of one file share: an engine and a sandbox. */
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

async function openArena(
    driver: PulumiDriver,
    timings: Partial<Timings>,
    more: { programs: Programs; s3: S3Options | undefined },
): Promise<OpenArena> {
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

/**
 * Defines a suite whose tests share one sandbox. Its name says which engine runs the programs, and why.
 * @param define receives a function, because the arena exists only while the tests run
 * @param prepare returns what else the suite's name says about this engine, before any run
 * @param timings the differences from `fastTimings`
 * @param programs what the pods of Jobs may run
 * @param s3 how its server of S3 is; without it there is none
 */
export function describeOnEngine(
    title: string,
    define: (arena: () => Arena) => void,
    prepare?: (driver: PulumiDriver) => Promise<string>,
    timings: Partial<Timings> = {},
    programs: Programs = {},
    s3?: S3Options,
): void {
    let driver: PulumiDriver | undefined;
    let arena: OpenArena | undefined;
    const suite = describe(title, () => {
        before(async () => {
            arena = await openArena(driver as PulumiDriver, timings, { programs, s3 });
        });
        after(async () => {
            await arena?.close();
        });
        define(() => arena as Arena);
    });
    // This hook runs outside the suite, so the suite gets its name before it is announced.
    before(async () => {
        driver = await findPulumi();
        const more = await prepare?.(driver);
        suite.title = [`${title}, by ${driver.why}`, ...(more === undefined ? [] : [more])].join("; ");
    });
}
