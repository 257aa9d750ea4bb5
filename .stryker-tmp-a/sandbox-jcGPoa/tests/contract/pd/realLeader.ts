import * as http from "node:http";
import * as https from "node:https";
import type { RealPdTls } from "./realPd";

/** Asks the members in turn until one of them names PD's leader. @returns where it serves, `host:port` */
export async function findLeader(
    members: readonly string[],
    tls?: Pick<RealPdTls, "ca" | "client" | "serverName">,
): Promise<string> {
    for (const until = performance.now() + 60_000; performance.now() < until;) {
        for (const member of members) {
            const leader = await ask(`${member}/pd/api/v1/leader`, tls);
            if (leader) {
                return leader;
            }
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`no leader of ${members.join(", ")} within 60 s`);
}

function ask(url: string, tls?: Pick<RealPdTls, "ca" | "client" | "serverName">): Promise<string | undefined> {
    const options = tls
        ? { ca: tls.ca, ...tls.client, servername: tls.serverName("basic-pd-0"), timeout: 1000 }
        : { timeout: 1000 };
    return new Promise((resolve) => {
        const request = (tls ? https : http).get(url, options, (response) => {
            let body = "";
            response.on("data", (chunk: Buffer) => (body += chunk.toString()));
            response.on("end", () => {
                const found = response.statusCode === 200 && /"client_urls":\s*\[\s*"https?:\/\/([^"/]+)/.exec(body);
                resolve(found ? found[1] : undefined);
            });
            response.on("error", () => resolve(undefined));
        });
        request.on("timeout", () => request.destroy());
        request.on("error", () => resolve(undefined));
    });
}
