import { newestFirst } from "./jobContainers";
import { jobName, type JobObservation, type JobSecret, type JobTarget } from "./observedJob";

interface Reference {
    readonly name?: string;
    readonly key?: string;
    readonly optional?: boolean;
}

interface Files {
    readonly name?: string;
    readonly secretName?: string;
    readonly optional?: boolean;
    readonly items?: readonly { readonly key: string }[];
}

type Kind = "secret" | "configMap";

/** A pod, as far as it uses Secrets and ConfigMaps. */
interface PodSpec {
    readonly initContainers?: PodSpec["containers"];
    readonly containers: readonly {
        readonly args?: readonly string[];
        readonly env?: readonly { readonly valueFrom?: { readonly [field in `${Kind}KeyRef`]?: Reference } }[];
        readonly envFrom?: readonly { readonly [field in `${Kind}Ref`]?: Reference }[];
    }[];
    readonly volumes?: readonly ({ readonly name: string; readonly projected?: Projected } & {
        readonly [field in Kind]?: Files;
    })[];
}

interface Projected {
    readonly sources?: readonly { readonly [field in Kind]?: Files }[];
}

/** The volumes of Jobs that hold a client certificate. */
const certificates = ["cluster-client-tls", "tidb-client-tls"];
const certificateFiles = ["ca.crt", "tls.crt", "tls.key"].map((file) => `--from-file=${file}`);
const anything = ["--from-literal=…=…"];

/** @returns the Secrets, or the ConfigMaps, without which the pod does not start. */
export function secretsOf(
    { initContainers = [], containers, volumes = [] }: PodSpec,
    kind: Kind = "secret",
): JobSecret[] {
    const all = [...initContainers, ...containers];
    const variables = all.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.[`${kind}KeyRef`] ?? []));
    const groups = all.flatMap(({ envFrom = [] }) => envFrom.flatMap((one) => one[`${kind}Ref`] ?? []));
    const mounted = volumes.flatMap(({ name: volume, projected, ...own }) =>
        [own, ...(projected?.sources ?? [])].flatMap((source) => {
            const files = source[kind];
            return files ? [{ ...files, name: files.secretName ?? files.name, volume }] : [];
        }),
    );
    const uses = [
        ...variables.map(({ name = "", key, optional }) => ({
            name,
            optional,
            from: [optional ? `[--from-literal=${key}=…]` : `--from-literal=${key}=…`],
        })),
        ...groups.map(({ name = "", optional }) => ({ name, optional, from: anything })),
        ...mounted.map(({ name = "", items, optional, volume }) => ({
            name,
            optional,
            from:
                items?.map(({ key }) => `--from-file=${key}=…`) ??
                (certificates.includes(volume) ? certificateFiles : anything),
        })),
    ];
    const names = new Set(uses.filter(({ name, optional }) => name !== "" && !optional).map(({ name }) => name));
    return [...names].map((name) => ({
        name,
        ...(kind === "configMap" ? { kind } : {}),
        from: [...new Set(uses.filter((use) => use.name === name).flatMap(({ from }) => from))],
    }));
}

/** @returns the Secrets that a Job waits for, perhaps: those of its pod, while no container of that runs. */
export function awaitedSecrets({ job, pods }: JobObservation): readonly JobSecret[] {
    const [newest] = pods.known ? newestFirst(pods.value) : [];
    const is = (state: string) => newest?.containers.some((container) => container.state.is === state);
    return job.known && job.value && is("waiting") && !is("running") ? job.value.secrets : [];
}

/** @returns how Secrets, or ConfigMaps, are made. */
export function howToCreate(namespace: string, secrets: readonly JobSecret[]): string[] {
    return secrets.map(({ name, kind, from }) => {
        const [title, command] = kind ? ["ConfigMap", "configmap"] : ["Secret", "secret generic"];
        return `${title} ${namespace}/${name}: kubectl create ${command} ${name} --namespace ${namespace} ${from.join(" ")}`;
    });
}

/** @returns the warning of a preview about Secrets that do not exist. It is no error, because the same update may create them. */
export function warningOfSecrets(
    target: Pick<JobTarget, "namespace" | "job">,
    missing: readonly JobSecret[],
): string[] {
    return warningOfMissing(`${jobName(target)} does not begin`, "the Job", howToCreate(target.namespace, missing));
}

/** @returns the same warning about whatever needs them. @param lines what is missing, and how it is made. */
export function warningOfMissing(what: string, before: string, lines: readonly string[]): string[] {
    return lines.length === 0
        ? []
        : [
              `${what} without what does not exist yet:\n${lines.map((line) => `- ${line}`).join("\n")}\nIf this update creates it before ${before}, ignore this warning`,
          ];
}
