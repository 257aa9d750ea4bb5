/** The most warnings that are shown for a manifest. */
const maxWarnings = 20;

/** @returns the messages to show: the first 20, and then one line that counts the others. */
export function shownWarnings(messages: readonly string[]): string[] {
    const more = messages.length - maxWarnings;
    return more <= 0
        ? [...messages]
        : [
              ...messages.slice(0, maxWarnings),
              `… and ${more} more ${more === 1 ? "warning" : "warnings"}; fix these first to see the others`,
          ];
}
