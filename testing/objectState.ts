import { runtime } from "@pulumi/pulumi";

/**
 * Returns the state of a resource that is not a gate: its inputs, and the name and UID that Kubernetes gives an object. A preview
 * does not know the UID yet.
 */
export function objectState(type: string, name: string, inputs: Record<string, unknown>): Record<string, unknown> {
    if (!type.startsWith("kubernetes:")) {
        return inputs;
    }
    const uid = runtime.isDryRun() ? {} : { uid: `uid-of-${name}` };
    return { ...inputs, metadata: { name, ...(inputs.metadata as object | undefined), ...uid } };
}
