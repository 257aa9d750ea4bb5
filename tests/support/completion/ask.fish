# Prints what fish offers after each line, without descriptions.
pulumi-tidb completion fish | source
for line in $argv
    complete -C "$line" | string replace -r '\t.*' ''
    echo end
end
