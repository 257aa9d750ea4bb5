import { cpSync } from "node:fs";
import * as path from "node:path";
import type { TidbClusterArgs } from "../../../components/tidbClusterArgs";
import type { DataPlane, SimulatedCluster } from "pulumi-tidb-sandbox";
import type { PulumiOperation, PulumiOptions, PulumiRun, StartedRun } from "pulumi-tidb-sandbox/pulumi";
import type { Arena } from "./arena";
import { startWarm } from "./warmProcesses";

const repository = path.resolve(__dirname, "../../..");
/** The program of most tests: a cluster named `demo` whose manifest comes from the configuration. */
export const parameterisedProgram = path.join(repository, "tests/fixtures/clusters/parameterised");
/** The program that new users start with. */
export const basicProgram = path.join(repository, "examples/basic");

const quickStart = path.join(__dirname, "quickStart.js");

/** How one run differs from the other runs of its stack. */
export interface RunOptions {
    config?: Record<string, string>;
    environment?: Record<string, string>;
    skipPreview?: boolean;
    /** Shows the properties that change. */
    diff?: boolean;
    /** Folders to search for providers of other packages, after those on PATH. */
    pluginFolders?: string[];
    onLine?: (line: string) => void;
}

/** A program with a separate state and a separate namespace in the sandbox. */
export interface TestStack {
    readonly namespace: string;
    /** The name of the TidbCluster. */
    readonly cluster: string;
    start(operation: PulumiOperation, options?: RunOptions): StartedRun;
    run(operation: PulumiOperation, options?: RunOptions): Promise<PulumiRun>;
    /** The cluster as the data plane simulates it. @throws Error if it has neither pods nor data */
    played(): SimulatedCluster;
    /** The same stack with a copy of its state, like that of a colleague with another backend. */
    copy(suffix: string): TestStack;
}

/** Where a stack's programs run. */
export interface StackHost extends Pick<Arena, "driver" | "folder"> {
    readonly sandbox: { readonly kubeconfig: string; readonly dataPlane: Pick<DataPlane, "cluster"> };
}

/** @returns a stack of a program whose cluster is named `cluster`; nothing has run yet */
export function openStack(
    arena: StackHost,
    namespace: string,
    program: string,
    cluster: string,
    suffix = "",
): TestStack {
    const stateFolder = path.join(arena.folder, `${namespace}${suffix}`);
    const complete = (options: RunOptions = {}): PulumiOptions => ({
        program,
        stack: namespace,
        stateFolder,
        ...options,
        environment: {
            KUBECONFIG: arena.sandbox.kubeconfig,
            // The program's types are checked with the project's. Checking them here would only cost time.
            PULUMI_NODEJS_TRANSPILE_ONLY: "true",
            NODE_OPTIONS: `--require ${JSON.stringify(quickStart)}`,
            ...options.environment,
        },
    });
    return {
        namespace,
        cluster,
        start: (operation, options) => arena.driver.start(operation, complete(options)),
        run: (operation, options) => arena.driver.run(operation, { ...complete(options), startNode: startWarm }),
        played: () => {
            const played = arena.sandbox.dataPlane.cluster(namespace, cluster);
            if (played === undefined) {
                throw new Error(`the sandbox has no cluster ${namespace}/${cluster}`);
            }
            return played;
        },
        copy: (copySuffix) => {
            const copied = openStack(arena, namespace, program, cluster, copySuffix);
            cpSync(stateFolder, path.join(arena.folder, `${namespace}${copySuffix}`), { recursive: true });
            return copied;
        },
    };
}

type Spec = Record<string, unknown> & Record<"pd" | "tikv" | "tidb", Record<string, unknown>>;

/** What a test changes in the usual cluster of 3 PD, 3 TiKV and 2 TiDB. */
export interface ClusterChange {
    version?: string;
    pd?: Record<string, unknown>;
    tikv?: Record<string, unknown>;
    tidb?: Record<string, unknown>;
    /** More fields of the spec. */
    spec?: Record<string, unknown>;
    operations?: TidbClusterArgs["operations"];
    /** More arguments of TidbCluster: `kubeconfig`, `context`, `pd`. */
    args?: Record<string, unknown>;
}

/** @returns the configuration of the parameterised program */
export function clusterConfig(namespace: string, change: ClusterChange = {}): Record<string, string> {
    const spec: Spec = {
        ...change.spec,
        version: change.version ?? "v8.5.2",
        pd: { replicas: 3, requests: { storage: "1Gi" }, config: {}, ...change.pd },
        tikv: { replicas: 3, requests: { storage: "1Gi" }, config: {}, ...change.tikv },
        tidb: { replicas: 2, config: {}, service: { type: "ClusterIP" }, ...change.tidb },
    };
    const operations = { timeouts: { podReadySeconds: 60 }, ...change.operations };
    return { cluster: JSON.stringify({ metadata: { namespace }, spec, operations, ...change.args }) };
}

/** A stack of the parameterised program. */
export interface ClusterStack extends TestStack {
    preview(change?: ClusterChange, options?: RunOptions): Promise<PulumiRun>;
    /** Runs without the preview, which most tests check separately. */
    up(change?: ClusterChange, options?: RunOptions): Promise<PulumiRun>;
    startUp(change?: ClusterChange, options?: RunOptions): StartedRun;
    destroy(change?: ClusterChange): Promise<PulumiRun>;
    copy(suffix: string): ClusterStack;
}

function withCluster(stack: TestStack): ClusterStack {
    const { namespace } = stack;
    const options = (change: ClusterChange | undefined, given: RunOptions = {}): RunOptions => ({
        skipPreview: true,
        ...given,
        config: { ...clusterConfig(namespace, change), ...given.config },
    });
    return {
        ...stack,
        preview: (change, given) => stack.run("preview", options(change, given)),
        up: (change, given) => stack.run("up", options(change, given)),
        startUp: (change, given) => stack.start("up", options(change, given)),
        destroy: (change) => stack.run("destroy", options(change)),
        copy: (suffix) => withCluster(stack.copy(suffix)),
    };
}

/** @returns a stack of the parameterised program in a new namespace */
export async function clusterStack(
    arena: StackHost & Pick<Arena, "kubernetes">,
    namespace: string,
): Promise<ClusterStack> {
    await arena.kubernetes.createNamespace(namespace);
    return withCluster(openStack(arena, namespace, parameterisedProgram, "demo"));
}
