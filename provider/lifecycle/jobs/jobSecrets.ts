import { newestFirst } from "./jobContainers";
import { jobName, type JobObservation, type JobSecret, type JobTarget } from "./observedJob";

interface Reference {
    readonly name?: string;
    readonly key?: string;
    readonly optional?: boolean;
}

interface Files {
    readonly optional?: boolean;
    readonly items?: readonly { readonly key: string }[];
}

/** A pod, as far as it uses Secrets. */
interface PodSpec {
    readonly initContainers?: PodSpec["containers"];
    readonly containers: readonly {
        readonly args?: readonly string[];
        readonly env?: readonly { readonly valueFrom?: { readonly secretKeyRef?: Reference } }[];
    }[];
    readonly volumes?: readonly {
        readonly name: string;
        readonly secret?: Files & { readonly secretName?: string };
        readonly projected?: { readonly sources?: readonly { readonly secret?: Files & { readonly name?: string } }[] };
    }[];
}

/** The volumes of Jobs that hold a client certificate. */
const certificates = ["cluster-client-tls", "tidb-client-tls"];
const certificateFiles = ["ca.crt", "tls.crt", "tls.key"].map((file) => `--from-file=${file}`);

/** @returns the Secrets without which the pod does not start. */
export function secretsOf({ initContainers = [], containers, volumes = [] }: PodSpec): JobSecret[] {
    const variables = [...initContainers, ...containers].flatMap(({ env = [] }) =>
        env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
    );
    const mounted = volumes.flatMap(({ name, secret, projected }) =>
        [
            ...(secret ? [{ ...secret, name: secret.secretName }] : []),
            ...(projected?.sources?.flatMap((source) => source.secret ?? []) ?? []),
        ].map((files) => ({ ...files, volume: name })),
    );
    const uses = [
        ...variables.map(({ name = "", key, optional }) => ({
            name,
            optional,
            from: [optional ? `[--from-literal=${key}=…]` : `--from-literal=${key}=…`],
        })),
        ...mounted.map(({ name = "", items, optional, volume }) => ({
            name,
            optional,
            from:
                items?.map(({ key }) => `--from-file=${key}=…`) ??
                (certificates.includes(volume) ? certificateFiles : ["--from-literal=…=…"]),
        })),
    ];
    const names = new Set(uses.filter(({ name, optional }) => name !== "" && !optional).map(({ name }) => name));
    return [...names].map((name) => ({
        name,
        from: [...new Set(uses.filter((use) => use.name === name).flatMap(({ from }) => from))],
    }));
}

/** @returns the Secrets that a Job waits for, perhaps: those of its pod, while no container of that runs. */
export function awaitedSecrets({ job, pods }: JobObservation): readonly JobSecret[] {
    const [newest] = pods.known ? newestFirst(pods.value) : [];
    const is = (state: string) => newest?.containers.some((container) => container.state.is === state);
    return job.known && job.value && is("waiting") && !is("running") ? job.value.secrets : [];
}

/** @returns how Secrets are made. */
export function howToCreate(namespace: string, secrets: readonly JobSecret[]): string[] {
    return secrets.map(
        ({ name, from }) =>
            `Secret ${namespace}/${name}: kubectl create secret generic ${name} --namespace ${namespace} ${from.join(" ")}`,
    );
}

/** @returns the warning of a preview about Secrets that do not exist. It is no error, because the same update may create them. */
export function warningOfSecrets(
    target: Pick<JobTarget, "namespace" | "job">,
    missing: readonly JobSecret[],
): string[] {
    const list = howToCreate(target.namespace, missing).map((line) => `- ${line}`);
    return missing.length === 0
        ? []
        : [
              `${jobName(target)} does not begin without what does not exist yet:\n${list.join("\n")}\nIf this update creates it before the Job, ignore this warning`,
          ];
}
