/** @returns a time by the clock of this machine: `15:29:05`, or `2026-11-23 00:10:05` if it is on another day than `now`. */
export function clockTime(at: number, now: number): string {
    const [time, today] = [new Date(at), new Date(now)];
    const clock = time.toTimeString().slice(0, 8);
    const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, "0"));
    return time.toDateString() === today.toDateString() ? clock : `${day.join("-")} ${clock}`;
}
