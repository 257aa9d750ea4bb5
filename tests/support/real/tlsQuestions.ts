import * as https from "node:https";
import { text } from "node:stream/consumers";
import type { Issued } from "../certificates/certificates";
import { answerMilliseconds, type Ask } from "./raftState";

/** Returns what asks members that use TLS, with a certificate of their authority. */
export function askWith(authority: Issued, { cert, key }: Issued): Ask {
    // The certificates have names of Services, and pods are asked at their addresses.
    const options = { ca: authority.cert, cert, key, checkServerIdentity: () => undefined };
    return (url, method = "GET") =>
        new Promise((resolve, reject) => {
            https
                .request(url, { ...options, method, signal: AbortSignal.timeout(answerMilliseconds) }, (response) => {
                    text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
                })
                .once("error", reject)
                .end();
        });
}
