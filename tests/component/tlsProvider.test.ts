import * as assert from "node:assert/strict";
import { requiredCertificates } from "../../components/certificates";
import { type ProgramRun, patienceMilliseconds, runProgram } from "./mockProgram";

type Inputs = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any shape

/** What Pulumi's TLS provider adds to a resource, in place of PEM texts: who made it, and of what. */
function made(type: string, inputs: Inputs): Inputs | undefined {
    switch (type) {
        case "tls:index/privateKey:PrivateKey":
            return { ...inputs, privateKeyPem: "a key", privateKeyPemPkcs8: "a key in PKCS 8" };
        case "tls:index/selfSignedCert:SelfSignedCert":
            return { ...inputs, certPem: "the authority" };
        case "tls:index/certRequest:CertRequest":
            return { ...inputs, certRequestPem: JSON.stringify(inputs) };
        case "tls:index/locallySignedCert:LocallySignedCert":
            return { ...inputs, certPem: JSON.stringify({ ...inputs, request: JSON.parse(inputs.certRequestPem) }) };
    }
    return undefined;
}

describe("component: examples/tls-provider", function () {
    this.timeout(patienceMilliseconds);
    let run: ProgramRun<unknown>;
    let required: ReturnType<typeof requiredCertificates>;
    before(async () => {
        // eslint-disable-next-line @typescript-eslint/no-require-imports -- a program runs when it is loaded
        run = await runProgram(() => require("../../examples/tls-provider/index.ts") as unknown, {
            config: { "project:namespace": "sales" },
            state: (type, inputs) => made(type, inputs),
        });
        // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded by the program already
        const { cluster } = require("../../examples/tls-provider/cluster.ts") as { cluster: Inputs };
        required = requiredCertificates(cluster as Parameters<typeof requiredCertificates>[0]);
    });

    it("creates every Secret that the cluster needs, with certificates of one authority for all names", () => {
        assert.equal(required.length, 6);
        for (const { secretName, dnsNames, ipAddresses, usages } of required) {
            const { metadata, stringData } = run.find("Secret", secretName).inputs;
            assert.deepEqual([metadata.name, metadata.namespace], [secretName, "sales"]);
            assert.equal(stringData["ca.crt"], "the authority");
            assert.equal(stringData["tls.key"], "a key in PKCS 8");
            const issued = JSON.parse(stringData["tls.crt"] as string) as Inputs;
            assert.equal(issued.caCertPem, "the authority");
            assert.deepEqual([issued.request.dnsNames, issued.request.ipAddresses], [dnsNames, ipAddresses]);
            for (const usage of usages) {
                assert.ok(
                    (issued.allowedUses as string[]).includes(usage.replace(" ", "_")),
                    `${secretName}: ${usage}`,
                );
            }
        }
        const authority = run.find("SelfSignedCert", "basic-ca").inputs;
        assert.equal(authority.isCaCertificate, true);
        assert.ok(authority.allowedUses.includes("cert_signing"));
    });

    it("mounts them", () => {
        const mounted = ["pd", "tikv", "tidb"].flatMap((member) =>
            (run.find("StatefulSet", `basic-${member}`).inputs.spec.template.spec.volumes as Inputs[]).flatMap(
                ({ secret }) => (secret ? [secret.secretName as string] : []),
            ),
        );
        const names = required.map(({ secretName }) => secretName);
        assert.ok(mounted.length >= 5 && mounted.every((secret) => names.includes(secret)), mounted.join(", "));
    });

    it("tells gates that PD requires certificates", () => {
        assert.equal(run.find("RolloutGate", "basic-pd-rollout").inputs.pd.tls, true);
    });
});
