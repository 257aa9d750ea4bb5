import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type KubernetesApiError, withErrorContext } from "../../../provider/cluster/apiCall";
import { destroyCluster } from "../../../provider/gates/destroy";
import { GateError } from "../../../provider/gates/gateError";
import type { GateWorld } from "../../../provider/gates/gateWorld";
import { assertSameCluster } from "../../../provider/gates/sameCluster";
import { refuseOwner } from "../../../provider/lifecycle/vocabulary/ownership";
import { codeBlocks, root } from "./pages";

const path = join("docs", "troubleshooting.md");
const page = { path, text: readFileSync(join(root, path), "utf8") };
const quoted = codeBlocks(page).flatMap(({ code }) => code.trim().split("\n"));

const owner = {
    stack: "organization/shop/dev",
    urn: "urn:pulumi:dev::shop::tidb:index:TidbCluster::mine",
    name: "mine",
    namespace: "tidb",
};
const deleted = {
    cluster: "mine",
    namespace: "tidb",
    leaseUid: "7e21",
    owner,
    statusUrn: "urn:pulumi:dev::shop::tidb:index:TidbCluster$pulumi-nodejs:dynamic/tidb:ReadyGate::mine-ready",
};
type Inputs = Parameters<typeof assertSameCluster>[0];
type Lease = Parameters<typeof assertSameCluster>[1];

function messageOf(call: () => unknown): string {
    try {
        call();
    } catch (error) {
        return (error as Error).message;
    }
    return assert.fail("no error");
}

/** What a call to an API server ends in that does not answer in time. */
async function unreachable(): Promise<KubernetesApiError> {
    const silence = () => Promise.reject(Object.assign(new Error("aborted"), { name: "TimeoutError" }));
    const read = withErrorContext("https://10.0.0.1:6443", "read Lease mine-pulumi-tidb", silence);
    return read.then(
        () => assert.fail("no error"),
        (error: unknown) => error as KubernetesApiError,
    );
}

describe("docs/troubleshooting.md quotes the messages as they are", () => {
    it("of an unreachable cluster", async () => {
        assert.ok(quoted.includes((await unreachable()).message));
    });

    it("of a cluster that is gone when it is to be destroyed", async () => {
        const failure = await unreachable();
        const world = { open: () => Promise.reject(failure) } as unknown as GateWorld;
        await assert.rejects(
            destroyCluster("", deleted, world),
            (error: Error) => quoted.includes(error.message) || assert.fail(error.message),
        );
    });

    it("of another cluster than the Kubernetes provider's", () => {
        const other = { uid: "1c1f" } as Lease;
        const message = messageOf(() => assertSameCluster(deleted as unknown as Inputs, other));
        assert.ok(quoted.includes(message), message);
    });

    it("of a namespace that was destroyed", () => {
        const message = messageOf(() => assertSameCluster(deleted as unknown as Inputs, undefined));
        assert.ok(quoted.includes(message), message);
    });

    it("of a lost stack", () => {
        const reason = refuseOwner({ uid: "7e21", owner }, undefined, owner, false);
        assert.ok(quoted.includes(`Lease tidb/mine-pulumi-tidb: ${reason}`), reason);
    });

    it("of a lock that is held for an hour", () => {
        const holder = "ana@laptop, process 18439 (3f9a1c)";
        const { message } = new GateError({
            step: "lock",
            target: "roll out mine-tikv",
            seen: `${holder} has held the lock for an hour (roll out mine-tikv)`,
            next: "wait until that run has ended, or end it",
        });
        assert.ok(quoted.includes(message), message);
        const loop = readFileSync(join(root, "provider", "gates", "loop.ts"), "utf8");
        for (const part of ["has held the lock for an hour (", "its lock expires in ", "s unless it is renewed"]) {
            assert.ok(loop.includes(part) && page.text.includes(part), part);
        }
    });

    it("of waits, in part", () => {
        const rows = [...page.text.matchAll(/^\| `([^`]+)` +\|/gm)].map((match) => match[1]);
        assert.equal(rows.length, 3);
        const lifecycle = join(root, "provider", "lifecycle");
        const sources = readdirSync(lifecycle, { recursive: true, encoding: "utf8" })
            .filter((name) => name.endsWith(".ts"))
            .map((name) => readFileSync(join(lifecycle, name), "utf8"))
            .join("\n");
        for (const part of rows.flatMap((row) => row.split(/…| not known$/)).map((one) => one.trim())) {
            assert.ok(sources.includes(part), part);
        }
    });
});
