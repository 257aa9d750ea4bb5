import type { Observation, ObservedRootPassword } from "../observation";
import type { KindsOf } from "./actionKind";

/** Actions that give root its first password. */
export type PasswordAction =
    | { do: "make-password-secret"; secret: string }
    | { do: "set-password"; secret: string; pod: string; uid: string }
    | { do: "note-password"; secret: string; how: "set" | "left-alone" };

function withPassword(seen: Observation, change: Partial<ObservedRootPassword>): Observation {
    return seen.rootPassword === undefined ? seen : { ...seen, rootPassword: { ...seen.rootPassword, ...change } };
}

export const passwordActions: KindsOf<PasswordAction> = {
    "make-password-secret": {
        describe: ({ secret }) => `create Secret ${secret} with a random password`,
        on: ({ secret }) => secret,
        perform: (_, { rootPassword }) => rootPassword.makeSecret(),
        foresee: (seen) => withPassword(seen, { secret: "there" }),
    },
    "set-password": {
        describe: ({ secret, pod }) => `set root's password to the one in Secret ${secret}, through ${pod}`,
        on: ({ secret }) => secret,
        perform: ({ pod, uid }, { rootPassword }) => rootPassword.set({ name: pod, uid }),
        foresee: (seen, { pod, uid }) => withPassword(seen, { login: { pod, uid, with: "secret" } }),
    },
    "note-password": {
        describe: ({ secret, how }) =>
            `record on Secret ${secret} that root has ${how === "set" ? "this password" : "a different password"}`,
        on: ({ secret }) => secret,
        isBookkeeping: true,
        needsNoConsent: () => true,
        perform: ({ how }, { rootPassword }) => rootPassword.note(how),
        foresee: (seen, { how }) => withPassword(seen, { noted: how }),
    },
};
