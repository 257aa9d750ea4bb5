/** A storage of backups, as the recorder uses it. Names have no slash at the beginning. */
export interface Storage {
    /** How messages name it. */
    readonly uri: string;
    exists(name: string): Promise<boolean>;
    /** Throws if there is no such file, in the words of the storage. */
    read(name: string): Promise<Buffer>;
    /** Writes a whole file at once: nobody ever reads half of it. */
    write(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<void>;
    delete(name: string): Promise<void>;
    /** The names of all files. */
    list(): Promise<string[]>;
    /** All files, with when they were written, in seconds since 1970. */
    files(): Promise<StoredFile[]>;
}

/** A file of a storage. */
export interface StoredFile {
    readonly name: string;
    readonly writtenAt: number;
}
