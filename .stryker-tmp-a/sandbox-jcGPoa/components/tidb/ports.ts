/** Port on which TiDB answers SQL clients. */
export const tidbSqlPort = 4000;

/** Port of TiDB's status and metrics. */
export const tidbStatusPort = 10080;
