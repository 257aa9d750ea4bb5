import { basename, resolve } from "node:path";
import { shellWord } from "../components/kubernetes/shellQuote";

/** How the Pulumi CLI stores stacks on this machine. */
export interface PulumiLogin {
    /** URL of the backend: the Pulumi Cloud (`https:`), a folder (`file:`), a bucket. Undefined if nobody has logged in. */
    readonly backend: string | undefined;
    /** Whether a passphrase for secrets is set in the environment. Only backends other than the Pulumi Cloud need one. */
    readonly hasPassphrase: boolean;
}

const passphrase = "export PULUMI_CONFIG_PASSPHRASE=<a password of your choice>";

/**
 * Returns the commands that deploy a project which was just written, in order, with what does not work in a sandbox.
 *
 * @param folder The project's folder. Its stack has the folder's name, unless that cannot be one.
 * @param initializers The names of the project's TidbInitializers.
 * @param hasCommand Whether the project has the command pulumi-tidb.
 */
export function nextCommands(
    folder: string,
    { backend, hasPassphrase }: PulumiLogin,
    initializers: readonly string[] = [],
    hasCommand = true,
): string[] {
    const isCloud = backend !== undefined && /^https?:/.test(backend);
    const login =
        backend === undefined
            ? [`pulumi login             # or, without an account: pulumi login --local && ${passphrase}`]
            : [];
    const secrets =
        backend === undefined || isCloud || hasPassphrase ? [] : [`${passphrase}   # encrypts the stack's secrets`];
    const inSandbox = "# to try it in a sandbox first: npx pulumi-tidb sandbox start, which says what it needs";
    const up = hasCommand ? `pulumi up               ${inSandbox}` : "pulumi up";
    const notThere = initializers.map(
        (name) =>
            `# a sandbox runs no SQL, so TidbInitializer ${name} fails there: take it out of index.ts to try the rest`,
    );
    return [
        `cd ${shellWord(folder)}`,
        "npm install",
        ...login,
        ...secrets,
        `pulumi stack init ${stackIn(folder)}`,
        up,
        ...notThere,
    ];
}

/** Returns the name of the stack of a project in this folder. Pulumi's rule for it: letters, digits, `-`, `_` and `.`, at most 100 (sdk/go/common/tokens/names.go). */
export function stackIn(folder: string): string {
    const name = basename(resolve(folder));
    return /^[A-Za-z0-9_.-]{1,100}$/.test(name) ? name : "dev";
}
