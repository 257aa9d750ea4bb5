/** Port on which TiProxy answers SQL clients. */
export const tiproxySqlPort = 6000;

/** Port of TiProxy's API, health page and metrics. */
export const tiproxyApiPort = 3080;

/** Port on which proxies talk to each other. */
export const tiproxyPeerPort = 3081;
