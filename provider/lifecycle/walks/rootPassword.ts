import { memberName, passwordSecretName } from "../../../topology/names";
import { type Memory, mayAct } from "../vocabulary/memory";
import type { Action, Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { type Wait, waitOrFail } from "../vocabulary/waitOrFail";
import { defaultPolicy, type GatePolicy } from "../vocabulary/target";

/** What `spec.tidb.initializer.createPassword` asks for. */
export interface PasswordTarget {
    policy: Pick<GatePolicy, "podReadyTimeoutSeconds">;
    /** Whether there shall be a TiDB at all: without one there is nothing to log in to. */
    hasServers: boolean;
    /**
     * Whether the note on the Secret proves nothing. The Secret outlives a cluster, as its volumes do: where the gate is
     * new, the note may be about another root than the one that is there now.
     */
    isNew: boolean;
}

/**
 * The next move until root has the password of the Secret (tidb-operator pkg/manager/member/tidb_member_manager.go).
 * First the Secret, then SQL, then a note on the Secret: a run that is killed in between is taken up by the next one,
 * and no password is ever set that is not kept. A root that has another password is left alone.
 */
export function nextPasswordMove(observation: Observation, target: PasswordTarget, memory: Memory): Move {
    const { secret, noted, login } = rootPassword(observation);
    if (!target.hasServers || (noted !== undefined && !target.isNew)) {
        return { kind: "done" };
    }
    const name = passwordSecretName(observation.cluster);
    const act = (action: Action, step: string): Move => ({ kind: "act", action, step, target: name });
    if (secret === "absent") {
        return act({ do: "make-password-secret", secret: name }, "password-secret");
    }
    const problem = refusePassword(observation);
    if (problem !== undefined) {
        return { kind: "fail", problem: { step: "password-secret", target: name, ...problem } };
    }
    const wait = (lacks: string, advice: string): Move => {
        const stated: Wait = { step: "root-login", target: memberName(observation.cluster, "tidb"), lacks, advice };
        const policy = { ...defaultPolicy, ...target.policy };
        return waitOrFail(observation, { policy }, memory, stated);
    };
    if (login === undefined || "trouble" in login) {
        return wait(login?.trouble ?? "TiDB was not asked", "look at TiDB's pods; `pulumi up` then goes on from here");
    }
    switch (login.with) {
        case "secret":
            return noted === "set" ? { kind: "done" } : act({ do: "note-password", secret: name, how: "set" }, "note");
        case "neither":
            return noted ? { kind: "done" } : act({ do: "note-password", secret: name, how: "left-alone" }, "note");
        case "nothing": {
            const action: Action = { do: "set-password", secret: name, pod: login.pod, uid: login.uid };
            const waiting = wait(
                `${login.pod} still lets root in without a password`,
                "set root's password by hand, or find out why TiDB does not take it: skip-grant-table lets everybody in",
            );
            return waiting.kind === "fail" || !mayAct(memory, action, observation.now)
                ? waiting
                : { kind: "act", action, step: "root-login", target: memberName(observation.cluster, "tidb") };
        }
    }
}

/** What is to be done, in words; empty where it was done. */
export function planPassword(observation: Observation, { hasServers }: PasswordTarget): string[] {
    const { secret, noted } = rootPassword(observation);
    if (!hasServers || noted !== undefined) {
        return [];
    }
    const name = passwordSecretName(observation.cluster);
    return secret === "absent"
        ? [`set a random password for root: Secret ${name}`]
        : [`set the password in Secret ${name} for root, unless root has another one`];
}

/** @returns why root cannot be given the password of the Secret, where it cannot. */
export function refusePassword(observation: Observation): { seen: string; next: string } | undefined {
    return rootPassword(observation).secret === "without-password"
        ? {
              seen: `Secret ${passwordSecretName(observation.cluster)} is there, and has no password in its key root`,
              next: "write one there, or delete the Secret: then it is made, with a random one",
          }
        : undefined;
}

/** Letters, digits and two signs: nothing that a shell, SQL or YAML would want quoted. 64 of them, so that all are as likely. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** tidb-operator's have 13 characters; these have 120 bits. */
const passwordLength = 20;
/** What TiDB's policies for passwords ask for; a letter first, because a dash there looks like an option. */
const kinds = [/^[A-Za-z]/, /[a-z]/, /[A-Z]/, /[0-9]/, /[-_]/];

/** @returns a random password. @param random so many random bytes. */
export function randomPassword(random: (count: number) => Uint8Array): string {
    for (;;) {
        const password = Array.from(random(passwordLength), (byte) => alphabet[byte % alphabet.length]).join("");
        if (kinds.every((kind) => kind.test(password))) {
            return password;
        }
    }
}

function rootPassword({ rootPassword: seen }: Observation): NonNullable<Observation["rootPassword"]> {
    if (seen === undefined) {
        throw new Error("the Secret with root's password was not looked at");
    }
    return seen;
}
