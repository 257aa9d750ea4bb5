import * as assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createPdClient, PdError, type PdClient, type PdClientOptions } from "../../../provider/pd";
import type { Answer } from "../pd/server";

/** A client that lasts as long as the variable that holds it. Asks the addresses as pd-0, pd-1 and so on. */
export function clientOf(urls: readonly string[], options: Partial<PdClientOptions> = {}): PdClient & Disposable {
    const endpoints = urls.map((url, index) => ({ name: `pd-${index}`, url }));
    const client = createPdClient({ endpoints, timeoutMilliseconds: 300, ...options });
    return Object.assign(client, { [Symbol.dispose]: () => client.close() });
}

/** An address at which nobody listens. */
export async function deadUrl(): Promise<string> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return `http://127.0.0.1:${port}`;
}

/** The error that a call must end with. */
export async function errorOf(act: () => Promise<unknown>): Promise<PdError> {
    const error = await act().then(
        () => assert.fail("the call succeeded"),
        (reason: unknown) => reason,
    );
    assert.ok(error instanceof PdError, String(error));
    return error;
}

export const version: Answer = { status: 200, body: '{"version":"v8.5.4"}' };
export const done: Answer = { status: 200, body: '"done"' };
/** As recorded, without quorum. */
export const redirectFailed: Answer = {
    status: 500,
    body: "[PD:apiutil:ErrRedirect]redirect failed\n",
    contentType: "text/plain; charset=utf-8",
};
/** The member waited for an election (tikv/pd pkg/utils/apiutil/serverapi). */
export const noLeaderFound: Answer = {
    status: 503,
    body: "[PD:apiutil:ErrRedirectNoLeader]redirect finds no leader\n",
    contentType: "text/plain; charset=utf-8",
};
