import * as pulumi from "@pulumi/pulumi";
import type { AnyBrArgs, ExistingClusterArgs } from "./args";
import { type BrCluster, brClusterOf, type BrPods, brPodsOf } from "../br/brCluster";
import { checkBr, sourceOf } from "../br/checkBr";
import { deletesData } from "../br/clean/cleanPolicy";
import { type RenderedClean, renderClean } from "../br/clean/cleanJob";
import { withPrefix } from "../br/inFolder";
import { brJobName } from "../br/job";
import { withJobRevision } from "../br/jobRevision";
import type { RenderedLogBackup } from "../br/logBackup";
import { type RenderedBr, renderBr } from "../br/renderBr";
import { imageProblems } from "../br/schedule/options";
import { type BackupPlace, placeOf, rootCaution } from "../br/samePlace";
import type { BackupManifest, BrKind, BrManifest } from "../br/spec";
import { namedCluster } from "../br/sql/access";
import { isSql, isSqlSpec, type SqlManifest } from "../br/sql/spec";
import { attemptName, type JobRunArgs } from "../jobRunArgs";
import type { KubernetesObject } from "../kubernetes/object";
import type { Planned } from "../objects";
import { isPlain } from "../outline";
import { isMap } from "../plainMap";
import { ManifestError } from "../problem";
import type { TidbClusterManifest } from "../spec";
import { TidbCluster } from "../tidbCluster";
import { placeClaim } from "./backupPlaces";
import { brArgumentProblems } from "./brArguments";

/** A Backup, Restore or CompactBackup of a program, checked as far as its values are known. */
export interface PlannedBr {
    readonly cluster: pulumi.Output<BrCluster & BrPods>;
    readonly job: Planned<KubernetesObject>;
    /** Only of a log backup. */
    readonly log: pulumi.Output<RenderedLogBackup | undefined>;
    /** Only of a Backup with a `cleanPolicy` that deletes. */
    readonly clean: pulumi.Output<RenderedClean | undefined>;
    readonly does: pulumi.Output<string>;
    readonly url: pulumi.Output<string>;
    /** What to know before it runs first. Empty if there is nothing. */
    readonly caution: pulumi.Output<string>;
    /**
     * @param made the URN of its component: it is known once the program has made its other components.
     * @returns why it must not begin: it certainly writes where another Backup of the program does, or where a Restore reads; or it loads what an
     * earlier attempt of a Backup has left. Empty if it may.
     */
    readonly refusal: (made: pulumi.Output<unknown>) => pulumi.Output<string>;
}

/** Stands for the default provider, which is the same for all resources. */
const defaultProvider = {};

/**
 * Checks and renders a Backup, Restore or CompactBackup. Values that are Outputs are checked once they are known.
 *
 * @param provider the Kubernetes provider of its Job. Default: the default one.
 * @throws ManifestError that lists every error with its field.
 */
