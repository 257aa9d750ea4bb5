import assert from "node:assert/strict";
import { renderBr } from "../../../components/br/renderBr";
import { checkSchedule } from "../../../components/br/schedule/checkSchedule";
import { renderSchedule } from "../../../components/br/schedule/renderSchedule";
import { checkManifest } from "../../../components/checkManifest";
import { withDefaults } from "../../../components/defaults";
import { ManifestError } from "../../../components/problem";
import { renderCluster } from "../../../components/render";
import { sampleOf, withValue } from "../../support/sampleFields";
import { textPaths, variants, withText } from "./fullCluster";
import { fields } from "../../support/v1alpha1";
import { readScript, shellTexts } from "../../support/shellTexts";

const [begin, end] = ["b3g1n", "3nd"];
/** Everything that a shell, or Kubernetes, acts on. */
const hostile = `${begin}$(touch pwned)\`touch pwned\`"'\\;touch pwned&|<>*?[x]~ #\ntouch pwned $$ $(POD_NAME) \${( $(un${end}`;

/** @returns whether the value reaches a shell. Fails unless it arrives there whole, and nothing of it is run. */
function reachesShell(objects: Parameters<typeof shellTexts>[0], path: string): boolean {
    const count = (text: string, part: string) => text.split(part).length - 1;
    const texts = shellTexts(objects).filter(({ text }) => text.includes(begin) || text.includes(end));
    for (const { where, text } of texts) {
        const { words, comments } = readScript(text);
        // A cluster's name, which the API server lets have no dollar, stands within $(…), where Kubernetes leaves $$ as it is.
        const isName = path === "metadata\nname";
        const [found, wanted] = [words, hostile].map((one) => (isName ? one.replaceAll("$$", "$") : one));
        const whole = count(found, wanted);
        for (const part of [begin, end]) {
            const inCode = count(text, part) - count(comments, part);
            assert.equal(inCode, whole, `${path.replaceAll("\n", ".")} is not quoted in ${where}:\n${text}`);
        }
    }
    return texts.length > 0;
}

/** Renders a manifest without the checks that refuse most of these values. @returns undefined if it cannot be rendered: then the checks must refuse it. */
function rendered(manifest: object): Parameters<typeof shellTexts>[0] | undefined {
    try {
        return renderCluster(withDefaults(structuredClone(manifest) as never) as never);
    } catch {
        assert.throws(() => checkManifest(manifest), ManifestError);
        return undefined;
    }
}

