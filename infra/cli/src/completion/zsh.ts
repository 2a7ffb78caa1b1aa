import { type CommandNode, flagsWithValue, optionsWithValues } from './command-tree.ts'

/**
 * Returns a script that zsh loads: `source <(npx despatch completion zsh)`, or a file `_despatch` in its fpath. It
 * completes `npx despatch` too.
 */
export function renderZsh(nodes: readonly CommandNode[]): string {
  return `#compdef despatch npx
# completion of despatch for zsh
_despatch_words() {
  reply=()
  case "$1" in
${nodes.map(renderCase).join('\n')}
  esac
}

_despatch_values() {
  reply=()
  case "$1" in
${optionsWithValues(nodes).map(renderValues).join('\n')}
  esac
}

_despatch() {
  local command_path="" skip="" word
  local -a reply
  if [[ "\${words[1]}" = npx ]]; then
    if (( CURRENT == 2 )); then compadd despatch; fi
    if (( CURRENT == 2 )) || [[ "\${words[2]}" != despatch ]]; then _default; return; fi
    shift words
    (( CURRENT-- ))
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "$word" in
      ${flagsWithValue(nodes).join('|')}) skip=1 ;;
      -*) ;;
      *) _despatch_words "\${command_path:+$command_path }$word"
         if (( \${#reply} )); then command_path="\${command_path:+$command_path }$word"; fi ;;
    esac
  done
  if [[ -n "$skip" ]]; then
    _despatch_values "$command_path \${words[CURRENT-1]}"
    if (( \${#reply} )); then _describe 'value' reply; else _files; fi
    return
  fi
  _despatch_words "$command_path"
  _describe 'despatch' reply || _files
}

if [[ "\${funcstack[1]}" = "_despatch" ]]; then _despatch "$@"; else compdef _despatch despatch npx; fi
`
}

function renderCase({ path, subcommands, options }: CommandNode): string {
  const words = [
    ...subcommands.map(({ name, description }) => [name, description]),
    ...options.map(({ flag, description }) => [flag, description]),
  ]
  const entries = words.map(([word, description]) => quote(`${word}:${description}`))
  return `    '${path}') reply=(${entries.join(' ')}) ;;`
}

function renderValues({ path, flag, values }: ReturnType<typeof optionsWithValues>[number]) {
  return `    '${path} ${flag}') reply=(${values.map(quote).join(' ')}) ;;`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
