/** Port on which Pump takes binlogs, and of its API and metrics. */
export const pumpPort = 8250;
