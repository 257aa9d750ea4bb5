import { usageError } from "../errors";

/**
 * Reads a timestamp of `br log` and `br restore point`: a TSO, or a date and time with its zone (`ParseTSString` in br/pkg/task/backup.go, v8.5).
 * 0 if there is none. Throws as BR does.
 */
export function tsoOf(text: string): bigint {
    if (/^\d*$/.test(text)) {
        return BigInt(text);
    }
    if (!/(Z|[+-]\d\d(:?\d\d)?)$/.test(text.slice(10))) {
        throw usageError("must set timezone when using datetime format ts, e.g. '2018-05-11 01:42:23+0800'");
    }
    const at = Date.parse(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
    if (Number.isNaN(at)) {
        throw usageError(`[types:1292]Incorrect timestamp value: '${text}'`);
    }
    return BigInt(at) << 18n;
}
