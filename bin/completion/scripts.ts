/** The shells that have a script. */
export const shells = ["bash", "zsh", "fish"] as const;

/**
 * The script of each shell. It asks `pulumi-tidb complete -- WORDS` for what can be in place of the last word: a line for each
 * word, with its description after a tab, and a line `:files` or `:folders` if a path is expected.
 */
export const scripts: Readonly<Record<(typeof shells)[number], string>> = {
    bash: `# Completion of pulumi-tidb for bash.
_pulumi_tidb() {
    local line current="\${COMP_WORDS[COMP_CWORD]}"
    if [ "$current" = "=" ]; then current=""; fi
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :files) compopt -o default 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current") ;;
            :folders) compopt -o dirnames 2>/dev/null || while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$current") ;;
            *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
        esac
    done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _pulumi_tidb pulumi-tidb
`,
    zsh: `#compdef pulumi-tidb
# Completion of pulumi-tidb for zsh.
_pulumi_tidb() {
    local line expected
    local -a found
    while IFS= read -r line; do
        case $line in
            :*) expected=\${line#:} ;;
            *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
        esac
    done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( $#found )); then _describe pulumi-tidb found; fi
    if [[ -n $expected ]]; then compset -P '*='; fi
    case $expected in
        files) _files ;;
        folders) _files -/ ;;
    esac
}
compdef _pulumi_tidb pulumi-tidb
`,
    fish: `# Completion of pulumi-tidb for fish.
function __pulumi_tidb_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $current)
    set -l beginning (string replace -- "$option" '' $current)
    for line in ($before[1] complete -- $before[2..-1] "$current" 2>/dev/null)
        switch $line
            case ':files'
                for path in (__fish_complete_path "$beginning"); echo "$option$path"; end
            case ':folders'
                for path in (__fish_complete_directories "$beginning"); echo "$option$path"; end
            case '*'
                echo $line
        end
    end
end
complete -c pulumi-tidb -f -a '(__pulumi_tidb_complete)'
`,
};
