import * as path from "node:path";
import type { SandboxState } from "./controlPlane/registry";

/** The sandboxes that `sandbox start` started. The others belong to programs, such as tests, which end them. */
function ownSandboxes(states: readonly SandboxState[]): readonly SandboxState[] {
    return states.filter(({ program }) => program === undefined);
}

/**
 * Returns the sandboxes that `stop` ends: the named one; otherwise all of those that `start` started, the only one, or of several the
 * one that `KUBECONFIG` names.
 * @param kubeconfig the value of `KUBECONFIG`.
 * @throws if the choice is ambiguous
 */
export function chooseSandboxes(
    states: readonly SandboxState[],
    name: string | undefined,
    all: boolean,
    kubeconfig?: string,
): readonly SandboxState[] {
    const own = ownSandboxes(states);
    if (all || (name === undefined && own.length <= 1)) {
        return own;
    }
    const names = (name === undefined ? own : states).map((state) => state.name).join(", ");
    if (name === undefined) {
        const exported = own.filter((state) => isNamedBy(kubeconfig, state));
        if (exported.length === 0) {
            throw new Error(
                `several sandboxes are running (${names}), and KUBECONFIG names none of them: choose one with --name, or use --all`,
            );
        }
        return exported;
    }
    const chosen = states.filter((state) => state.name === name);
    if (chosen.length === 0) {
        throw new Error(`no sandbox named "${name}" is running${names === "" ? "" : `; running: ${names}`}`);
    }
    return chosen;
}

/** Returns which sandboxes were stopped, in words, one line each; and why this one, if `KUBECONFIG` chose among several. */
export function stoppedWords(
    states: readonly SandboxState[],
    chosen: readonly SandboxState[],
    name: string | undefined,
): string[] {
    const isChosen = name === undefined && chosen.length < ownSandboxes(states).length;
    return chosen.map((one) => `Stopped the sandbox "${one.name}"${isChosen ? ", which KUBECONFIG names" : ""}.`);
}

/** Returns whether the value of `KUBECONFIG` names the sandbox's kubeconfig, and no other file. */
export function isNamedBy(variable: string | undefined, { kubeconfig }: Pick<SandboxState, "kubeconfig">): boolean {
    return Boolean(variable) && path.resolve(variable ?? "") === path.resolve(kubeconfig);
}

/** Returns which of several sandboxes commands use, in words; empty if only one or none was started by `start`. */
export function whichOfSeveral(states: readonly SandboxState[], kubeconfig: string | undefined): string {
    const own = ownSandboxes(states);
    if (own.length < 2) {
        return "";
    }
    const named = own.find((state) => isNamedBy(kubeconfig, state));
    const used =
        named === undefined
            ? "KUBECONFIG names none of them, so `sandbox pulumi` needs --sandbox"
            : `KUBECONFIG names "${named.name}", so commands use it`;
    return (
        `Several sandboxes are running (${own.map(({ name }) => name).join(", ")}). ${used}. ` +
        "To choose another one: export KUBECONFIG as `list` shows it; or --sandbox NAME, for `sandbox pulumi`."
    );
}

/**
 * Returns the sandbox to use: the named one, or the only one that `start` started; of several, the one that `KUBECONFIG` names, as for all other
 * commands.
 * @param command how the user runs the sandbox's command.
 * @param kubeconfig the value of `KUBECONFIG`.
 * @throws an error that says what to run, if there is none, or if it is not ready
 */
export function usableSandbox(
    states: readonly SandboxState[],
    name: string | undefined,
    command: string,
    kubeconfig?: string,
): SandboxState {
    const candidates = name === undefined ? ownSandboxes(states) : states;
    const names = candidates.map((state) => state.name).join(", ");
    const start = `${command} start${name === undefined ? "" : ` --name ${name}`}`;
    if (candidates.length === 0 && name === undefined) {
        const others = states.map((state) => state.name).join(", ");
        const found = others === "" ? "" : `, except those of other programs (${others}), which --sandbox can name`;
        throw new Error(`no sandbox is running${found}. Start one with: ${start}`);
    }
    const exported = candidates.find((state) => isNamedBy(kubeconfig, state));
    if (name === undefined && candidates.length > 1 && exported === undefined) {
        throw new Error(
            `several sandboxes are running (${names}), and KUBECONFIG names none of them: choose one with --sandbox, for example --sandbox ${candidates[0].name}; ` +
                `or for all commands: export KUBECONFIG=${candidates[0].kubeconfig}`,
        );
    }
    const chosen = name === undefined ? (exported ?? candidates[0]) : states.find((state) => state.name === name);
    if (chosen === undefined) {
        const running = names === "" ? "" : `; running: ${names}`;
        throw new Error(`no sandbox named "${name}" is running${running}. Start it with: ${start}`);
    }
    assertUsable(chosen, command);
    return chosen;
}

/** The options of `start`. */
export interface StartOptions {
    readonly name: string;
    /** Undefined if the user did not give a number. */
    readonly nodes?: number;
    /** Whether Backups must be able to run. */
    readonly backups?: boolean;
    /** The folders with the programs that pods run as processes. */
    readonly processes?: string;
}

/**
 * Returns the sandbox that `start` finds already running; undefined if it must start one.
 * @param command how the user runs the sandbox's command.
 * @throws an error that says what to do, if the sandbox is not ready, or if it runs with other options
 */
export function runningSandbox(
    states: readonly SandboxState[],
    { name, nodes, backups, processes }: StartOptions,
    command: string,
): SandboxState | undefined {
    const running = states.find((state) => state.name === name);
    if (running === undefined) {
        return undefined;
    }
    assertUsable(running, command);
    if (nodes !== undefined && nodes !== running.nodes) {
        const found = running.nodes === undefined ? "a number of nodes that is not recorded" : countOf(running.nodes);
        throw new Error(
            `--nodes ${nodes}: the sandbox "${name}" runs already, with ${found}; expected ${running.nodes ?? "no --nodes"}, ` +
                `because nodes are made when a sandbox starts. Stop it first with: ${command} stop --name ${name}; ` +
                "or start another one with --name",
        );
    }
    if (backups && running.backups === undefined) {
        throw new Error(
            `--backups: the sandbox "${name}" runs already, without the programs of backups, which a sandbox gets when it starts. ` +
                `Stop it first with: ${command} stop --name ${name}; or start another one with --name`,
        );
    }
    if (processes !== undefined && processes !== running.binaries) {
        throw new Error(
            `--processes ${processes}: the sandbox "${name}" runs already, with ${running.binaries ?? "simulated pods only"}. ` +
                `Stop it first with: ${command} stop --name ${name}; or start another one with --name`,
        );
    }
    return running;
}

function countOf(nodes: number): string {
    return `${nodes} ${nodes === 1 ? "node" : "nodes"}`;
}

function assertUsable({ name, ready, broken }: SandboxState, command: string): void {
    if (broken !== undefined) {
        throw new Error(
            `the sandbox "${name}" is broken: ${broken}. Stop it with: ${command} stop --name ${name}; then start it again`,
        );
    }
    if (!ready) {
        throw new Error(`the sandbox "${name}" is still starting: wait until ${command} list shows it as ready`);
    }
}
