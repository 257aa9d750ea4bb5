/** The programs that make up the control plane. */
export type ControlPlaneProgram = "etcd" | "kube-apiserver" | "kube-controller-manager" | "kube-scheduler" | "kwok";

/** The programs that the sandbox runs: the control plane, and a server of S3 for those who ask for it. */
export type ProgramName = ControlPlaneProgram | "versitygw";

/** A folder next to this file with the `go.mod` and `go.sum` that pin the versions of one or more programs. */
export type ModuleFolder = "etcd" | "kubernetes" | "kwok" | "versitygw";

/** One program, at the version pinned by its `go.mod`. */
export interface Program<Name extends ProgramName = ProgramName> {
    name: Name;
    /** The folder of the `go.mod` that pins it. */
    moduleFolder: ModuleFolder;
    /** The Go package of its `main`. */
    package: string;
    /** The version without the leading `v`. */
    version: string;
    /** Values for `go build -ldflags`. Without them a program built from its module does not know its own version. */
    linkerFlags: string[];
}

/** Where a program's release can be downloaded, and how it is packed. */
export interface Release {
    url: string;
    /** The file that lists SHA-256 sums. KWOK publishes none. */
    checksumUrl?: string;
    /** The path of the program inside a `tar.gz`. Undefined if the file is the program itself. */
    archiveMember?: string;
}

const modules: Record<ModuleFolder, string> = {
    etcd: "go.etcd.io/etcd/server/v3",
    kubernetes: "k8s.io/kubernetes",
    kwok: "sigs.k8s.io/kwok",
    versitygw: "github.com/versity/versitygw",
};

/**
 * Returns the version of a module that a `go.mod` requires, without its leading `v`. Throws if the module is not
 * listed.
 */
export function pinnedVersion(goMod: string, module: string): string {
    for (const line of goMod.split("\n")) {
        const words = line
            .trim()
            .replace(/^require\s+/, "")
            .split(/\s+/);
        if (words[0] === module && /^v\d/.test(words[1] ?? "")) {
            return words[1].slice(1);
        }
    }
    throw new Error(`the go.mod of the sandbox pins no version of ${module}: restore it from the package`);
}

/** Returns the server of S3, with the version that its `go.mod` pins. */
export function s3Program(goMod: string): Program<"versitygw"> {
    const version = pinnedVersion(goMod, modules.versitygw);
    return {
        name: "versitygw",
        moduleFolder: "versitygw",
        package: `${modules.versitygw}/cmd/versitygw`,
        version,
        linkerFlags: [`-X main.Version=v${version}`],
    };
}

/** Returns the programs of the control plane, with the versions that the given `go.mod` texts pin. */
export function programCatalogue(
    goMods: Record<Exclude<ModuleFolder, "versitygw">, string>,
): Program<ControlPlaneProgram>[] {
    const etcd = pinnedVersion(goMods.etcd, modules.etcd);
    const kubernetes = pinnedVersion(goMods.kubernetes, modules.kubernetes);
    const kwok = pinnedVersion(goMods.kwok, modules.kwok);
    const [major, minor] = kubernetes.split(".");
    const kubernetesFlags = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((place) => [
        `-X ${place}.gitVersion=v${kubernetes}`,
        `-X ${place}.gitMajor=${major}`,
        `-X ${place}.gitMinor=${minor}`,
    ]);
    const ofKubernetes = (name: ControlPlaneProgram): Program<ControlPlaneProgram> => ({
        name,
        moduleFolder: "kubernetes",
        package: `${modules.kubernetes}/cmd/${name}`,
        version: kubernetes,
        linkerFlags: kubernetesFlags,
    });
    return [
        { name: "etcd", moduleFolder: "etcd", package: modules.etcd, version: etcd, linkerFlags: [] },
        ofKubernetes("kube-apiserver"),
        ofKubernetes("kube-controller-manager"),
        ofKubernetes("kube-scheduler"),
        {
            name: "kwok",
            moduleFolder: "kwok",
            package: `${modules.kwok}/cmd/kwok`,
            version: kwok,
            linkerFlags: [`-X ${modules.kwok}/pkg/consts.Version=v${kwok}`],
        },
    ];
}

/** Translates Node's names for the machine to Go's. */
function goPlatform(platform: string, architecture: string): { system: string; machine: string } {
    const machines: Record<string, string> = { x64: "amd64", arm64: "arm64" };
    return { system: platform, machine: machines[architecture] ?? architecture };
}

/** The name of a program's file in the cache. Different versions and platforms have different names. */
export function cachedFileName(program: Program, platform: string, architecture: string): string {
    const { system, machine } = goPlatform(platform, architecture);
    return `${program.name}-${program.version}-${system}-${machine}`;
}

/** The first version number in the output of `<program> --version`, without a leading `v`. */
export function reportedVersion(output: string): string | undefined {
    return /(?:^|[\s:v])(\d+\.\d+\.\d+)/.exec(output)?.[1];
}

/** Whether a program found on PATH is usable: it must have the same major and minor version as the pinned one. */
export function isAcceptableVersion(program: Program, found: string | undefined): boolean {
    const series = (version: string): string => version.split(".").slice(0, 2).join(".");
    return found !== undefined && series(found) === series(program.version);
}

/**
 * Where a program is released for a platform. Undefined if there is no release for it (Kubernetes servers: Linux only), or none
 * whose address is known.
 */
export function releaseOf(program: Program, platform: string, architecture: string): Release | undefined {
    const { system, machine } = goPlatform(platform, architecture);
    // Each release of the S3 server names its files in another way, so it is built.
    if (system !== "linux" || program.moduleFolder === "versitygw") {
        return undefined;
    }
    if (program.moduleFolder === "kubernetes") {
        const url = `https://dl.k8s.io/release/v${program.version}/bin/${system}/${machine}/${program.name}`;
        return { url, checksumUrl: `${url}.sha256` };
    }
    if (program.moduleFolder === "etcd") {
        const folder = `https://github.com/etcd-io/etcd/releases/download/v${program.version}`;
        const packed = `etcd-v${program.version}-${system}-${machine}`;
        return {
            url: `${folder}/${packed}.tar.gz`,
            checksumUrl: `${folder}/SHA256SUMS`,
            archiveMember: `${packed}/etcd`,
        };
    }
    return {
        url: `https://github.com/kubernetes-sigs/kwok/releases/download/v${program.version}/kwok-${system}-${machine}`,
    };
}

/** Returns the SHA-256 sum for a file from a list of sums. A list that is a single bare sum applies to that file. */
export function checksumFor(list: string, fileName: string): string | undefined {
    const lines = list
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter((words) => /^[0-9a-f]{64}$/i.test(words[0]));
    const named = lines.find((words) => words[1]?.replace(/^\*/, "") === fileName);
    return (named ?? (lines.length === 1 && lines[0].length === 1 ? lines[0] : undefined))?.[0].toLowerCase();
}
