import * as path from "node:path";
import type { Environment } from "../br/storage/s3Storage";
import { openLocal } from "../br/storage/localStorage";
import { openS3 } from "../br/storage/s3Storage";
import type { Storage } from "../br/storage/storage";
import { exitCodes, RcloneError } from "./parseCall";

/**
 * Opens the folder that `remote:path` names. The remote is set up by variables: `RCLONE_CONFIG_<REMOTE>_<SETTING>`.
 * @throws RcloneError if it is not set up, or of a type that the recorder does not have.
 */
export async function openRemote(
    target: string,
    environment: Environment,
): Promise<{ folder?: string; storage: Storage }> {
    const [, remote, where] = /^([\w-]+):(.*)$/s.exec(target) ?? [];
    const setting = (name: string): string | undefined =>
        environment[`RCLONE_CONFIG_${remote?.toUpperCase()}_${name}`] || undefined;
    const type = setting("TYPE");
    if (type === "local") {
        const folder = path.resolve(where);
        return { folder, storage: await openLocal({ kind: "local", folder }) };
    }
    if (type !== "s3") {
        throw new RcloneError(
            type === undefined
                ? `Failed to create file system for ${JSON.stringify(target)}: didn't find section in config file (${JSON.stringify(remote)})`
                : `the recorder has no remote of type ${type}`,
            exitCodes.failed,
        );
    }
    if (setting("ENV_AUTH") !== "true") {
        throw new RcloneError("the recorder finds keys in the environment only: ENV_AUTH", exitCodes.failed);
    }
    const [bucket, ...parts] = where.split("/");
    const place = { kind: "s3", bucket, prefix: parts.join("/"), region: setting("REGION") } as const;
    return { storage: await openS3({ ...place, endpoint: setting("ENDPOINT") }, environment) };
}
