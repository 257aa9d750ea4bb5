/** Returns a text as one word of a shell, with quotes only if it needs them. */
export function shellWord(text: string): string {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
