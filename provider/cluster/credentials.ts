import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { execFile } from "node:child_process";
import type { RequestOptions } from "node:https";

/**
 * How long the login of one request to the API server may take, in milliseconds. A run's lock can be taken over 15 s after its last
 * renewal, which needs a login, too.
 */
export const credentialTimeoutMilliseconds = 10_000;

/** The kubeconfig gave no credentials. */
export class CredentialError extends Error {
    override readonly name = "CredentialError";
}

type User = KubeConfig["users"][number];

/** The command of a user's `exec`, as a kubeconfig names it. */
interface CredentialCommand {
    readonly command?: string;
    readonly args?: string[] | null;
    readonly env?: { readonly name: string; readonly value: string }[] | null;
}

/** What a command answers (client.authentication.k8s.io). */
interface ExecCredential {
    readonly status?: {
        readonly token?: string;
        readonly clientCertificateData?: string;
        readonly clientKeyData?: string;
        readonly expirationTimestamp?: string;
    };
}

/** The client passes a user with this provider to the authenticator below, and knows nothing of it. */
const ownProvider = "pulumi-tidb";

/**
 * Limits how long the logins of a kubeconfig take: the official client has no limit, and a command or an identity provider that does not
 * answer would keep a request from being sent, and from failing. Requests that need a login at the same time share a command.
 */
export function limitCredentials(config: KubeConfig, timeout = credentialTimeoutMilliseconds): void {
    const commands = new Map<string, Credentials>();
    config.users = config.users.map((user) => {
        const command = (user.exec ?? user.authProvider?.config?.exec) as CredentialCommand | undefined;
        if (command === undefined) {
            return user;
        }
        commands.set(user.name, new Credentials(user.name, command, timeout));
        return { ...user, exec: undefined, authProvider: { name: ownProvider, config: {} } };
    });
    config.addAuthenticator({
        isAuthProvider: ({ authProvider }: User) => authProvider?.name === ownProvider,
        applyAuthentication: async ({ name }: User, options: RequestOptions) =>
            apply(await commands.get(name)?.get(), options),
    });
    const within = <T>(login: Promise<T>) => {
        const user = config.getCurrentUser()?.name ?? "unknown";
        return withinTime(login, user, timeout, commands.has(user) ? commandEndsWithin : 0);
    };
    const { applyToHTTPSOptions, applySecurityAuthentication } = config;
    config.applyToHTTPSOptions = (options) => within(applyToHTTPSOptions.call(config, options));
    config.applySecurityAuthentication = (context) => within(applySecurityAuthentication.call(config, context));
}

function apply(credential: ExecCredential["status"], options: RequestOptions): void {
    const { token, clientCertificateData, clientKeyData } = credential ?? {};
    options.cert = clientCertificateData ?? options.cert;
    options.key = clientKeyData ?? options.key;
    if (token !== undefined) {
        options.headers = { ...(options.headers as Record<string, string>), Authorization: `Bearer ${token}` };
    }
}

/** The credentials of one user, from a command, which is run again once they have expired. */
class Credentials {
    private last: ExecCredential["status"];
    private running: Promise<ExecCredential["status"]> | undefined;

    constructor(
        private readonly user: string,
        private readonly command: CredentialCommand,
        private readonly timeout: number,
    ) {}

    get(): Promise<ExecCredential["status"]> {
        if (Date.parse(this.last?.expirationTimestamp ?? "") > Date.now()) {
            return Promise.resolve(this.last);
        }
        this.running ??= this.run().finally(() => (this.running = undefined));
        return this.running;
    }

    private async run(): Promise<ExecCredential["status"]> {
        const { command, args, env } = this.command;
        if (!command) {
            throw new CredentialError(
                `\`exec.command\` of the kubeconfig's user ${this.user} is empty, expected a command`,
            );
        }
        const named = `the credential command \`${command}\` of the kubeconfig's user ${this.user}`;
        const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
        const options = { env: { ...process.env, ...own }, timeout: this.timeout, killSignal: "SIGKILL" } as const;
        const began = performance.now();
        const answer = await new Promise<string>((resolve, reject) => {
            // Without a shell. When the time is up, it is killed and its output is no longer waited for, whoever else holds it open.
            const child = execFile(command, args ?? [], options, (error, output, errors) => {
                if (error === null) {
                    return resolve(output);
                }
                const seconds = Math.round((performance.now() - began) / 100) / 10;
                // An output that is too long has a code.
                const isLate = error.killed === true && typeof error.code !== "string";
                reject(
                    isLate
                        ? new CredentialError(`${named} did not answer within ${seconds} s; ${tryByHand}`)
                        : new CredentialError(`${named} failed: ${lastLine(errors) || reasonOf(error)}; ${tryByHand}`),
                );
            });
            // It must not wait for an answer to a question that nobody sees.
            child.stdin?.end();
        });
        this.last = statusOf(answer, named);
        return this.last;
    }
}

/** What to do if there are no credentials. */
export const tryByHand = "run `kubectl get namespaces` in a terminal until it is fast, then try again";
const shownCharacters = 120;
/** A command has the same limit, and its error says more: it gets this much longer to end, in milliseconds. */
const commandEndsWithin = 1_000;

function statusOf(answer: string, named: string): ExecCredential["status"] {
    try {
        return (JSON.parse(answer) as ExecCredential).status;
    } catch {
        // The answer may contain credentials, so it is neither shown nor passed on.
        throw new CredentialError(`${named} answered something other than an ExecCredential; ${tryByHand}`);
    }
}

function lastLine(errors: string): string {
    return (errors.trim().split("\n").at(-1) ?? "").slice(0, shownCharacters);
}

/** Without the arguments, which may contain credentials. */
function reasonOf({ code }: { code?: string | number | null }): string {
    return code === "ENOENT" ? "it is not installed" : `exit code ${code}`;
}

async function withinTime<T>(login: Promise<T>, user: string, timeout: number, more: number): Promise<T> {
    let expiry: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
        const why = `the login of the kubeconfig's user ${user} did not end within ${timeout / 1000} s; ${tryByHand}`;
        expiry = setTimeout(() => reject(new CredentialError(why)), timeout + more);
    });
    try {
        return await Promise.race([login, expired]);
    } finally {
        clearTimeout(expiry);
    }
}
