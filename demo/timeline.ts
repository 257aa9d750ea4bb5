import { writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { timeline } from "../bin/timelineCommand";

/**
 * Writes the page that `pulumi-tidb timeline --output html` prints for the demo's cluster.
 * @returns a line that says where it is, or why there is none.
 */
export async function leaveTimeline(kubeconfig: string): Promise<string> {
    const { output, errors } = await timeline("basic", { namespace: "tidb", output: "html", kubeconfig });
    if (output === "") {
        return `no timeline: ${errors.trimEnd()}`;
    }
    const file = join(resolve(__dirname), "timeline.html");
    writeFileSync(file, output);
    return `what was done, why it was safe, and what was waited for: open ${relative(process.cwd(), file)} in a browser`;
}
