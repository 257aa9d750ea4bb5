import * as assert from "node:assert/strict";
import {
    firstStep,
    KubernetesApiError,
    undefinedIfNotFound,
    withErrorContext,
    withRetries,
} from "../../../provider/cluster/apiCall";
import { CredentialError } from "../../../provider/cluster/credentials";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { HttpError, RefusedBeforeSend } from "../../../provider/http/httpError";
import { repeats } from "../../support/repeats";

/** Calls that end, one after the other, as `outcomes` say: a status, no answer, or `"ok"`. */
function calls(...outcomes: ("ok" | "silent" | number)[]) {
    let made = 0;
    const call = () => {
        const outcome = outcomes[made++];
        return outcome === "ok"
            ? Promise.resolve("answer")
            : Promise.reject(new KubernetesApiError("failed", outcome === "silent" ? undefined : outcome));
    };
    return { call, made: () => made };
}

/** A clock that only sleeping and slow calls move, and the pauses that were made. */
function playedTime() {
    let now = 0;
    const pauses: number[] = [];
    return {
        now: () => now,
        sleep: (milliseconds: number) => {
            pauses.push(milliseconds);
            now += milliseconds;
            return Promise.resolve();
        },
        pass: (milliseconds: number) => void (now += milliseconds),
        pauses,
    };
}

describe("a read of the API server", () => {
    for (const outcome of ["silent", 500, 503, 429] as const) {
        it(`is retried if it failed quickly with an error that may pass (${outcome})`, async () => {
            const { call, made } = calls(outcome, outcome, "ok");
            const time = playedTime();
            assert.equal(await withRetries(call, time), "answer");
            assert.equal(made(), 3);
            assert.deepEqual(time.pauses, [200, 600]);
        });
    }
    it("is tried three times at most", async () => {
        const { call, made } = calls("silent", "silent", "silent", "ok");
        await assert.rejects(withRetries(call, playedTime()), KubernetesApiError);
        assert.equal(made(), 3);
    });
    for (const status of [401, 403, 404, 409]) {
        it(`is not retried if the answer would be the same (${status})`, async () => {
            const { call, made } = calls(status, "ok");
            await assert.rejects(withRetries(call, playedTime()), KubernetesApiError);
            assert.equal(made(), 1);
        });
    }
    it("is not retried if it took long, so an unreachable server is reported within 10 s", async () => {
        let made = 0;
        const time = playedTime();
        const slow = () => {
            made += 1;
            time.pass(1_100);
            return Promise.reject(new KubernetesApiError("no answer", undefined));
        };
        await assert.rejects(withRetries(slow, time), KubernetesApiError);
        assert.equal(made, 1);
        assert.deepEqual(time.pauses, []);
    });
    it("returns undefined for a missing object, and fails if it is forbidden", async () => {
        assert.equal(await undefinedIfNotFound(calls(404).call()), undefined);
        await assert.rejects(undefinedIfNotFound(calls(403).call()), { status: 403 });
    });
});

describe("a failed call of the API server", () => {
    const fail = (error: unknown) =>
        withErrorContext("https://there:6443", "list pods of basic-tikv", () => Promise.reject(error));

    it("names the call, the server, the status and the server's message", async () => {
        const error = { code: 403, body: JSON.stringify({ message: "pods is forbidden" }) };
        await assert.rejects(fail(error), {
            message:
                "could not list pods of basic-tikv: the API server at https://there:6443 answered 403: pods is forbidden",
            status: 403,
        });
    });
    it("names the network error if there was no answer", async () => {
        const error = new HttpError("connect ECONNREFUSED 127.0.0.1:1", { sent: false });
        await assert.rejects(fail(error), {
            message: /list pods of basic-tikv: connect ECONNREFUSED/,
            status: undefined,
        });
    });
    it("says how long the server gave no answer", async () => {
        const late = new HttpError("no answer within 8000 ms", { sent: true, isTimeout: true });
        await assert.rejects(fail(late), { message: /could not reach .*: no answer within 8 s$/ });
    });
    it("says that there was no login, and what to do about that first", async () => {
        const error = new CredentialError("the credential command `aws` did not answer");
        await assert.rejects(fail(error), (failed: KubernetesApiError) => {
            repeats(failed.message, "https://there:6443", "list pods");
            assert.equal(firstStep(failed, ""), "log in again, or use another kubeconfig");
            return failed.isOfEveryCall;
        });
    });
    it("that the lock kept from being sent is the lock's own error: nothing failed at the API server", async () => {
        const stale = new StaleDecision("the lock is old");
        await assert.rejects(fail(new RefusedBeforeSend(stale)), stale);
    });
});

describe("an answer without a body", () => {
    it("is told by its name, and a login that is not accepted as such, not as a dump of headers", async () => {
        const answered = (code: number) =>
            withErrorContext("https://10.0.0.1:6443", "read Lease mine", () =>
                Promise.reject(
                    Object.assign(new Error(`HTTP-Code: ${code}\nBody: undefined\nHeaders: {}`), {
                        code,
                        body: undefined,
                    }),
                ),
            );
        const before = "could not read Lease mine: the API server at https://10.0.0.1:6443 answered";
        await assert.rejects(answered(401), {
            message: `${before} 401: Unauthorized: the login of the kubeconfig has expired, or is not valid there`,
        });
        const first = (status: number | undefined) => firstStep(new KubernetesApiError("", status), "grant it");
        assert.deepEqual([401, 403, 500, undefined].map(first), [
            "log in again, or use another kubeconfig",
            "grant it",
            "check the API server and the network path to it",
            "check the API server and the network path to it",
        ]);
        await assert.rejects(answered(503), { message: `${before} 503: Service Unavailable` });
    });
});
