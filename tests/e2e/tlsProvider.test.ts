import * as assert from "node:assert/strict";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { connect } from "node:tls";
import { requiredCertificates } from "../../components/certificates";
import { cluster } from "../../examples/tls-provider/cluster";
import type { PulumiRun } from "pulumi-tidb-sandbox/pulumi";
import { describeOnEngine } from "../support/e2e/arena";
import {
    assertFailed,
    assertOk,
    assertUnchanged,
    assertVersion,
    dataLoaded,
    planOf,
    stoppedPods,
    until,
} from "../support/e2e/expect";
import { openStack } from "../support/e2e/stack";
import { findTlsPlugin, type TlsPlugin } from "../support/tlsProvider/tlsPlugin";

const root = path.resolve(__dirname, "../..");
const hourMilliseconds = 3_600_000;

let plugin: TlsPlugin;

describeOnEngine(
    "certificates of Pulumi's TLS provider",
    (arena) => {
        const open = (name: string, program: string) => {
            const stack = openStack(arena(), name, path.join(root, program), "basic");
            const { pluginFolders } = plugin;
            const run = (operation: "preview" | "up" | "destroy", config: Record<string, string> = {}) =>
                stack.run(operation, { skipPreview: true, pluginFolders, config });
            return { stack, run };
        };

        it("are what was asked for, and their keys are secrets", async () => {
            const { run } = open("certificates", "tests/fixtures/programs/certificates");
            assert.deepEqual(changed(assertOk(await run("preview"))).length, 10);
            const { outputs } = assertOk(await run("up"));
            const certificate = new X509Certificate(outputs.certificate as string);
            const authority = new X509Certificate(outputs.authority as string);
            assert.deepEqual([authority.ca, certificate.ca], [true, false]);
            assert.ok(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
            assert.equal(authority.subject, "O=TiDB\nCN=authority");
            assert.equal(certificate.subject, "CN=leaf");
            assert.equal(
                certificate.subjectAltName,
                "DNS:leaf.test, DNS:*.leaf.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
            );
            const [serverAuth, clientAuth] = ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"];
            assert.deepEqual(certificate.keyUsage, [serverAuth, clientAuth]);
            assert.ok(certificate.publicKey.equals(createPublicKey(outputs.publicKey as string)));
            assert.equal(BigInt(`0x${certificate.serialNumber}`).toString(), outputs.certificateId);
            const hours = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / hourMilliseconds;
            assert.equal(hours, 100);
            assert.ok(Math.abs(Date.parse(outputs.certificateEnd as string) - Date.parse(certificate.validTo)) < 1000);
            assert.match(outputs.certificateRequest as string, /^-----BEGIN CERTIFICATE REQUEST-----\n/);
            assert.equal(outputs.isReadyForRenewal, false);
            assert.deepEqual(outputs.algorithms, ["ECDSA", "ECDSA", "ECDSA", "RSA", "ED25519"]);
            for (const one of (outputs.selfSigned as string[]).map((pem) => new X509Certificate(pem))) {
                assert.ok(one.verify(one.publicKey));
                assert.match(one.subject, /^C=DE\nstreet=1 ?\+ ?street=2\nCN=other-\d\nemailAddress=a@b.test$/i);
            }
            assert.deepEqual(new Set([outputs.secrets].flat()), new Set(["[secret]"]));
            const state = path.join(arena().folder, "certificates");
            const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
            const holds = (text: string) =>
                files.some((file) => readFileSync(path.join(file.parentPath, file.name), "utf8").includes(text));
            assert.deepEqual([holds("BEGIN CERTIFICATE"), holds("PRIVATE KEY")], [true, false]);
        });

        it("are issued anew when their time or an input says so, and only then", async () => {
            const { run } = open("certificates", "tests/fixtures/programs/certificates");
            assertUnchanged(await run("up"));
            const { outputs } = await run("up", { renewBefore: "10" });
            assert.deepEqual(changed(await run("preview", { renewBefore: "99" })), ["update LocallySignedCert leaf"]);
            const due = await run("up", { renewBefore: "100" });
            assert.deepEqual(changed(due), ["replace LocallySignedCert leaf"]);
            assert.notEqual(due.outputs.certificateId, outputs.certificateId);
            assert.equal(due.outputs.isReadyForRenewal, true);
            assert.deepEqual(changed(await run("preview", { renewBefore: "100" })), ["replace LocallySignedCert leaf"]);

            const inPlace = await run("up");
            assert.deepEqual(changed(inPlace), ["update LocallySignedCert leaf"]);
            assert.equal(inPlace.outputs.certificateId, due.outputs.certificateId);
            assert.deepEqual(changed(await run("preview", { hours: "90" })), ["replace LocallySignedCert leaf"]);
            const anotherRoot = await run("up", { rootCurve: "P521" });
            assert.deepEqual(changed(anotherRoot), [
                "replace LocallySignedCert leaf",
                "replace PrivateKey root",
                "replace SelfSignedCert root",
            ]);
            const [leaf, authority] = [anotherRoot.outputs.certificate, anotherRoot.outputs.authority].map(
                (pem) => new X509Certificate(pem as string),
            );
            assert.ok(leaf.verify(authority.publicKey));
            assertFailed(await run("preview", { wrong: "nonsense" }), /leaf/, /allowed_?[uU]ses/, /client_auth/);
            assert.equal(assertOk(await run("destroy")).changes.delete, 10);
        });

        it("make the cluster of examples/tls-provider, and renewed ones restart nothing", async () => {
            const name = "tls-provider";
            const { stack, run: runWith } = open(name, "examples/tls-provider");
            const run = (operation: "preview" | "up" | "destroy", config: Record<string, string> = {}) =>
                runWith(operation, { namespace: name, ...config });
            const required = requiredCertificates({ ...cluster, metadata: { name: "basic", namespace: name } });
            const secretNames = required.map(({ secretName }) => secretName);
            assert.equal(secretNames.length, 6);
            const issued = async () => {
                const secrets = await arena().kubernetes.secrets(name);
                return secretNames.map((secret) => secrets[secret]);
            };
            assertOk(await run("up"));
            await assertVersion(arena(), stack, "v8.5.3", 8);
            const played = stack.played();
            await dataLoaded(played);
            for (const url of arena().sandbox.dataPlane.pdUrls(name, "basic")) {
                assert.match(url, /^https:/);
                await assert.rejects(fetch(`${url}/pd/api/v1/health`), "PD hears nobody without a certificate");
            }
            assertUnchanged(await run("up"));

            const first = await issued();
            for (const [index, { dnsNames, ipAddresses }] of required.entries()) {
                const certificate = new X509Certificate(first[index]["tls.crt"]);
                assert.ok(certificate.verify(new X509Certificate(first[index]["ca.crt"]).publicKey));
                assert.ok(certificate.checkPrivateKey(createPrivateKey(first[index]["tls.key"])));
                for (const dnsName of dnsNames) {
                    assert.ok(certificate.subjectAltName?.includes(`DNS:${dnsName}`), dnsName);
                }
                assert.ok(ipAddresses.every((address) => certificate.checkIP(address) !== undefined));
            }
            const pods = (await arena().kubernetes.pods(name)).filter(({ metadata }) =>
                /-\d+$/.test(metadata?.name ?? ""),
            );
            for (const { metadata, spec } of pods) {
                const mounted = (spec?.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []);
                assert.ok(mounted.length > 0, `${metadata?.name} mounts no certificate`);
                assert.deepEqual(
                    mounted.filter((secret) => !secretNames.includes(secret)),
                    [],
                );
            }

            const before = played.events.length;
            const earlier = await run("up", { renewBeforeHours: "8000" });
            const each = (operation: string) => secretNames.map((secret) => `${operation} ${secret}`).sort();
            assert.deepEqual(
                changed(earlier),
                each("update LocallySignedCert"),
                "the time of renewal alone makes no certificate",
            );
            assert.deepEqual(await issued(), first);
            const renewed = changed(await run("up", { renewBeforeHours: "8760" }));
            assert.deepEqual(renewed, [...each("replace LocallySignedCert"), ...each("replace Secret")]);
            const second = await issued();
            for (const [index, { "tls.crt": cert, "tls.key": key, "ca.crt": ca }] of second.entries()) {
                assert.notEqual(cert, first[index]["tls.crt"]);
                assert.deepEqual([key, ca], [first[index]["tls.key"], first[index]["ca.crt"]]);
            }
            const pd = secretNames.indexOf("basic-pd-cluster-secret");
            const client = secretNames.indexOf("basic-cluster-client-secret");
            const serial = new X509Certificate(second[pd]["tls.crt"]).serialNumber;
            const [url] = arena().sandbox.dataPlane.pdUrls(name, "basic");
            await until("PD shows its new certificate", async () =>
                (await servedBy(url, second[client])) === serial ? true : undefined,
            );

            const plan = await run("preview", { tikvReserveSpace: "4GB" });
            const lines = planOf(plan, "basic-tikv-rollout");
            assert.equal(
                lines.filter((line) => /tikv-\d/.test(line)).length,
                3,
                `gates still reach PD: ${lines.join("\n")}`,
            );
            assert.deepEqual(changed(await run("up")), each("update LocallySignedCert"));
            assertUnchanged(await run("up"));
            assert.deepEqual(stoppedPods(played, before), []);

            assertOk(await run("destroy"));
            assert.deepEqual(await arena().kubernetes.secrets(name), {});
            assert.deepEqual(await arena().kubernetes.pods(name), []);
        });
    },
    {
        prepare: async (driver) => {
            plugin = await findTlsPlugin(driver);
            return plugin.description;
        },
    },
);

/** What a run did, or would do, as `operation kind name`, sorted. */
function changed(run: PulumiRun): string[] {
    return assertOk(run)
        .steps.filter(({ op }) => op !== "same")
        .map(({ op, type, name }) => `${op} ${type.split(":").pop()} ${name}`)
        .sort();
}

/** Serial number of the certificate that a server shows. */
function servedBy(url: string, client: Record<string, string>): Promise<string> {
    const { hostname, port } = new URL(url);
    const [ca, cert, key] = ["ca.crt", "tls.crt", "tls.key"].map((name) => client[name]);
    return new Promise((resolve, reject) => {
        const socket = connect({
            host: hostname,
            port: Number(port),
            ca,
            cert,
            key,
            checkServerIdentity: () => undefined,
        });
        socket.once("secureConnect", () => {
            resolve(socket.getPeerX509Certificate()?.serialNumber ?? "");
            socket.destroy();
        });
        socket.once("error", reject);
    });
}
