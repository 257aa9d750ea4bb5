import { journalName } from "../../../topology/names";
import type { JournalOperation } from "../../lifecycle/journal/journalOperation";
import { readOperation } from "../../lifecycle/journal/journalText";
import { type Fact, known, notKnown } from "../../lifecycle/vocabulary/evidence";
import { KubernetesApiError } from "../apiCall";
import type { ClusterId } from "../clusterId";
import type { KubernetesApi } from "../kubernetesApi";

/** @returns the operations of the cluster's journal. Those that this version cannot read are left out: they show nothing. */
export async function readJournal(
    api: Pick<KubernetesApi, "readConfigMap">,
    { namespace, cluster }: Pick<ClusterId, "namespace" | "cluster">,
    now: () => number,
): Promise<Fact<readonly JournalOperation[]>> {
    try {
        const journal = await api.readConfigMap(namespace, journalName(cluster));
        const texts = Object.values(journal?.binaryData ?? {});
        return known(texts.flatMap(readable), "the journal", now());
    } catch (error) {
        if (error instanceof KubernetesApiError) {
            return notKnown(`the journal could not be read: ${error.message}`);
        }
        throw error;
    }
}

function readable(text: string): JournalOperation[] {
    try {
        return [readOperation(text)];
    } catch {
        return [];
    }
}
