/** A path in a container, and what it is on this machine. */
export interface MountedPath {
    mountPath: string;
    file: string;
}

/**
 * Replaces the paths of mounts in a word of a command or in a variable: `--dir=/data/x`, `local:///data`. A path counts as a whole only: `/data` is
 * not in `/mydata`, `/my/data` or `/database`.
 */
export function replaceMountedPaths(text: string, mounts: readonly MountedPath[]): string {
    if (mounts.length === 0) {
        return text;
    }
    const files = new Map(mounts.map(({ mountPath, file }) => [trimmed(mountPath), file]));
    const longestFirst = [...files.keys()].sort((a, b) => b.length - a.length).map(escaped);
    const paths = new RegExp(String.raw`(^|:\/\/|[^\w./-])(${longestFirst.join("|")})(?=$|[^\w.-])`, "g");
    return text.replace(paths, (_, before: string, path: string) => `${before}${files.get(path)}`);
}

function trimmed(mountPath: string): string {
    return mountPath.length > 1 ? mountPath.replace(/\/+$/, "") : mountPath;
}

function escaped(text: string): string {
    return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
