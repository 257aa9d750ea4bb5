import type { Component } from "../../../../topology/members";
import type { MemberBatch } from "./memberBatch";
import { pdBatch } from "./pdBatch";
import { serverBatch } from "./serverBatch";
import { storeBatch } from "./storeBatch";
import { tiflashBatch } from "./tiflashBatch";

/** The members whose pods can restart side by side. The others have no proof, and restart one by one. */
export const memberBatches: Partial<Record<Component, MemberBatch>> = {
    pd: pdBatch,
    tiflash: tiflashBatch,
    tikv: storeBatch,
    tidb: serverBatch,
    tiproxy: serverBatch,
};
