/** What the program says about failover of a member. */
export interface FailoverPolicy {
    /** How long it must be dead, in seconds; for a store: after PD says Down. */
    periodSeconds: number;
    /** How many replacements there may be at once; 0 switches failover off. */
    budget: number;
    /** `recoverFailover`: replacements go as soon as all are well again. Default: false. */
    recovers?: true;
    /** `failover.recoverByUID`: the failover whose replacements go. Default: none. */
    recoverByUid?: string;
}
