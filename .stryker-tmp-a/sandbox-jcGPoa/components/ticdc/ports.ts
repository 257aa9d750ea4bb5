/** Port of TiCDC's API, by which captures also talk to each other. */
export const ticdcPort = 8301;
