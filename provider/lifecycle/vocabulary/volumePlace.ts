/**
 * Where the volume of a claim is. `elsewhere`: it does not tie its pod to one node, and why. `isGone`: Kubernetes has no node of that
 * name, and none that the volume's affinity asks for. A node that is only not Ready is not gone.
 */
export type VolumePlace =
    | { readonly is: "unbound" }
    | { readonly is: "elsewhere"; readonly why: string }
    | { readonly is: "on-node"; readonly volume: string; readonly node: string; readonly isGone: boolean };
