/** Which of the two TidbClusters of the model: the one under test, or the other one on the same PD. */
export type ClusterKey = "ours" | "theirs";
