import { linesOf, showDiagnostics } from "./diagnostics";
import { diffProperties, renderChanges, summarizeChanges } from "./diff";
import { type Diagnostic, isLogical, type Operation, type Reporter, type RunSummary, type Step } from "./events";
import { pathContains } from "./propertyPath";
import { nameOf, stackType } from "./urn";
import { maskSecrets, type PropertyMap } from "./values";

/** What to show of a run, and where. */
export interface DisplayOptions {
    stack: string;
    operation: "preview" | "up" | "destroy" | "refresh";
    /** Shows the changed properties, as `pulumi preview --diff` does. */
    diff: boolean;
    /** Called with each line, without the newline. */
    print: (line: string) => void;
}

const symbols: Record<Operation, string> = {
    same: " ",
    create: "+",
    update: "~",
    replace: "+-",
    "create-replacement": "++",
    "delete-replaced": "--",
    delete: "-",
    read: ">",
    refresh: "~",
};

const doing: Record<Operation, string> = {
    same: "",
    create: "creating",
    update: "updating",
    replace: "replacing",
    "create-replacement": "creating replacement",
    "delete-replaced": "deleting original",
    delete: "deleting",
    read: "reading",
    refresh: "refreshing",
};

const done: Record<Operation, string> = {
    same: "",
    create: "created",
    update: "updated",
    replace: "replaced",
    "create-replacement": "created replacement",
    "delete-replaced": "deleted original",
    delete: "deleted",
    read: "read",
    refresh: "refreshed",
};

/** Shows a run as the CLI does without a terminal: one line for each event. */
export function display(options: DisplayOptions): Reporter {
    const { print } = options;
    let preview = false;
    const diagnostics: Diagnostic[] = [];
    const line = (step: Step, text: string): void => {
        print(` ${symbols[step.operation].padEnd(2)} ${step.type} ${nameOf(step.urn)} ${text}`.trimEnd());
    };
    return {
        started(isPreview) {
            preview = isPreview;
            const verb = { up: "update", preview: "update", destroy: "destroy", refresh: "refresh" }[options.operation];
            const ing = { update: "Updating", destroy: "Destroying", refresh: "Refreshing" }[verb];
            print(isPreview ? `Previewing ${verb} (${options.stack}):` : `${ing} (${options.stack}):`);
        },
        stepStarted(step) {
            if (step.operation === "same" || (preview && !isLogical(step.operation))) {
                return;
            }
            if (!preview) {
                line(step, `${doing[step.operation]}${changedKeys(step)}`);
            }
        },
        stepDone(step, milliseconds) {
            if (step.operation === "same" || (preview && !isLogical(step.operation))) {
                return;
            }
            line(
                step,
                preview ? `${step.operation}${changedKeys(step)}` : `${done[step.operation]} ${seconds(milliseconds)}`,
            );
            if (options.diff && (preview || options.operation !== "up")) {
                showDiff(step, print);
            }
        },
        stepFailed(step, milliseconds) {
            line(step, `**${doing[step.operation]} failed** ${seconds(milliseconds)}`);
        },
        diagnostic(diagnostic) {
            const { ephemeral, severity } = diagnostic;
            // An empty message takes the last one off a resource's line. Here every message has its own line.
            if (diagnostic.message === "") {
                return;
            }
            const isSummed = !options.diff && !ephemeral;
            if (isSummed && (preview || severity === "error")) {
                diagnostics.push(diagnostic);
            }
            // A preview is short, so its messages are shown only at its end. An error is shown at once and at the end.
            if (!(isSummed && preview)) {
                const [first, ...others] = linesOf(diagnostic);
                print(`    ${subject(diagnostic)}${first}`.trimEnd());
                others.forEach((text) => print(`    ${text}`.trimEnd()));
            }
        },
        finished(summary) {
            showDiagnostics(diagnostics.splice(0), options.stack, print);
            showOutputs(summary, print);
            showCounts(summary, print);
        },
    };
}

/** The resource that a message is about, unless the message begins with its name, as those of gates do. */
function subject({ urn, message }: Diagnostic): string {
    if (urn === undefined) {
        return "";
    }
    const named = /^([\w.-]+): /.exec(message)?.[1];
    return named !== undefined && nameOf(urn).startsWith(named) ? "" : `${nameOf(urn)}: `;
}

function changedKeys(step: Step): string {
    if (
        (step.operation !== "update" && step.operation !== "replace") ||
        step.old === undefined ||
        step.new === undefined
    ) {
        return "";
    }
    const { hideDiffs = [] } = step.new;
    const changed = diffProperties(step.old.inputs, step.new.inputs);
    const summary = summarizeChanges(
        changed.filter(({ path }) => !hideDiffs.some((hiddenPath) => pathContains(hiddenPath, path))),
    );
    return summary === "" ? "" : ` [diff: ${summary}]`;
}

function showDiff(step: Step, print: (line: string) => void): void {
    if (step.type === stackType || step.operation === "refresh") {
        return;
    }
    const before = step.operation === "create" ? {} : (step.old?.inputs ?? {});
    const after = step.operation === "delete" ? before : (step.new?.inputs ?? {});
    const hidden = step.old && step.new ? (step.new.hideDiffs ?? []) : [];
    const changed = diffProperties(before, after);
    hidden
        .filter((hiddenPath) => changed.some(({ path }) => pathContains(hiddenPath, path)))
        .forEach((hiddenPath) => print(`        ~ ${hiddenPath} (hidden)`));
    const shown = changed.filter(({ path }) => !hidden.some((hiddenPath) => pathContains(hiddenPath, path)));
    renderChanges(shown, "        ").forEach(print);
}

function showOutputs(summary: RunSummary, print: (line: string) => void): void {
    const outputs = Object.entries(maskSecrets(summary.outputs) as PropertyMap);
    if (outputs.length > 0) {
        print("Outputs:");
        renderChanges(
            outputs.map(([path, after]) => ({ path, after })),
            "    ",
        ).forEach((text) => print(text.replace(/^( {4})\+ /, "$1")));
    }
}

function showCounts(summary: RunSummary, print: (line: string) => void): void {
    const { changes, preview } = summary;
    if (preview && !summary.ok) {
        print("No plan: the preview failed.");
        return;
    }
    print("Resources:");
    const words: [Operation, string, string][] = [
        ["create", "+", preview ? "to create" : "created"],
        ["update", "~", preview ? "to update" : "updated"],
        ["replace", "+-", preview ? "to replace" : "replaced"],
        ["delete", "-", preview ? "to delete" : "deleted"],
        ["same", " ", "unchanged"],
    ];
    words
        .filter(([operation]) => (changes[operation] ?? 0) > 0)
        .forEach(([operation, symbol, word]) =>
            print(`    ${symbol} ${changes[operation]} ${word}`.replace(/^ {4} {2}/, "    ")),
        );
    if (!preview) {
        print(`Duration: ${Math.max(1, Math.round(summary.seconds))}s`);
    }
}

function seconds(milliseconds: number): string {
    return `(${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)}s)`;
}
