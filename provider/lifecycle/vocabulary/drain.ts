/** Whether a pod's node is being emptied: it is cordoned, or about to be removed. */
export type PodDrain =
    | { readonly isDrained: false }
    | {
          readonly isDrained: true;
          readonly node: string;
          /** What empties it, after the node's name: `is cordoned`. */
          readonly why: string;
          /** Whether the node is Ready: nothing leaves another one gracefully. */
          readonly isReady: boolean;
      };

/**
 * Whether a pod that leaves its node can run on another one, and on which. `bound`: its volume, of the claim of that name, is on its own node, so
 * it cannot leave. `nowhere`: no other node takes it now, and why.
 */
export type Room =
    | { readonly is: "somewhere"; readonly nodes: readonly string[] }
    | { readonly is: "bound"; readonly volume: string }
    | { readonly is: "nowhere"; readonly why: string };

/** What gates do about pods on a node that is being emptied. */
export type DrainMode = "move" | "off";

/** The pods that a plan moves away from their nodes: the UID of each, by its name. */
export type PlannedMoves = Readonly<Record<string, string>>;
