/** Where a program is: the folder with its Pulumi.yaml, and the stack. */
export interface ProgramPlace {
    readonly folder: string;
    readonly stack: string;
}

const longest = 600;

/**
 * Returns in one line why a program could not be run, and what to do.
 * @param error what the Automation API threw
 * @param told the errors that the run told before
 */
export function programProblem(error: Error, told: readonly string[], { folder, stack }: ProgramPlace): string {
    const { name, message } = error;
    if (/spawn pulumi ENOENT/.test(message)) {
        return "found no `pulumi` on PATH, expected the Pulumi CLI: install it where the controller runs";
    }
    if (name === "StackNotFoundError") {
        return `found no stack ${stack} of the program in ${folder}: check --stack, PULUMI_BACKEND_URL and the login`;
    }
    if (name === "ConcurrentUpdateError") {
        return `stack ${stack} is locked by another update; if none runs, \`pulumi cancel --stack ${stack}\` ends the lock of one that was killed`;
    }
    if (/incorrect passphrase|passphrase must be set/.test(message)) {
        return `stack ${stack} cannot be decrypted: set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to its passphrase`;
    }
    // The properties that violate a plan follow, and may be many.
    const said =
        told.length > 0 ? told.map((one) => one.replace(/ violates plan:[^]*$/, " violates plan")) : errorsOf(message);
    const line = said.join("; ").replace(/\s+/g, " ").trim();
    return `${line.slice(0, longest)}${line.length > longest ? " ..." : ""}`;
}

/** Returns in one line that a preview was cancelled after so many milliseconds, and what to do. */
export function tookTooLong(longest: number, { folder, stack }: ProgramPlace): string {
    return `it did not end within ${longest / 1000} s and was cancelled: run \`pulumi preview --refresh --stack ${stack}\` in ${folder} to see what it waits for; if it is only slow, raise --preview-timeout`;
}

/** What holds up a preview while an earlier one does not end. */
export const notEnded =
    "an earlier one was cancelled and has not ended: end its `pulumi` process (`preview`, or `stack select` before it) by hand, or restart the controller";

/** The lines of a command's output that are errors, otherwise all of it. */
function errorsOf(message: string): string[] {
    const lines = message.split(/ err\?: /)[0].split("\n");
    const errors = lines.filter((line) => line.startsWith("error: ")).map((line) => line.slice("error: ".length));
    return errors.length > 0 ? errors : [lines.join(" ")];
}

/** Whether a preview failed because somebody else's change to a field is noted on the object, by its field manager. */
export function isConflict(told: readonly string[]): boolean {
    return told.length > 0 && told.every((message) => /field conflict|apply conflict/i.test(message));
}
