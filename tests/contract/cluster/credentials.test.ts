import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { credentialTimeoutMilliseconds, limitCredentials } from "../../../provider/cluster/credentials";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { createKubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import { forwardPort } from "../../../provider/cluster/portForward";
import { perform } from "../../../provider/cluster/perform";
import { StaleDecision } from "../../../provider/cluster/staleDecision";
import { lockDurationSeconds } from "../../../provider/lifecycle/vocabulary/lock";
import { type LoopbackServer, startLoopbackServer } from "./loopbackServer";
import { repeats } from "../../support/repeats";

/** What a busy machine adds to a time limit. */
const longest = 5_000;

describe("a kubeconfig whose credentials come from a command", () => {
    let server: LoopbackServer;
    let folder: string;
    let received: string[];
    before(async () => {
        server = await startLoopbackServer(({ method, headers }, response) => {
            received.push(`${method} ${headers.authorization}`);
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify({ metadata: { name: "basic-pulumi-tidb" } }));
        });
    });
    after(() => server.close());
    beforeEach(() => ([received, folder] = [[], mkdtempSync(join(tmpdir(), "credentials-"))]));
    afterEach(() => rmSync(folder, { recursive: true }));

    const answerOf = (status: object) =>
        JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status });
    /** @param script of the shell; each run adds a line to the file `runs`. */
    const config = async (script: string, timeout?: number, exec: object = {}): Promise<KubeConfig> => {
        const played = JSON.parse(server.kubeconfig) as { users: { user: object }[] };
        const args = ["-c", `echo run >> ${folder}/runs; ${script}`, "--client-secret", "hunter2"];
        played.users[0].user = {
            exec: { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args, ...exec },
        };
        const kubeconfig = JSON.stringify(played);
        if (timeout === undefined) {
            return loadKubeConfig({ kubeconfig });
        }
        const client = await import("@kubernetes/client-node");
        const limited = new client.KubeConfig();
        limited.loadFromString(kubeconfig);
        limitCredentials(limited, timeout);
        return limited;
    };
    const runs = () =>
        existsSync(`${folder}/runs`) ? readFileSync(`${folder}/runs`, "utf8").split("\n").length - 1 : 0;
    const read = async (loaded: KubeConfig) =>
        (await createKubernetesApi(loaded)).readLease("tidb", "basic-pulumi-tidb");
    const failureOf = async (call: Promise<unknown>): Promise<KubernetesApiError> => {
        const error = await call.then(
            () => assert.fail("it succeeded"),
            (one: Error) => one,
        );
        assert.ok(error instanceof KubernetesApiError, String(error));
        assert.doesNotMatch(inspect(error), /hunter2/);
        return error;
    };
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();

    it("uses them until they expire, and runs the command once for all requests that wait for it", async () => {
        const loaded = await config(`sleep 0.3; echo '${answerOf({ token: "t", expirationTimestamp: inAnHour })}'`);
        await Promise.all(Array.from({ length: 10 }, () => read(loaded)));
        await read(loaded);
        assert.deepEqual([runs(), new Set(received)], [1, new Set(["GET Bearer t"])]);
        const expired = await config(
            `echo '${answerOf({ token: "t", expirationTimestamp: new Date(0).toISOString() })}'`,
        );
        await read(expired);
        await read(expired);
        assert.equal(runs(), 3);
    });

    it("gives the command its own variables and nothing to read: it must not wait for an answer to a question that nobody sees", async () => {
        const script = `read answer || echo '{"status":{"token":"'$REGION'"}}'`;
        await read(await config(script, undefined, { env: [{ name: "REGION", value: "eu" }] }));
        assert.deepEqual(received, ["GET Bearer eu"]);
    });

    it("shows the client certificate that the command answers", async () => {
        const options: { cert?: unknown; key?: unknown } = {};
        const status = { clientCertificateData: "certificate", clientKeyData: "key" };
        await (await config(`echo '${answerOf(status)}'`)).applyToHTTPSOptions(options as never);
        assert.deepEqual([options.cert, options.key], ["certificate", "key"]);
    });

    it("ends a command that hangs, and says that it was the command, for how long, and what to do", async () => {
        const loaded = await config(`echo $$ > ${folder}/pid; exec sleep 60`, 500);
        const began = Date.now();
        const { message, isOfEveryCall } = await failureOf(read(loaded));
        assert.ok(Date.now() - began < longest);
        repeats(message, "`sh` of the kubeconfig's user one", "kubectl get namespaces");
        assert.deepEqual([isOfEveryCall, received], [true, []]);
        const pid = Number(readFileSync(`${folder}/pid`, "utf8"));
        await pause(100);
        assert.throws(() => process.kill(pid, 0), { code: "ESRCH" }, "it still runs, and this process waits for it");
    });

    it("does not wait for a process that a command has left behind with its output", async () => {
        const began = Date.now();
        await failureOf(read(await config("sleep 8 & wait", 500)));
        assert.ok(Date.now() - began < longest);
    });

    it("has less time than a lock lasts, which each renewal needs a login for", () => {
        assert.ok(credentialTimeoutMilliseconds < lockDurationSeconds * 1_000);
    });

    const failing: Record<string, [script: string, exec: object, expected: RegExp]> = {
        fails: [
            "echo one >&2; echo 'Unable to locate credentials' >&2; exit 255",
            {},
            /failed: Unable to locate credentials; run/,
        ],
        "fails without a word": ["exit 3", {}, /`sh` of the kubeconfig's user one failed: exit code 3; run/],
        "is not installed": [
            "",
            { command: "/no/such-command" },
            /`\/no\/such-command` of .* failed: it is not installed; run/,
        ],
        "answers something else, which may be a secret": [
            "echo hunter2",
            {},
            /`sh` of .* answered something other than an ExecCredential/,
        ],
        "answers more than any credential": ["yes hunter2", {}, /`sh` of .* failed: /],
    };
    for (const [name, [script, exec, expected]] of Object.entries(failing)) {
        it(`names a command that ${name}`, async () => {
            assert.match((await failureOf(read(await config(script, undefined, exec)))).message, expected);
        });
    }

    it("names the field of a kubeconfig without a command", async () => {
        const { message } = await failureOf(read(await config("", undefined, { command: "" })));
        repeats(message, "`exec.command` of the kubeconfig's user one");
    });

    it("limits any other login, too", async () => {
        const client = await import("@kubernetes/client-node");
        const loaded = new client.KubeConfig();
        loaded.loadFromString(server.kubeconfig);
        loaded.addAuthenticator({
            isAuthProvider: () => true,
            applyAuthentication: () => new Promise(() => undefined),
        });
        limitCredentials(loaded, 200);
        const { message } = await failureOf(read(loaded));
        repeats(message, "the kubeconfig's user one", "0.2 s");
        await assert.rejects(loaded.applyToHTTPSOptions({}), { name: "CredentialError" });
    });

    it("limits the login of a port-forward, which says so", async () => {
        const forward = await forwardPort(await config("exec sleep 60", 300), "tidb", "basic-pd-0", 2379);
        const answer = await fetch(`http://127.0.0.1:${forward.port}`).catch((error: Error) => error);
        assert.ok(answer instanceof Error);
        repeats(forward.trouble, "`sh`");
        forward.close();
    });

    it("deletes no pod after the lock may have been lost while the command ran", async () => {
        const api = await createKubernetesApi(await config(`touch ${folder}/lost; echo '${answerOf({ token: "t" })}'`));
        const assertAllowed = () => {
            if (existsSync(`${folder}/lost`)) {
                throw new StaleDecision("the lock was not renewed a moment ago");
            }
        };
        const action = { do: "delete-pod", pod: "basic-tikv-2", uid: "u", resourceVersion: "7" } as const;
        const lock = {} as never;
        const performed = perform(action, { api } as never, { namespace: "tidb" }, lock, assertAllowed);
        await assert.rejects(performed, StaleDecision);
        assert.deepEqual([runs(), received], [1, []]);
    });
});
