import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Progress } from "../cluster/ports";

/** The least time between two statuses, so that a fast look does not flood the engine. */
const statusEveryMilliseconds = 500;

/** How long gates may tidy up once Pulumi is gone. Then their process ends: nobody else ends a dynamic provider. */
const cleanupMilliseconds = 120_000;

let engine: EngineClient | undefined | null;
let engineAnswered = false;
let abandoned = false;

/**
 * Messages on the resource's own line of Pulumi's display. The dynamic provider's process is given the engine's
 * address as its last argument; where that is not so, messages go to standard output, which Pulumi shows as well.
 * An engine that was there and does not answer was killed: nobody hears anything any more, standard output included.
 */
export function createProgress(urn: string): Progress {
    let statusAt = 0;
    let last = "";
    return {
        get abandoned() {
            return abandoned;
        },
        info: (message) => log(urn, LogSeverity.INFO, message, false),
        warn: (message) => log(urn, LogSeverity.WARNING, message, false),
        status: (message) => {
            if (message !== last && Date.now() - statusAt >= statusEveryMilliseconds) {
                statusAt = Date.now();
                last = message;
                log(urn, LogSeverity.INFO, message, true);
            }
        },
    };
}

function log(urn: string, severity: 1 | 2, message: string, ephemeral: boolean): void {
    const client = connect();
    if (abandoned) {
        return;
    }
    if (!client) {
        if (!ephemeral) {
            process.stdout.write(`${message}\n`);
        }
        return;
    }
    const request = new LogRequest();
    request.setSeverity(severity);
    request.setMessage(message);
    request.setUrn(urn);
    request.setEphemeral(ephemeral);
    client.log(request, (error) => {
        if (!error) {
            engineAnswered = true;
        } else if (!engineAnswered) {
            engine = null;
            process.stdout.write(`${message}\n`);
        } else if (!abandoned) {
            abandoned = true;
            setTimeout(() => process.exit(1), cleanupMilliseconds).unref();
        }
    });
}

function connect(): EngineClient | undefined | null {
    const address = process.argv.at(-1) ?? "";
    if (engine === undefined) {
        engine = /^[\w.-]+:\d+$/.test(address) ? new EngineClient(address, credentials.createInsecure()) : null;
    }
    return engine;
}
