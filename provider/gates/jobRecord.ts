import type { Gate } from "./gateDefinition";

type Values = Record<string, unknown>;

/**
 * Keeps in the stack's state which Job of an attempt may have begun first. The state has it before the gate of the Job starts it, and has it still after that
 * gate failed or its run was killed.
 */
function found(olds: Values, news: Values): Values {
    const isSame = olds.namespace === news.namespace && olds.job === news.job;
    return { ...news, began: (isSame ? olds.began : undefined) ?? news.jobUid };
}

export const jobRecord: Gate = {
    planOf: (olds, news) => Promise.resolve({ inputs: found(olds, news), plan: [], warnings: [] }),
    check: (olds, news) => Promise.resolve({ inputs: found(olds, news) }),
    diff: (_id, olds, news) => Promise.resolve({ changes: olds.began !== news.began }),
    create: (inputs) => Promise.resolve({ id: String(inputs.jobUid), outs: inputs }),
    update: (_id, _olds, news) => Promise.resolve({ outs: news }),
};
