import { type CommandNode, flagsWithValue } from './command-tree.ts'

/** Returns a script that fish loads: `npx despatch completion fish | source`. It completes `npx despatch` too. */
export function renderFish(nodes: readonly CommandNode[]): string {
  return `# completion of despatch for fish
function __despatch_path
    set -l paths ${nodes.flatMap(({ path }) => (path ? [quote(path)] : [])).join(' ')}
    set -l path ''
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch $word
            case ${flagsWithValue(nodes).join(' ')}
                set skip 1
            case '-*'
            case '*'
                set -l longer (string trim -- "$path $word")
                if contains -- $longer $paths
                    set path $longer
                end
        end
    end
    echo $path
end

function __despatch_after_npx
    complete -C (string join ' ' -- (string escape -- (commandline -opc)[2..-1]) (commandline -ct))
end

complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a despatch
complete -c npx -n 'test "$(commandline -opc)[2]" = despatch' -f -a '(__despatch_after_npx)'
${nodes.flatMap(renderLines).join('\n')}
`
}

function renderLines({ path, subcommands, options }: CommandNode): string[] {
  const at = `complete -c despatch -n ${quote(`test "$(__despatch_path)" = "${path}"`)}`
  return [
    ...subcommands.map(
      ({ name, description }) => `${at} -f -a ${quote(name)} -d ${quote(description)}`,
    ),
    ...options.map(
      ({ flag, description, takesValue, values }) =>
        `${at} -l ${flag.replace(/^--/, '')}${takesValue ? ' -r' : ''}${only(values)} -d ${quote(description)}`,
    ),
  ]
}

/** Only these values, and no files. */
function only(values: readonly string[]): string {
  return values.length > 0 ? ` -f -a ${quote(values.join(' '))}` : ''
}

/** In fish's single quotes, only the single quote and the backslash are special. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
