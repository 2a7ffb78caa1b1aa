import { type CommandNode, flagsWithValue, optionsWithValues } from './command-tree.ts'

/** Returns a script that bash loads: `source <(npx despatch completion bash)`. It completes `npx despatch` too. */
export function renderBash(nodes: readonly CommandNode[]): string {
  return `# completion of despatch for bash
_despatch_words() {
  case "$1" in
${nodes.map(renderCase).join('\n')}
  esac
}

_despatch_values() {
  case "$1" in
${optionsWithValues(nodes).map(renderValues).join('\n')}
  esac
}

_despatch() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" skip="" word values
  COMPREPLY=()
  if [ "\${COMP_WORDS[0]}" = npx ]; then
    if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W despatch -- "$current")); fi
    if [ "$COMP_CWORD" -eq 1 ] || [ "\${COMP_WORDS[1]}" != despatch ]; then return; fi
    COMP_WORDS=("\${COMP_WORDS[@]:1}")
    COMP_CWORD=$((COMP_CWORD - 1))
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
      ${flagsWithValue(nodes).join('|')}) skip=1 ;;
      -*) ;;
      *) if [ -n "$(_despatch_words "\${path:+$path }$word")" ]; then path="\${path:+$path }$word"; fi ;;
    esac
  done
  if [ -n "$skip" ]; then
    values="$(_despatch_values "$path $previous")"
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
    return
  fi
  COMPREPLY=($(compgen -W "$(_despatch_words "$path")" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ] && [[ "$current" != -* ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}

complete -F _despatch despatch
complete -o default -F _despatch npx
`
}

function renderCase({ path, subcommands, options }: CommandNode): string {
  const words = [...subcommands.map(({ name }) => name), ...options.map(({ flag }) => flag)]
  return `    '${path}') echo '${words.join(' ')}' ;;`
}

function renderValues({ path, flag, values }: ReturnType<typeof optionsWithValues>[number]) {
  return `    '${path} ${flag}') echo '${values.join(' ')}' ;;`
}
