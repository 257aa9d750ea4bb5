import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Sandbox, type SandboxOptions, writeBrRecorder } from "pulumi-tidb-sandbox";
import { startCertManager } from "../tests/support/certificates/certManager";
import { backupAndRestore } from "./backup";
import { operations } from "./operate";
import type { Step } from "./step";

/** What a demo shows, and with what. */
export interface Scenario {
    /** The folder of its program in `examples/`. */
    readonly example: string;
    /** What the sandbox has beside a control plane and a data plane. */
    readonly sandbox: Pick<SandboxOptions, "s3" | "programs">;
    /** Prepares a sandbox that has started. @returns the steps. */
    begin(sandbox: Sandbox, log: (line: string) => void): Promise<readonly Step[]>;
    /** Ends what the scenario has started beside the sandbox. */
    end(): Promise<void>;
}

/** The life of a cluster, from the first deployment to destroy. */
export function plain(): Scenario {
    return { example: "basic", sandbox: {}, begin: async () => operations, end: async () => undefined };
}

/** The same with TLS, with certificates from the stand-in for cert-manager. */
export function withTls(): Scenario {
    let certManager: { stop(): Promise<void> } | undefined;
    return {
        ...plain(),
        example: "tls",
        begin: async ({ kubeconfig }, log) => {
            certManager = await startCertManager(kubeconfig, log);
            return operations;
        },
        end: async () => certManager?.stop(),
    };
}

/** A backup to a server of S3, and its restore into a new cluster. A recorder runs in the place of br. */
export function withBackup(): Scenario {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-tidb-br-"));
    const recorder = writeBrRecorder(folder);
    return {
        example: "backup",
        sandbox: { s3: { region: "eu-central-1" }, programs: { br: recorder.file } },
        begin: async ({ s3 }) => {
            if (s3 === undefined) {
                throw new Error("the sandbox has no server of S3");
            }
            await s3.createBucket("backups");
            const { endpoint, region, key } = s3;
            return backupAndRestore({ bucket: "backups", endpoint, region, ...key }, recorder.calls);
        },
        end: async () => rmSync(folder, { recursive: true, force: true }),
    };
}
