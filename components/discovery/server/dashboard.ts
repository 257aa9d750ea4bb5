import * as http from "node:http";
import * as https from "node:https";

/** PD's address, and the certificate for the connection. */
export interface DashboardTarget {
    /** PD's client URL. */
    readonly url: string;
    /** PEM texts for https. They are read again for each request. */
    readonly tls: () => { ca: string; cert: string; key: string } | undefined;
}

/** Creates a proxy for requests below `/dashboard` to PD, which serves TiDB Dashboard there. Other paths get a 404. */
export function createDashboardProxy(target: DashboardTarget, log: (line: string) => void): http.Server {
    return http.createServer((request, response) => {
        const path = request.url ?? "/";
        if (!/^\/dashboard([/?]|$)/.test(path)) {
            response.writeHead(404, { "content-type": "text/plain" }).end("only /dashboard is served here\n");
            log(`dashboard ${request.method} ${path} -> 404`);
            return;
        }
        const fail = (error: unknown) => {
            const message = error instanceof Error ? error.message : String(error);
            log(`dashboard ${request.method} ${path} -> 502 ${message}`);
            if (!response.headersSent) {
                response.writeHead(502, { "content-type": "text/plain" });
            }
            response.end(`PD at ${target.url} does not answer: ${message}\n`);
        };
        try {
            const url = new URL(path, target.url);
            const client = url.protocol === "https:" ? https : http;
            const headers = { ...request.headers, host: url.host };
            const onward = client.request(
                url,
                { method: request.method, headers, agent: false, ...target.tls() },
                (answer) => {
                    log(`dashboard ${request.method} ${path} -> ${answer.statusCode}`);
                    response.writeHead(answer.statusCode ?? 502, answer.headers);
                    answer.on("error", () => response.destroy()).pipe(response);
                },
            );
            onward.setTimeout(60_000, () => onward.destroy(new Error("no answer within 60 s")));
            onward.on("error", fail);
            response.on("close", () => onward.destroy());
            request.pipe(onward);
        } catch (error) {
            fail(error);
        }
    });
}
