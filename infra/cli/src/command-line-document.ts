import { Writable } from 'node:stream'
import type { Argument, Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { exitCodes, exitCodesOfCommands } from './exit-codes.ts'
import { createProgram } from './program.ts'

/** Returns the document of all commands, generated from the commands themselves. */
export function describeCommandLine(): string {
  const program = createProgram(nowhere)
  const [exits, commands] = [renderExits(exitCodes), program.commands.map(renderGroup)]
  return `${introduction}
${exits}

The last column of the tables lists exit codes that differ for a command. \`--help\` explains each option.

${commands.join('\n\n')}
`
}

const introduction = `# Command line

<!-- Written by \`npm run docs\` from infra/cli: change it there. -->

\`npx despatch <command>\` calls the APIs, for people and scripts. \`--help\` after any command lists its arguments and
options. \`--json\` makes any command print one JSON document, which scripts should read. Messages go to standard error.

It signs in as the operator of \`credentials.json\` in \`DESPATCH_DATA_DIR\` (\`.despatch\`), and for \`jobs submit\` and
\`jobs watch\` as its consumer. For another installation, give \`--base-url\` and \`--ops-url\`, and set
\`DESPATCH_USER_NAME\`, \`DESPATCH_PASSWORD\` and \`DESPATCH_API_KEY\`. \`completion\` and \`provider-conformance\` require no
sign-in.

To complete commands, options and their fixed values in a shell, load the completion script:
\`source <(despatch completion bash)\`, the same with zsh, or \`despatch completion fish | source\`.

Submit a letter and wait until it is posted:

\`\`\`sh
id=$(npx despatch jobs submit letter.pdf --to "A Person, 1 High Street, Leeds, LS1 1AA" --type LETTER --template LETTER)
npx despatch jobs watch "$id" --timeout 300 || echo "it ended with $?"
\`\`\`

## Exit codes
`

/** Renders a command of the program and its subcommands. */
function renderGroup(command: Command): string {
  const header = ['command', 'what it does', 'options', 'exit codes']
  const table = renderMarkdown(header, leavesOf(command).map(renderRow))
  const isAlone = command.commands.length === 0
  const introduced = isAlone ? [] : [sentence(command.description())]
  return [`## ${command.name()}`, ...introduced, table].join('\n\n')
}

function renderRow(command: Command): string[] {
  const words = [pathOf(command), ...command.registeredArguments.map(renderArgument)]
  const options = command.options.map(({ flags, mandatory }) =>
    mandatory ? `\`${flags}\` (needed)` : `\`${flags}\``,
  )
  const own = Object.entries(exitCodesOfCommands[pathOf(command)] ?? {})
  return [
    `\`${words.join(' ')}\``,
    command.description(),
    options.join('<br>') || '-',
    own.map(([code, meaning]) => `${code}: ${meaning}`).join('<br>') || 'as above',
  ]
}

function renderArgument(argument: Argument): string {
  const { required, variadic } = argument
  const text = variadic ? `${argument.name()}...` : argument.name()
  return required ? `<${text}>` : `[${text}]`
}

function renderExits(exits: Readonly<Record<number, string>>): string {
  return renderMarkdown(['code', 'meaning'], Object.entries(exits))
}

function renderMarkdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = header.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  )
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

/** Returns the words of a command without the program's name. */
export function pathOf(command: Command): string {
  const above = command.parent
  return above?.parent ? `${pathOf(above)} ${command.name()}` : command.name()
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Commands are only inspected, never run. */
const nowhere: CommandContext = {
  environment: {},
  root: '.',
  canAsk: false,
  readInput: async () => '',
  print: () => {},
  output: new Writable(),
  note: () => {},
  canDraw: false,
  endWith: () => {},
  onInterrupt: () => () => {},
}
