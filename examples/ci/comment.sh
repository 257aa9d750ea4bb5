#!/bin/sh
# Writes a comment on a pull request, or replaces the one that begins with the same line.
# Usage: comment.sh FILE. Needs the GitHub CLI, GH_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST.
set -eu

# Without this check a failed plan would leave the comment of an earlier one, which looks valid.
if [ ! -s "$1" ]; then
    echo "comment.sh: $1 is empty or missing, expected a plan: the step that makes it says why" >&2
    exit 1
fi
first_line=$(head -n 1 "$1")
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
export first_line
id=$(gh api --paginate "$comments" \
    --jq '.[] | select(.user.type == "Bot" and (.body | startswith(env.first_line))) | .id' | head -n 1)
if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field body=@"$1"
else
    gh api --silent --method POST "$comments" --field body=@"$1"
fi
