import * as pulumi from "@pulumi/pulumi";
import type { KubernetesObject } from "../components/kubernetes/object";

/**
 * Returns the Kubernetes objects that a program registers, in order. The program runs in this process against Pulumi's
 * mocks, without a cluster. Mocked gates (resources that plan and carry out changes of the cluster) return the desired
 * replicas.
 *
 * @param program Path of the program's folder or file.
 */
export async function registeredObjects(
    program: string,
    project: string,
    config: Record<string, string>,
): Promise<KubernetesObject[]> {
    const objects: KubernetesObject[] = [];
    await pulumi.runtime.setMocks(
        {
            call: (args) => args.inputs as Record<string, unknown>,
            newResource: ({ type, name, inputs }) => {
                const given = inputs as Record<string, unknown>;
                if (type.startsWith("kubernetes:")) {
                    objects.push(given as KubernetesObject);
                }
                const uid = { metadata: { ...(given.metadata as object | undefined), uid: name } };
                return { id: name, state: { ...given, ...uid, replicas: given.desiredReplicas } };
            },
        },
        project,
        "bench",
    );
    pulumi.runtime.setAllConfig(
        Object.fromEntries(Object.entries(config).map(([key, value]) => [`${project}:${key}`, value])),
    );
    await import(program);
    await pulumi.runtime.disconnect();
    return objects;
}
