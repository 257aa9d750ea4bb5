import * as assert from "node:assert/strict";
import * as path from "node:path";
import { createAuthority, type Issued, issue, secretData } from "../support/certificates/certificates";
import { type CertManager, startCertManager } from "../support/certificates/certManager";
import { describeOnEngine } from "../support/e2e/arena";
import { withTls, writeCertificates } from "../support/e2e/clusterCertificates";
import {
    assertFailed,
    assertNothingLeft,
    assertOk,
    assertSafeStops,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { clusterStack, openStack } from "../support/e2e/stack";

const tlsProgram = path.resolve(__dirname, "../../examples/tls");

describeOnEngine("a cluster with TLS", (arena) => {
    let certManager: CertManager;
    before(async () => {
        certManager = await startCertManager(arena().sandbox.kubeconfig);
    });
    after(() => certManager?.stop());

    it("of examples/tls is deployed, upgraded, scaled and refused as one without, by a client that shows its certificate", async () => {
        const stack = openStack(arena(), "tls", tlsProgram, "basic");
        const options = (config: Record<string, string> = {}) => ({
            config: { namespace: "tls", ...config },
            skipPreview: true,
        });
        assertOk(await stack.run("up", options()));
        await assertVersion(arena(), stack, "v8.5.3", 8);
        const played = stack.played();
        await dataLoaded(played);
        for (const url of arena().sandbox.dataPlane.pdUrls("tls", "basic")) {
            assert.match(url, /^https:/);
            await assert.rejects(fetch(`${url}/pd/api/v1/health`), "PD hears nobody without a certificate");
        }
        assertUnchanged(await stack.run("up", options()));

        const before = played.events.length;
        const upgraded = { version: "v8.5.4" };
        const preview = assertOk(await stack.run("preview", options(upgraded)));
        const restarts = (member: string) =>
            planOf(preview, `basic-${member}-rollout`).filter((line) => line.startsWith("restart "));
        const plans = ["pd", "tikv", "tidb"].map((member) => restarts(member).length);
        assert.deepEqual(plans, [3, 3, 2]);
        assertOk(await stack.run("up", options(upgraded)));
        await assertVersion(arena(), stack, "v8.5.4", 8);
        assert.equal(new Set(stoppedPods(played, before)).size, 8);
        assertSafeStops(played, before);

        assertOk(await stack.run("up", options({ ...upgraded, tikvReplicas: "4" })));
        assert.equal(played.storeOfPod("basic-tikv-3")?.state, "Up");
        assertOk(await stack.run("up", options(upgraded)));
        assert.equal(played.storeOfPod("basic-tikv-3")?.state, "Tombstone");
        const refused = await stack.run("preview", options({ ...upgraded, tikvReplicas: "2" }));
        assertFailed(refused, /spec\.tikv\.replicas/, /max-replicas/);
        await assertNothingLeft(arena(), stack);
        assertUnchanged(await stack.run("up", options(upgraded)));
        assertOk(await stack.run("destroy", options(upgraded)));
    });

    const client = "demo-cluster-client-secret";

    it("goes on when all its certificates are exchanged in the middle of a roll-out", async () => {
        const stack = await clusterStack(arena(), "exchanged");
        await writeCertificates(arena(), "exchanged", await createAuthority("first"));
        assertOk(await stack.up({ spec: withTls }));
        const played = stack.played();
        await dataLoaded(played);
        const before = played.events.length;
        arena().sandbox.dataPlane.faults("exchanged", "demo").stores["demo-tikv-2"] = { evictedLeadersPerSecond: 20 };
        const run = stack.startUp({ spec: withTls, version: "v8.5.3" });
        await until("the first store is evicted", () => played.stores().find((store) => store.evicted));
        await writeCertificates(arena(), "exchanged", await createAuthority("second"));
        assertOk(await run.done);
        await assertVersion(arena(), stack, "v8.5.3", 8);
        assertSafeStops(played, before);
        await assertNothingLeft(arena(), stack);
    });

    it("says which Secret is missing, and goes on once it is there", async () => {
        const stack = await clusterStack(arena(), "late");
        const lines: string[] = [];
        const run = stack.startUp({ spec: withTls }, { onLine: (line) => lines.push(line) });
        const missing = `Secret late/${client} does not exist`;
        await until("the run says what is missing", () => lines.find((line) => line.includes(missing)));
        await writeCertificates(arena(), "late", await createAuthority("tidb"));
        assertOk(await run.done);
        await assertVersion(arena(), stack, "v8.5.2", 8);
    });

    it("says what is wrong with the certificate that PD refuses", async () => {
        const stack = await clusterStack(arena(), "wrong");
        const authority = await createAuthority("tidb");
        await writeCertificates(arena(), "wrong", authority);
        assertOk(await stack.up({ spec: withTls }));
        const past = (hours: number) => new Date(Date.now() - hours * 3_600_000);
        const cases: [Issued, RegExp][] = [
            [
                await issue(authority, ["client"], { notBefore: past(2), notAfter: past(1) }),
                /tls\.crt in Secret wrong\/demo-cluster-client-secret expired at/,
            ],
            [
                await issue(await createAuthority("another"), ["client"]),
                /was issued by "CN=another", but ca\.crt in the same Secret is "CN=tidb"/,
            ],
        ];
        for (const [issued, expected] of cases) {
            await arena().kubernetes.writeSecret("wrong", client, secretData(authority, issued));
            assert.match((await stack.preview({ spec: withTls, version: "v8.5.3" })).output, expected);
        }
        const stranger = await createAuthority("another");
        await arena().kubernetes.writeSecret("wrong", client, secretData(stranger, await issue(stranger, ["client"])));
        const preview = await stack.preview({ spec: withTls, version: "v8.5.3" });
        assert.match(preview.output, /not signed by the authority that the client trusts/);
    });
});
