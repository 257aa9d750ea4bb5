import * as fs from "node:fs";
import { layoutOf } from "../controlPlane/layout";
import { makeFolder } from "../controlPlane/makeFolder";
import { startWatchdog } from "../controlPlane/watchdog";
import { type S3Options, type S3Server, startS3 } from "./s3Server";

/** Options of a server of S3 without a sandbox. */
export interface S3ServerOptions extends S3Options {
    /** A folder for this server only. It is made, and removed at the end. */
    folder: string;
    /** Receives progress messages while the server is built, once. Default: no log. */
    log?: (line: string) => void;
}

/** A server of S3 of its own. */
export interface OwnS3Server extends S3Server {
    /** Ends the server and removes its folder. May be called more than once. */
    down(): Promise<void>;
}

/**
 * Starts a server of S3 without a sandbox. It ends with `down()`, or when this process ends for whatever reason. Throws if it cannot
 * be built, or is not ready in time.
 */
export async function startS3Server({
    folder,
    log = () => undefined,
    ...options
}: S3ServerOptions): Promise<OwnS3Server> {
    const layout = layoutOf(folder);
    [layout.processIds, layout.logs].forEach((one) => makeFolder(one, 0o700));
    const watchdog = startWatchdog(folder);
    try {
        const server = await startS3(layout, { ...options, log });
        let ending: Promise<void> | undefined;
        const end = async (): Promise<void> => {
            await server.stop();
            fs.rmSync(folder, { recursive: true, force: true });
            await watchdog.release();
        };
        // The process id of a server that was interrupted is another one: it is read when it is asked for.
        return Object.create(server, { down: { value: () => (ending ??= end()) } }) as OwnS3Server;
    } catch (error) {
        await watchdog.release(); // It removes the folder and kills what was started in it.
        throw error;
    }
}
