import type * as k8s from "@kubernetes/client-node" with { "resolution-mode": "import" };
import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { checkBr } from "../../../components/br/checkBr";
import { brJob } from "../../../components/br/job";
import type { BrKind, BrManifest } from "../../../components/br/spec";
import { commandLineOf } from "../../../sandbox/dataPlane/jobs/commandLine";
import { environmentOf } from "../../../sandbox/dataPlane/jobs/environment";
import { replaceMountedPaths } from "../../../sandbox/dataPlane/jobs/mountedPaths";
import { makeVolumes, mountsOf } from "../../../sandbox/dataPlane/jobs/volumes";
import { checkArguments } from "../../../sandbox/recorders/br/arguments/checkArguments";
import { parseArguments } from "../../../sandbox/recorders/br/arguments/parseArguments";
import { readCertificates } from "../../../sandbox/recorders/br/cluster/pdClient";
import { readStorageUrl } from "../../../sandbox/recorders/br/storage/storageUrl";

/** TiKV has an identity of its own, so BR has nothing to send. */
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

    /** What BR makes of the arguments and the environment of a Job. */
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
        });
        const mounts = mountsOf(container, volumes);
        const named = (container.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []);
        const variables = environmentOf(container, pod, {
            secrets: new Map(named.map((secret) => [secret, data(secret)])),
            configMaps: new Map(),
        });
        const environment = Object.fromEntries(
            Object.entries(variables).map(([key, value]) => [key, replaceMountedPaths(value, mounts)]),
        );
        const { args } = commandLineOf(container, variables, mounts, { br: "br" });
        const asked = parseArguments(args);
        assert.ok(asked.kind === "command", asked.kind);
        checkArguments(asked.name, asked.values);
        return { asked, environment };
    }

    /** A manifest whose own `br.options` have a flag of another command. */
    const ownFlag = "restore: every setting of BR";
    it("leaves it to BR to refuse a flag in `br.options` that the command has not", async () => {
        await assert.rejects(readByBr(cases.find(({ name }) => name === ownFlag)!), {
            message: "unknown flag: --lastbackupts",
        });
    });

    for (const one of cases.filter(({ name }) => !/GCS|Azure/.test(name) && name !== ownFlag)) {
        it(`has only flags that BR knows, and a storage that BR finds: ${one.name}`, async () => {
            const { asked, environment } = await readByBr(one);
            const { kind } = readStorageUrl(asked.values.text("storage"), asked.values, environment);
            assert.ok(kind === "s3" || kind === "local");
            const certificates = readCertificates(asked.values);
            assert.deepEqual(
                certificates && Object.values(certificates).map(String).sort(),
                one.cluster.tls ? ["of the CA", "of the client", "the key"] : undefined,
            );
        });
    }

    const gcs = {
        ...{ kind: "gcs", bucket: "backups", prefix: "full", storageClass: "NEARLINE" },
        ...{ predefinedAcl: "private", key: secrets["gcs-secret"].credentials },
    };
    const azure = { kind: "azblob", container: "backups", prefix: "full", account: "account" };
    const identity = { kind: "gcs", bucket: "backups", prefix: "" };
    const clouds: Record<string, object> = {
        "backup: GCS with a secret": gcs,
        "restore: GCS with a secret": gcs,
        "backup: GCS by workload identity": identity,
        "restore: GCS by workload identity": identity,
        "backup: Azure with a key": { ...azure, accessTier: "Hot", by: "key" },
        "restore: Azure with a key": { ...azure, accessTier: "Hot", by: "key" },
        "backup: Azure with an application": { ...azure, by: "application" },
        "restore: Azure with an application": { ...azure, by: "application" },
        "backup: Azure with a SAS token": { ...azure, prefix: "", by: "token" },
    };

    for (const one of cases.filter(({ name }) => /GCS|Azure/.test(name))) {
        it(`is reached by BR with what its storage says: ${one.name}`, async () => {
            const { asked, environment } = await readByBr(
                clouds[one.name] === identity ? withOwnAccessOfTikv(one) : one,
            );
            const found = readStorageUrl(asked.values.text("storage"), asked.values, environment);
            assert.deepEqual(JSON.parse(JSON.stringify(found)), clouds[one.name]);
        });
    }

    it("is refused by BR if it has neither a key of Google nor the word that TiKV needs none", () => {
        const asked = parseArguments(["backup", "full", "--pd=a:2379", "--storage=gcs://backups/"]);
        assert.ok(asked.kind === "command");
        assert.throws(() => readStorageUrl("gcs://backups/", asked.values, {}), {
            message:
                "You should provide '--gcs.credentials_file' when '--send-credentials-to-tikv' is true: [BR:ExternalStorage:ErrStorageInvalidConfig]invalid external storage config",
        });
    });

    it("is refused by BR if it has no credentials of Azure", () => {
        const asked = parseArguments(["backup", "full", "--pd=a:2379", "--storage=azure://backups/"]);
        assert.ok(asked.kind === "command");
        const read = (url: string) => () => readStorageUrl(url, asked.values, {});
        assert.throws(read("azure://backups/"), /^Error: account name cannot be empty/);
        assert.throws(read("azure://backups/?account-name=a"), /^Error: cannot find any credential info/);
        assert.throws(read("azure://backups/?sas-token=a"), /^Error: account name cannot be empty/);
    });
});
