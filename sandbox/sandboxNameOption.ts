import { Option } from "commander";
import { sandboxesFolder } from "./controlPlane/folders";
import { runningSandboxes } from "./controlPlane/registry";

/** An option whose value is the name of a running sandbox. */
export class SandboxNameOption extends Option {
    /** What a shell offers as the option's value: the names of the running sandboxes. `pulumi-tidb completion` asks for it. */
    completions(): string[] {
        return runningSandboxes(sandboxesFolder()).map(({ name }) => name);
    }
}
