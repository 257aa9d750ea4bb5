# Prints what zsh offers after each line. A real zsh on a terminal of its own is told to complete the line. It prints each
# word that it would add as "OFFER:word".
zmodload zsh/zpty || exit 1
zpty inner zsh -f -i
zpty -w inner 'PROMPT= RPROMPT= PS2=; stty -echo; autoload -Uz compinit; compinit -u -D; source <(pulumi-tidb completion zsh)'
zpty -w inner 'compadd() {
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        local -a found; builtin compadd -A found "$@"
        local one; for one in $found; do print -r -- "OFFER:$one"; done
    fi
    builtin compadd "$@"
}'
# zsh empties the list of these functions whenever it has called them.
zpty -w inner 'finish() { compstate[insert]= compstate[list]=; print -r -- FINISHED; comppostfuncs=(finish) }; comppostfuncs=(finish)'
zpty -w inner 'bindkey "^I" complete-word; print REA""DY'
zpty -r -m inner output '*READY*'
for line in "$@"; do
    zpty -w -n inner $'\C-u'"$line"$'\t'
    zpty -r -m inner output '*FINISHED*'
    for one in ${(f)output//$'\r'/}; do
        if [[ $one == *OFFER:* ]]; then print -r -- ${(Q)one#*OFFER:}; fi
    done
    print end
done
zpty -d inner
