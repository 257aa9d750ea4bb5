import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as typescript from "typescript";
import { variables } from "./server/settings";

/** The settings of the cluster that discovery needs. */
export interface DiscoveryServerOptions {
    /** Name of the cluster (`metadata.name`). */
    clusterName: string;
    /** Whether members use TLS (`spec.tlsCluster.enabled`). Default: false. */
    tls?: boolean;
    /** Whether discovery uses TLS and requests client certificates (`spec.tlsCluster.enableDiscoveryMTLS`). Default: false. */
    mtls?: boolean;
    /** Whether the cluster has its own PD (`spec.pd`). Default: true. */
    hasPd?: boolean;
    /** Domain appended to host names (`spec.clusterDomain`). Default: none. */
    clusterDomain?: string;
    /** Whether the cluster spans several Kubernetes clusters (`spec.acrossK8s`). Default: false. */
    acrossK8s?: boolean;
    /** Client URLs of an existing PD that this cluster joins (`spec.pdAddresses`). Default: none. */
    pdAddresses?: readonly string[];
    /** The cluster that this one joins (`spec.cluster`). Default: none. */
    referenceCluster?: { name: string; namespace?: string; clusterDomain?: string };
}

/**
 * Returns the environment of the server's container, except MY_POD_NAMESPACE (the pod's namespace, from its metadata) and
 * TZ, which `container.ts` adds. Variables without a value are left out.
 */
export function discoveryServerEnvironment(options: DiscoveryServerOptions): { name: string; value: string }[] {
    const reference = options.referenceCluster;
    const values: [string, string | undefined][] = [
        [variables.clusterName, options.clusterName],
        [variables.tls, options.tls ? "true" : undefined],
        [variables.mtls, options.mtls ? "true" : undefined],
        [variables.hasPd, options.hasPd === false ? "false" : undefined],
        [variables.clusterDomain, options.clusterDomain],
        [variables.acrossK8s, options.acrossK8s ? "true" : undefined],
        [variables.pdAddresses, options.pdAddresses?.join(",")],
        [variables.referenceName, reference?.name],
        [variables.referenceNamespace, reference?.namespace],
        [variables.referenceDomain, reference?.clusterDomain],
    ];
    return values.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

let files: Record<string, string> | undefined;

/**
 * Returns the server's files by name, for `node main.js` in one folder: the data of the ConfigMap `<cluster>-discovery`. The
 * package contains them compiled; a source checkout compiles them here, with the same result.
 */
export function discoveryServerFiles(): Record<string, string> {
    files ??= readServerFiles(join(__dirname, "server"));
    return { ...files };
}

function readServerFiles(folder: string): Record<string, string> {
    const names = existsSync(folder) ? readdirSync(folder).sort() : [];
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    const compiled = names.filter((name) => name.endsWith(".js"));
    if (compiled.length > 0) {
        return Object.fromEntries(compiled.map((name) => [name, read(name)]));
    }
    const sources = names.filter((name) => name.endsWith(".ts"));
    if (sources.length === 0) {
        throw new Error(
            `${folder} does not contain the files of the discovery server: the package is incomplete; install it again`,
        );
    }
    const compile = compiler();
    return Object.fromEntries(sources.map((name) => [name.replace(/\.ts$/, ".js"), compile(read(name))]));
}

function compiler(): (source: string) => string {
    // Only a source checkout needs the compiler, which is a development dependency.
    const ts = createRequire(__filename)("typescript") as typeof typescript;
    const compilerOptions = {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.CommonJS,
        esModuleInterop: true,
    };
    return (source) => ts.transpileModule(source, { compilerOptions, fileName: "server.ts" }).outputText;
}
