import { memberName, passwordSecretName } from "../../../topology/names";
import { type Memory, mayAct } from "../vocabulary/memory";
import type { Action } from "../vocabulary/actions";
import type { Move } from "../vocabulary/move";
import type { Observation } from "../vocabulary/observation";
import { type Wait, waitOrFail } from "../vocabulary/waitOrFail";
import { defaultPolicy, type GatePolicy } from "../vocabulary/target";

/** The target of `spec.tidb.initializer.createPassword`. */
export interface PasswordTarget {
    policy: Pick<GatePolicy, "podReadyTimeoutSeconds">;
    /** Whether the cluster has TiDB servers. Without them there is nothing to log in to. */
    hasServers: boolean;
    /**
     * Whether the record on the Secret proves nothing. The Secret outlives the cluster, as its volumes do. If the gate is
     * new, the record may be about the root user of an earlier cluster.
     */
    isNew: boolean;
}

/**
 * Returns the next move until root has the Secret's password (tidb-operator pkg/manager/member/tidb_member_manager.go).
 * The Secret comes first, then the SQL statement, then a record on the Secret. If a run is killed in between, the next one
 * continues, and a password is never set without being stored. If root has a different password, it is left alone.
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
        return {
            kind: "fail",
            problem: { code: "secret-without-password", step: "password-secret", target: name, ...problem },
        };
    }
    const wait = (lacks: string, advice: string): Move => {
        const stated: Wait = { step: "root-login", target: memberName(observation.cluster, "tidb"), lacks, advice };
        const policy = { ...defaultPolicy, ...target.policy };
        return waitOrFail(observation, { policy }, memory, stated);
    };
    if (login === undefined) {
        return { kind: "look", at: { asks: ["root-login"] } };
    }
    if ("trouble" in login) {
        return wait(login.trouble, "check TiDB's pods; `pulumi up` then continues from here");
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
                "set root's password by hand, or find out why TiDB does not apply it: skip-grant-table lets everyone in",
            );
            return waiting.kind === "fail" || !mayAct(memory, action, observation.now)
                ? waiting
                : { kind: "act", action, step: "root-login", target: memberName(observation.cluster, "tidb") };
        }
    }
}

/** @returns why the Secret's password cannot be set for root, if so. */
function refusePassword(observation: Observation): { seen: string; next: string } | undefined {
    return rootPassword(observation).secret === "without-password"
        ? {
              seen: `Secret ${passwordSecretName(observation.cluster)} exists but has no password in its key root`,
              next: "add one there, or delete the Secret: it is then created with a random one",
          }
        : undefined;
}

/** Letters, digits and two punctuation marks that need no quotes in a shell, SQL or YAML. There are 64, so all are equally likely. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Gives 120 bits. tidb-operator's passwords have 13 characters. */
const passwordLength = 20;
/** What TiDB's password policies require. A letter comes first, because a leading dash looks like an option. */
const kinds = [/^[A-Za-z]/, /[a-z]/, /[A-Z]/, /[0-9]/, /[-_]/];

/** @returns a random password. @param random returns the given number of random bytes. */
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
        throw new Error("the Secret with root's password was not read");
    }
    return seen;
}
