import * as assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { type PropertyMap, unknownValue } from "../../../sandbox/engine/values";
import { tlsProvider } from "../../support/tlsProvider/tlsProvider";

const hourMilliseconds = 3_600_000;
const types = {
    key: "tls:index/privateKey:PrivateKey",
    selfSigned: "tls:index/selfSignedCert:SelfSignedCert",
    request: "tls:index/certRequest:CertRequest",
    signed: "tls:index/locallySignedCert:LocallySignedCert",
};

describe("the stand-in for Pulumi's TLS provider", () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const provider = tlsProvider(() => now);
    const create = async (type: string, inputs: PropertyMap) => {
        const { failures } = await provider.check({ urn: "", type, news: inputs });
        assert.deepEqual(failures, []);
        return (await provider.create({ urn: "", type, inputs, preview: false })).outputs;
    };
    const diff = (type: string, oldOutputs: PropertyMap, news: PropertyMap) =>
        provider.diff({ urn: "", type, id: "1", oldInputs: {}, oldOutputs, news, ignoreChanges: [] });
    const newKey = async () => (await create(types.key, { algorithm: "ECDSA", ecdsaCurve: "P256" })).privateKeyPem;

    it("sees no change if a default is spelled out", async () => {
        const inputs = { algorithm: "RSA" };
        const key = await create(types.key, inputs);
        assert.equal((await diff(types.key, key, { ...inputs, rsaBits: 2048 })).changes, "none");
        assert.deepEqual((await diff(types.key, key, { ...inputs, rsaBits: 3072 })).replaces, ["rsaBits"]);
    });

    it("predicts nothing about a key, and treats an unknown input as a change", async () => {
        const inputs = { algorithm: "ED25519" };
        const foreseen = await provider.create({ urn: "", type: types.key, inputs, preview: true });
        assert.equal(foreseen.id, undefined);
        assert.equal(foreseen.outputs.privateKeyPem, unknownValue);
        const request = await create(types.request, { privateKeyPem: await newKey() });
        assert.deepEqual((await diff(types.request, request, { privateKeyPem: unknownValue })).replaces, [
            "privateKeyPem",
        ]);
    });

    it("issues a new certificate from `earlyRenewalHours` before the end on, not sooner", async () => {
        const inputs = {
            privateKeyPem: await newKey(),
            allowedUses: ["cert_signing"],
            validityPeriodHours: 10,
            earlyRenewalHours: 4,
        };
        const certificate = await create(types.selfSigned, inputs);
        const start = now.getTime();
        now = new Date(start + 6 * hourMilliseconds - 1000);
        assert.equal((await diff(types.selfSigned, certificate, inputs)).changes, "none");
        now = new Date(start + 6 * hourMilliseconds);
        assert.deepEqual((await diff(types.selfSigned, certificate, inputs)).replaces, ["readyForRenewal"]);
        const read = await provider.read({ urn: "", type: types.selfSigned, id: "1", inputs, outputs: certificate });
        assert.equal(read?.outputs.readyForRenewal, true);
        const later = await diff(types.selfSigned, certificate, { ...inputs, earlyRenewalHours: 1 });
        assert.deepEqual([later.changes, later.replaces], ["some", []]);
    });

    it("does not sign for an authority without its key", async () => {
        const own = await newKey();
        const caCertPem = (
            await create(types.selfSigned, {
                privateKeyPem: own,
                subject: { commonName: "authority" },
                isCaCertificate: true,
                allowedUses: ["cert_signing"],
                validityPeriodHours: 10,
            })
        ).certPem;
        const inputs = {
            caCertPem,
            certRequestPem: (await create(types.request, { privateKeyPem: await newKey(), dnsNames: ["a.test"] }))
                .certRequestPem,
            allowedUses: ["server_auth"],
            validityPeriodHours: 1,
        };
        await assert.rejects(create(types.signed, { ...inputs, caPrivateKeyPem: await newKey() }), /caPrivateKeyPem/);
        const { certPem } = await create(types.signed, { ...inputs, caPrivateKeyPem: own });
        const certificate = new X509Certificate(certPem as string);
        assert.ok(certificate.checkIssued(new X509Certificate(caCertPem as string)));
        assert.equal(certificate.subjectAltName, "DNS:a.test");
    });

    const refused: [string, string, PropertyMap, string][] = [
        ["an unknown algorithm", types.key, { algorithm: "DSA" }, "algorithm"],
        ["a missing input", types.request, {}, "privateKeyPem"],
        ["an unsupported input", types.request, { privateKeyPem: "", privateKeyPemWo: "" }, "privateKeyPemWo"],
        ["a field of a subject", types.request, { privateKeyPem: "", subject: { name: "x" } }, "subject"],
        ["an invalid address", types.request, { privateKeyPem: "", ipAddresses: ["a.test"] }, "ipAddresses"],
        ["an invalid URI", types.request, { privateKeyPem: "", uris: ["a test"] }, "uris"],
    ];
    for (const [what, type, news, property] of refused) {
        it(`refuses ${what}, by name`, async () => {
            const { failures } = await provider.check({ urn: "", type, news });
            assert.deepEqual(
                failures.map((failure) => failure.property),
                [property],
            );
        });
    }

    it("refuses an unsupported resource or curve by name", async () => {
        await assert.rejects(create("tls:index/other:Other", {}), /tls:index\/other:Other is not supported/);
        await assert.rejects(create(types.key, { algorithm: "ECDSA" }), /ecdsaCurve P224 is not supported/);
    });
});