describe("no value of a manifest runs in a shell", () => {
    const reaching = new Set<string>();
    for (const [variant, manifest] of Object.entries(variants)) {
        it(`of a cluster ${variant}`, () => {
            assert.ok(shellTexts(rendered(manifest) ?? []).length > 6);
            for (const path of textPaths(manifest)) {
                const objects = rendered(withText(manifest, path, hostile));
                if (objects !== undefined && reachesShell(objects, path)) {
                    reaching.add(path.replaceAll("\n", "."));
                }
            }
        });
    }

    it("in any field of v1alpha1", () => {
        const [manifest] = Object.values(variants);
        for (const path of fields) {
            const { value, required } = sampleOf(path);
            const base = Object.entries(required).reduce(
                (one, [field, needed]) => withValue(one, field, needed),
                manifest,
            );
            for (const inner of textPaths({ value })) {
                const { value: changed } = withText({ value }, inner, hostile);
                const objects = rendered(withValue(base, path, changed));
                if (objects !== undefined) {
                    reachesShell(objects, path);
                }
            }
        }
    });

    it("and these reach one, so the tests above look at something", () => {
        const expected = [
            ...["metadata.name", "metadata.namespace", "spec.clusterDomain", "spec.pdAddresses.0"],
            ...["spec.cluster.name", "spec.cluster.namespace", "spec.cluster.clusterDomain"],
            ...["name", "value"].map((part) => `spec.podSecurityContext.sysctls.0.${part}`),
            ...["name", "value"].map((part) => `spec.tikv.podSecurityContext.sysctls.0.${part}`),
            ...["spec.pd.dataSubDir", "spec.tikv.dataSubDir", "spec.tikv.additionalVolumeMounts.0.mountPath"],
            ...["plugins.0", "arguments.0", "additionalVolumeMounts.0.mountPath"].map((path) => `spec.tidb.${path}`),
            "spec.tidb.customizedStartupProbe.binaryName",
            "spec.pump.config.log-level",
            ...["log-file", "log-level"].map((key) => `spec.ticdc.config.${key}`),
            ...["logger.log", "logger.errorlog", "flash.flash_cluster.log"].map(
                (key) => `spec.tiflash.config.config.${key}`,
            ),
        ];
        assert.deepEqual(
            expected.filter((path) => !reaching.has(path)),
            [],
        );
    });

    const cluster = { name: "basic", namespace: "db", version: "v8.5.5", tls: true };
    const metadata = { name: "nightly", namespace: "db" };
    const s3 = {
        provider: "aws",
        bucket: "b",
        prefix: "p",
        region: "r",
        secretName: "keys",
        endpoint: "http://s3",
        storageClass: "x",
    };
    const storages = {
        s3: { s3 },
        gcs: { gcs: { projectId: "p", bucket: "b", prefix: "p", secretName: "keys" } },
        azblob: { azblob: { container: "c", prefix: "p", secretName: "keys", accessTier: "Hot" } },
        local: { local: { volume: { name: "nfs" }, volumeMount: { name: "nfs", mountPath: "/nfs" }, prefix: "p" } },
    };
    const br = { cluster: "basic", clusterNamespace: "db" };
    for (const [storage, given] of Object.entries(storages)) {
        it(`of a BackupSchedule to ${storage}`, () => {
            const checked = checkSchedule({
                metadata,
                spec: { schedule: "0 2 * * *", maxBackups: 3, backupTemplate: { br, ...given } },
            });
            const all = { checked, cluster };
            for (const path of textPaths(all)) {
                const changed = withText(all, path, hostile);
                // The names must agree, or nothing is rendered.
                const { backupTemplate } = changed.checked.spec;
                backupTemplate.br = {
                    ...backupTemplate.br,
                    cluster: changed.cluster.name,
                    clusterNamespace: changed.cluster.namespace,
                };
                changed.checked.metadata.namespace = changed.cluster.namespace;
                try {
                    reachesShell([renderSchedule(changed.checked, changed.cluster).cronJob as never], path);
                } catch (error) {
                    assert.ok(error instanceof ManifestError, String(error));
                }
            }
            const named = withText(all, "checked\nmetadata\nname", hostile);
            assert.ok(reachesShell([renderSchedule(named.checked, cluster).cronJob as never], "metadata.name"));
        });

        it(`of a Backup, a Restore and a CompactBackup in ${storage}`, () => {
            const manifests = [
                [
                    "Backup",
                    { from: { host: "db", user: "u", secretName: "s" }, dumpling: { options: ["--x"] }, ...given },
                ],
                ["Restore", { to: { host: "basic-tidb.db", user: "u", secretName: "s" }, ...given }],
                ["CompactBackup", { br, startTs: "1", endTs: "2", ...given }],
            ] as const;
            for (const [kind, spec] of manifests) {
                const manifest = { metadata, spec };
                assert.ok(shellTexts([renderBr(kind, manifest as never, cluster).job as never]).length > 0);
                for (const path of textPaths(manifest)) {
                    try {
                        reachesShell(
                            [renderBr(kind, withText(manifest, path, hostile) as never, cluster).job as never],
                            path,
                        );
                    } catch (error) {
                        assert.ok(!(error instanceof assert.AssertionError), String(error));
                    }
                }
            }
        });
    }
});
