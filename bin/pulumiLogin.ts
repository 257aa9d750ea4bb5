import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PulumiLogin } from "../convert/nextCommands";

/** Finds out how the Pulumi CLI would store a new stack, from its environment variables and its credentials file. */
export function pulumiLogin(environment: NodeJS.ProcessEnv = process.env): PulumiLogin {
    const folder = environment.PULUMI_HOME ?? join(homedir(), ".pulumi");
    const token = environment.PULUMI_ACCESS_TOKEN ? "https://api.pulumi.com" : undefined;
    return {
        backend: environment.PULUMI_BACKEND_URL || currentBackend(join(folder, "credentials.json")) || token,
        hasPassphrase:
            environment.PULUMI_CONFIG_PASSPHRASE !== undefined ||
            environment.PULUMI_CONFIG_PASSPHRASE_FILE !== undefined,
    };
}

/** @returns undefined if nobody has logged in; also if the file cannot be read, so the user is told how to log in. */
function currentBackend(credentials: string): string | undefined {
    try {
        return (JSON.parse(readFileSync(credentials, "utf8")) as { current?: string }).current;
    } catch {
        return undefined;
    }
}
