/** Leads the import of the Kubernetes client to `bundleKubernetesClient`'s file. Registered by `quickStart.js`. */
const client = new URL("../../../node_modules/.cache/kubernetes-client/index.mjs", import.meta.url).href;

export async function resolve(specifier, context, next) {
    return specifier === "@kubernetes/client-node" ? { url: client, shortCircuit: true } : next(specifier, context);
}