export function plannedBr(kind: BrKind, name: string, args: AnyBrArgs, provider: object = defaultProvider): PlannedBr {
    const problems = brArgumentProblems(kind, args);
    const { cluster } = args;
    const backupVersion = "backupVersion" in args ? args.backupVersion : undefined;
    const given = { kind, metadata: { ...args.metadata, name: args.metadata?.name ?? name }, spec: args.spec };
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf(kind, isPlain(given) ? given : {}));
    }
    const check = (value: object, own?: BrCluster) =>
        checkBr(kind, own === undefined ? value : withCluster(value, own));
    const live = cluster instanceof TidbCluster ? factsOf(cluster) : undefined;
    const claim = placeClaim();
    /** Where TiDB Lightning loads a dump from. */
    let from: BackupPlace | undefined;
    const cautionOf = (
        manifest: BrManifest | SqlManifest,
        written: BrManifest | SqlManifest,
        { namespace }: BrCluster,
    ) => {
        if (kind === "CompactBackup") {
            return "";
        }
        const placeOfManifest = (one: BrManifest | SqlManifest) => {
            const place = placeOf(`${kind} ${name}`, one as BackupManifest, one.metadata.namespace);
            return place && { ...place, seenFrom: { kubernetes: provider, namespace } };
        };
        const place = placeOfManifest(written);
        const isLog = (manifest.spec as BackupManifest["spec"]).backupMode === "log";
        const use = kind === "Restore" ? "reads from" : isLog ? "writes a log to" : undefined;
        const clash = claim.at(place && { ...place, ...(use && { use }) });
        if (kind === "Restore") {
            from = isSql(written) ? place : undefined;
            return "";
        }
        if (isSql(written)) {
            const earlier = Array.from({ length: (args.attempt ?? 1) - 1 }, (_, index) => index + 1);
            claim.left(earlier.map((attempt) => placeOfManifest(ofAttempt(kind, manifest, { attempt }))));
        }
        return [rootCaution(manifest.spec), clash ?? ""].filter((words) => words !== "").join("; ");
    };
    if (isPlain(given)) {
        // The name of the program's cluster may be an Output; any name stands for it here.
        const checked = check(given, live && { name: "cluster", namespace: "default", version: "", tls: false });
        if (!(cluster instanceof TidbCluster) && isPlain([cluster, backupVersion])) {
            const of = existing(checked, cluster as pulumi.Unwrap<ExistingClusterArgs>);
            renderBr(kind, ofAttempt(kind, checked, args), of, backupVersion as string);
        }
    }
    const found = pulumi
        .all([
            pulumi.output(given),
            live,
            live ? undefined : pulumi.output(cluster as ExistingClusterArgs),
            backupVersion,
            "cleanImage" in args ? args.cleanImage : undefined,
        ])
        .apply(([value, own, other, version, image]) => {
            const manifest = check(value, own);
            const of = own ?? existing(manifest, other as pulumi.Unwrap<ExistingClusterArgs>);
            const written = ofAttempt(kind, manifest, args);
            const rendered: RenderedBr = renderBr(kind, written, of, version);
            const job = withJobRevision(rendered.job, kind, manifest, of);
            return {
                of,
                rendered: { ...rendered, job },
                clean: cleanOf(manifest, of, image),
                caution: cautionOf(manifest, written, of),
            };
        });
    return {
        cluster: found.apply(({ of }) => of),
        log: found.apply(({ rendered }) => rendered.log),
        clean: found.apply(({ clean }) => clean as pulumi.Unwrap<RenderedClean> | undefined) as PlannedBr["clean"],
        does: found.apply(({ rendered }) => rendered.does),
        url: found.apply(({ rendered }) => rendered.url),
        caution: found.apply(({ caution }) => caution),
        refusal: (made) => pulumi.all([found, made]).apply(() => claim.refusal() || claim.loading(from)),
        job: {
            // A Job always exists, and with the same fields: only its values can be Outputs.
            outline: { apiVersion: "batch/v1", kind: "Job", metadata: { name: brJobName(kind, name) }, spec: {} },
            content: found.apply(({ rendered }) => rendered.job as KubernetesObject),
        },
    };
}

/**
 * Dumpling, unlike BR, writes beside the files of an earlier attempt, and TiDB Lightning would load them too: each attempt has its own prefix.
 */
function ofAttempt(kind: BrKind, manifest: BrManifest | SqlManifest, run: JobRunArgs): BrManifest | SqlManifest {
    return kind === "Backup" && isSql(manifest)
        ? withPrefix(manifest, (prefix) => attemptName(prefix.replace(/\/+$/, ""), run))
        : manifest;
}

function cleanOf(
    manifest: BrManifest | SqlManifest,
    cluster: BrCluster,
    image: string | undefined,
): RenderedClean | undefined {
    const problems = imageProblems("cleanImage", image);
    if (problems.length > 0) {
        throw new ManifestError(problems, sourceOf("Backup", manifest));
    }
    return deletesData((manifest.spec as BackupManifest["spec"]).cleanPolicy)
        ? renderClean(manifest as BackupManifest, cluster, image)
        : undefined;
}

/** @returns what is known of a cluster of the program, with the version that it runs: a paused one does not run the program's. */
export function factsOf({ manifests, images }: TidbCluster): pulumi.Output<BrCluster & BrPods> {
    return pulumi.all([manifests.content, images]).apply(([manifest, { tikv }]) => {
        const plain = manifest as TidbClusterManifest;
        return { ...brClusterOf(plain, tikv), ...brPodsOf(plain) };
    }) as pulumi.Output<BrCluster & BrPods>;
}

/** @returns what the program says of another cluster. */
export function existing(
    manifest: BrManifest | SqlManifest,
    given: pulumi.Unwrap<ExistingClusterArgs>,
): BrCluster & BrPods {
    const { version, tls = false, instance, clusterDomain } = given;
    const { name, namespace } = namedCluster(manifest);
    return {
        name,
        namespace,
        version,
        tls,
        instance: instance ?? name,
        ...(clusterDomain ? { domain: clusterDomain } : {}),
    };
}

/** Fills in the name and namespace of the program's cluster. */
export function withCluster(given: object, { name, namespace }: BrCluster): object {
    const { metadata, spec } = given as { metadata: Record<string, unknown>; spec: Record<string, unknown> };
    const br = spec.br ?? {};
    const named = isMap(br)
        ? { ...br, cluster: br.cluster ?? name, clusterNamespace: br.clusterNamespace ?? namespace }
        : br;
    return {
        ...given,
        metadata: { ...metadata, namespace: metadata.namespace ?? namespace },
        spec: isSqlSpec(spec) ? spec : { ...spec, br: named },
    };
}
