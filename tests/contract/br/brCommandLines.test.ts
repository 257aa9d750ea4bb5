import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { checkBr } from "../../../components/br/checkBr";
import { brJob } from "../../../components/br/job";
import type { BrKind, BrManifest } from "../../../components/br/spec";
import { commandLineOf } from "../../../sandbox/dataPlane/jobs/commandLine";
import { environmentOf } from "../../../sandbox/dataPlane/containers/environment";
import { replaceMountedPaths } from "../../../sandbox/dataPlane/containers/mountedPaths";
import { makeVolumes, mountsOf } from "../../../sandbox/dataPlane/containers/volumes";
import flags from "../../../sandbox/recorders/flags/br.json";
import { parseArguments } from "../../../sandbox/recorders/parseArguments";

/** Without a key of Google, TiKV must have an identity of its own. */
function withOwnAccessOfTikv({ manifest, ...rest }: OperatorCase): OperatorCase {
    const br = { ...manifest.spec.br, sendCredToTikv: false };
    return { ...rest, manifest: { ...manifest, spec: { ...manifest.spec, br } } };
}

/** A volume on a server is a folder here. */
function withoutServers({ volumes = [], ...pod }: k8s.V1PodSpec): k8s.V1PodSpec {
    return { ...pod, volumes: volumes.map((volume) => (volume.nfs ? { name: volume.name, emptyDir: {} } : volume)) };
}

/** The Secrets of the manifests, as docs/backup.md describes them. */
const secrets: Record<string, Record<string, string>> = {
    "gcs-secret": { credentials: '{"type":"service_account"}' },
    "azure-key": { AZURE_STORAGE_ACCOUNT: "account", AZURE_STORAGE_KEY: "a2V5" },
    "azure-aad": { AZURE_CLIENT_ID: "app", AZURE_CLIENT_SECRET: "secret", AZURE_TENANT_ID: "tenant" },
    "basic-cluster-client-secret": { "ca.crt": "of the CA", "tls.crt": "of the client", "tls.key": "the key" },
};
const keys = { access_key: "AKIA", secret_key: "secret" };

interface OperatorCase {
    name: string;
    manifest: {
        kind: BrKind;
        metadata: { name: string; namespace: string };
        spec: { br: Record<string, string | boolean> };
    };
    cluster: { version: string; tls: boolean };
    refused?: string;
}

const cases = (
    JSON.parse(fs.readFileSync(path.join(__dirname, "../../fixtures/brOfOperator.json"), "utf8")) as OperatorCase[]
).filter(({ refused }) => refused === undefined);

describe("the Job of a Backup or Restore, as kubelet starts it and BR v8.5 reads it", () => {
    let folder: string;
    before(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-tidb-br-lines-"))));
    after(() => fs.rmSync(folder, { recursive: true }));

    /** The arguments and the environment of a Job, as BR gets them. */
    async function readByBr({ name, manifest, cluster }: OperatorCase) {
        const { kind, metadata, spec } = manifest;
        const of = {
            name: String(spec.br.cluster),
            namespace: String(spec.br.clusterNamespace ?? metadata.namespace),
            ...cluster,
        };
        const job = brJob(kind, checkBr(kind, manifest) as BrManifest, of) as k8s.V1Job;
        const template = job.spec?.template as k8s.V1PodTemplateSpec;
        const pod = { metadata, spec: withoutServers(template.spec!) } as k8s.V1Pod;
        const [container] = pod.spec!.containers;
        const own = path.join(folder, name.replace(/\W+/g, "-"));
        const data = (secret: string) => secrets[secret] ?? keys;
        const volumes = await makeVolumes(pod, own, {
            secret: (_namespace, secret) =>
                Promise.resolve(
                    Object.fromEntries(Object.entries(data(secret)).map(([key, text]) => [key, Buffer.from(text)])),
                ),
            configMap: () => Promise.resolve({}),
            claimFolder: (_namespace, claim) => Promise.resolve(path.join(own, claim)),
            token: () => Promise.resolve(Buffer.from("token")),
        });
        const named = (container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []);
        const variables = environmentOf(container, pod, {
            secrets: new Map(named.map((secret) => [secret, data(secret)])),
            configMaps: new Map(),
        });
        const mounts = mountsOf(container, volumes, variables);
        const environment = Object.fromEntries(
            Object.entries(variables).map(([key, value]) => [key, replaceMountedPaths(value, mounts)]),
        );
        const { args } = commandLineOf(container, variables, mounts, { br: "br" });
        return { call: parseArguments("br", flags, args), environment };
    }

    /** A manifest whose own `br.options` have a flag of another command. */
    const ownFlag = "restore: every setting of BR";
    it("leaves it to BR to refuse a flag in `br.options` that the command has not", async () => {
        await assert.rejects(readByBr(cases.find(({ name }) => name === ownFlag)!), {
            message: "unknown flag: --lastbackupts",
        });
    });

    const application = { AZURE_CLIENT_ID: "app", AZURE_CLIENT_SECRET: "secret", AZURE_TENANT_ID: "tenant" };
    const account = { AZURE_STORAGE_ACCOUNT: "account" };
    /** The variables with which BR finds its keys of other clouds. */
    const clouds: readonly (readonly [RegExp, object])[] = [
        [/Azure with a key/, { ...account, AZURE_STORAGE_KEY: "a2V5" }],
        [/Azure with an application/, { ...account, ...application }],
        [/Azure with a SAS token/, account],
    ];

    for (const one of cases.filter(({ name }) => name !== ownFlag)) {
        it(`has only flags that BR knows, and the files and keys that BR looks for: ${one.name}`, async () => {
            const { call, environment } = await readByBr(
                one.name.includes("workload identity") ? withOwnAccessOfTikv(one) : one,
            );
            const content = (file: string | undefined) => file && fs.readFileSync(file, "utf8");
            assert.deepEqual(
                ["ca", "cert", "key"].map((flag) => content(call.value(flag))),
                one.cluster.tls ? ["of the CA", "of the client", "the key"] : [undefined, undefined, undefined],
            );
            assert.match(call.value("storage") ?? "", /^(s3|gcs|azure|local):\/\/\w*/);
            assert.equal(
                content(environment.GOOGLE_APPLICATION_CREDENTIALS),
                one.name.includes("GCS with a secret") ? secrets["gcs-secret"].credentials : undefined,
            );
            const ofAzure = Object.entries(environment).filter(([name]) => name.startsWith("AZURE_"));
            const [, expected = {}] = clouds.find(([name]) => name.test(one.name)) ?? [];
            assert.deepEqual(Object.fromEntries(ofAzure), expected);
        });
    }
});
