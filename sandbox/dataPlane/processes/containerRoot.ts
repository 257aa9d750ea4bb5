/** A file or a folder of this machine, and where a container has it. */
export interface Mount {
    file: string;
    mountPath: string;
    readOnly: boolean;
}

/** The files that a container sees. */
export interface ContainerRoot {
    /** An empty folder, on which the root is mounted. Only the container's processes see what is there. */
    folder: string;
    /** The file that becomes `/etc/hosts`. */
    hosts: string;
    hostname: string;
    /** The loopback address on which its servers listen. */
    address: string;
    mounts: readonly Mount[];
    /** The program of the image: the file that start scripts run, and the program of this machine that it runs. */
    program?: { at: string; file: string; listens: readonly string[] };
    /** The file that runs `node`. */
    node: string;
    workingFolder?: string;
}

/** Where the container has the program that its shim runs. */
const realProgram = "/sandbox/program";
const openFiles = 1_048_576;
/** The file that a server in Node.js loads first. */
export const nodeListensFile = "/sandbox/listen.cjs";
/** Look-ups that ask a DNS server, which a sandbox has not. Start scripts then use getent, which reads `/etc/hosts`. */
const dnsTools = ["nslookup", "dig", "host"];

/**
 * Returns a script, for a process with its own mount and process namespaces, that makes a container's root of this machine's `/usr` and of the
 * container's mounts, and then runs the command in its arguments there. It changes nothing outside of the namespace.
 */
export function rootScript(root: ContainerRoot): string {
    const { program } = root;
    // A mount under another one comes after it.
    const mounts = [...root.mounts].sort((a, b) => a.mountPath.length - b.mountPath.length);
    return [
        "set -e",
        `root=${word(root.folder)}`,
        'mount -t tmpfs -o mode=755 tmpfs "$root"',
        'cd "$root"',
        "mkdir -p usr etc proc dev sys tmp var/lib var/log run root bin sandbox",
        "chmod 1777 tmp",
        "ln -s ../run var/run",
        "mount --rbind /usr usr",
        remountReadOnly("usr"),
        // Images have their own start scripts here, and mounts need a place that can be written to.
        "mount -t tmpfs tmpfs usr/local/bin",
        "for folder in sbin lib lib32 lib64 libx32; do",
        '    if [ -L "/$folder" ]; then ln -s "$(readlink "/$folder")" "$folder"; fi',
        "done",
        "ln -s /usr/bin/* bin/",
        `for tool in ${dnsTools.join(" ")}; do`,
        '    if [ -e "usr/bin/$tool" ]; then mount --bind /dev/null "usr/bin/$tool"; fi',
        "done",
        "mount -t proc proc proc 2>/dev/null || mount --rbind /proc proc",
        "mount --rbind /dev dev",
        "mount --rbind /sys sys",
        "cp -rL /etc/passwd /etc/group /etc/ssl /etc/alternatives /etc/ld.so.cache etc/ 2>/dev/null || true",
        "printf 'passwd: files\\ngroup: files\\nhosts: files\\n' >etc/nsswitch.conf",
        `printf '%s\\n' ${word(root.hostname)} >etc/hostname`,
        ...bind({ file: root.hosts, mountPath: "/etc/hosts", readOnly: true }),
        ...bind({ file: root.node, mountPath: "/usr/local/bin/node", readOnly: true }),
        `printf '%s' ${word(nodeListens(root.address))} >.${nodeListensFile}`,
        ...(program === undefined
            ? []
            : [
                  ...bind({ file: program.file, mountPath: realProgram, readOnly: true }),
                  `mkdir -p .${word(program.at.replace(/[^/]*$/, ""))}`,
                  `printf '%s' ${word(listenShim(root.address, program.listens))} >.${word(program.at)}`,
                  `chmod 755 .${word(program.at)}`,
              ]),
        ...mounts.flatMap(bind),
        // A container runtime's limit. TiKV wants 124,000; only some users may raise that of a machine.
        `ulimit -n ${openFiles} 2>/dev/null || ulimit -n "$(ulimit -Hn)"`,
        root.workingFolder === undefined
            ? 'exec chroot "$root" "$@"'
            : `exec chroot "$root" sh -c 'cd "$0" && exec "$@"' ${word(root.workingFolder)} "$@"`,
    ].join("\n");
}

function bind({ file, mountPath, readOnly }: Mount): string[] {
    const [from, to] = [word(file), `.${word(mountPath)}`];
    return [
        `if [ -d ${from} ]; then mkdir -p ${to}; else mkdir -p "$(dirname ${to})"; : >>${to}; fi`,
        `mount --bind ${from} ${to}`,
        ...(readOnly ? [remountReadOnly(to)] : []),
    ];
}

/** In a user namespace, the flags that the file system has outside must stay. */
function remountReadOnly(mounted: string): string {
    return `mount -o remount,bind,ro ${mounted} 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev ${mounted}`;
}

/**
 * Returns the script that stands at the program's path in a container. The pods of a sandbox share the addresses of this machine, so a program
 * that would listen on all of them listens on its pod's.
 * @param more arguments that the program gets too.
 */
export function listenShim(address: string, more: readonly string[]): string {
    return [
        "#!/bin/sh",
        "for argument do",
        "    shift",
        "    case $argument in",
        `    *0.0.0.0*) argument=$(printf '%s' "$argument" | sed 's/0\\.0\\.0\\.0/${address}/g') ;;`,
        "    esac",
        '    set -- "$@" "$argument"',
        "done",
        `exec ${realProgram} "$@"${more.map((one) => ` ${word(one)}`).join("")}`,
        "",
    ].join("\n");
}

/** Returns what a server in Node.js loads first. It then listens as the others do. */
function nodeListens(address: string): string {
    return [
        'const { Server } = require("node:net");',
        "const { listen } = Server.prototype;",
        "Server.prototype.listen = function (port, ...rest) {",
        `    const host = typeof port === "number" ? [${JSON.stringify(address)}] : [];`,
        "    return listen.call(this, port, ...host, ...rest);",
        "};",
        "",
    ].join("\n");
}

function word(text: string): string {
    return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
