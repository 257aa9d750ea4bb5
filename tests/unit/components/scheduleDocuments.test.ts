import assert from "node:assert/strict";
import { convert } from "../../../bin/convertCommand";
import { render } from "../../../bin/renderCommand";
import type { KubernetesObject } from "../../../components/kubernetes/object";
import { smallCluster } from "./manifests";
import { repeats } from "../../support/repeats";

const schedule = (spec: object = {}, template: object = {}) => ({
    apiVersion: "pingcap.com/v1alpha1",
    kind: "BackupSchedule",
    metadata: { name: "nightly", namespace: "stores" },
    spec: {
        schedule: "0 2 * * *",
        maxBackups: 7,
        backupTemplate: {
            br: { cluster: "shop", rateLimit: 64 },
            s3: { provider: "aws", bucket: "backups" },
            ...template,
        },
        ...spec,
    },
});
const text = (...objects: object[]) => objects.map((object) => `---\n${JSON.stringify(object)}\n`).join("");
const cluster = { kind: "TidbCluster", ...smallCluster() };

describe("a BackupSchedule in a file", () => {
    it("is rendered after its cluster, with the version of that cluster", () => {
        const { output, errors } = render(["x.yaml"], "json", () => text(schedule(), cluster));
        assert.equal(errors, "");
        const { kind, metadata, spec } = (JSON.parse(output) as KubernetesObject[]).at(-1)!;
        assert.deepEqual([kind, metadata.namespace, metadata.name], ["CronJob", "stores", "backup-nightly"]);
        const [{ image }] = (
            spec as { jobTemplate: { spec: { template: { spec: { initContainers: { image: string }[] } } } } }
        ).jobTemplate.spec.template.spec.initContainers;
        assert.match(image, /^pingcap\/br:v\d/);
    });

    it("is refused with errors, and without its cluster", () => {
        const refused = (...objects: object[]) => render(["x.yaml"], "json", () => text(...objects));
        const late = refused(schedule({ schedule: "at night" }), cluster);
        repeats(late.errors, "BackupSchedule nightly: 1 error\n  - spec.schedule");
        repeats(refused(schedule()).errors, 'spec.backupTemplate.br.cluster: found "shop"', "namespace stores");
        repeats(refused(schedule(), schedule(), cluster).errors, "a second BackupSchedule/nightly");
    });

    it("becomes a part of the converted program, without the name and namespace that its cluster gives", () => {
        const { output, errors } = convert(["x.yaml"], () => text(cluster, schedule()));
        assert.equal(errors, "");
        assert.match(output, /^import \{ BackupSchedule, TidbCluster \} from "pulumi-tidb";\n/);
        assert.ok(
            output.includes(`new BackupSchedule("nightly", {
    cluster,
    spec: {
        schedule: "0 2 * * *",
        maxBackups: 7,
        backupTemplate: { s3: { provider: "aws", bucket: "backups" }, br: { rateLimit: 64 } },
    },
});
`),
            output,
        );
    });
});
