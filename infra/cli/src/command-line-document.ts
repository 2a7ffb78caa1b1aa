import { Writable } from 'node:stream'
import type { Argument, Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { pathOf } from './examples.ts'
import { exitCodes, exitCodesOfCommands } from './exit-codes.ts'
import { type ListItem, markdownList, markdownTable } from './markdown.ts'
import { createProgram } from './program.ts'

/** Returns docs/command-line.md: all commands, from the commands themselves. */
export async function describeCommandLine(): Promise<string> {
  const { commands } = await inspectedProgram()
  const groups = commands.map(renderGroup)
  return `${introduction}
${markdownTable(['code', 'meaning'], Object.entries(exitCodes))}

A command with other exit codes lists them. \`--help\` explains each option and ends with examples.

${groups.join('\n\n')}
`
}

const columns = [
  ['`recipientName`', 'required'],
  ['`line1` to `line5`', 'the address, with one of the next three'],
  ['`postcode`', 'in the United Kingdom'],
  ['`bfpoNumber`', 'of the forces'],
  ['`country`', 'abroad'],
  ['`buildingNumber`, `postTown`, …', 'instead of lines: the members of a structuredAddress'],
  ['`businessIdentifier`, `despatchMethod`', 'as in a print job'],
  ['`handlingInstruction.line1` to `.line7`', 'as in a print job'],
  ['`param.NAME`', 'the custom parameter `NAME`, such as a field of a template'],
]

const introduction = `# Command line

<!-- Written by \`npm run docs\` from infra/cli: change it there. -->

\`npx despatch <command>\` calls the APIs, for people and scripts. \`--help\` after any command lists its arguments and
options, and \`help\` before it does the same. \`--version\` prints the version of the system and of its interfaces.
\`--json\` makes any command print one JSON document, which scripts should read. Messages go to standard error. With
\`--json\`, an error is one JSON document, in the last line: \`{"detail":"there is no consumer acme","exitCode":1}\`.

The command line signs in as the operator of \`credentials.json\` in \`DESPATCH_DATA_DIR\` (\`.despatch\`), and for
\`jobs submit\`, \`jobs submit-csv\`, \`jobs watch\` and \`listen\` as the consumer of that file. For another installation, give
\`--base-url\` and \`--ops-url\`, and set \`DESPATCH_USER_NAME\`, \`DESPATCH_PASSWORD\` and \`DESPATCH_API_KEY\`. \`completion\`,
\`trigger\` and \`provider-conformance\` require no sign-in.

To complete commands, options and their fixed values in a shell, load the completion script:
\`source <(npx despatch completion bash)\`, the same with zsh, or \`npx despatch completion fish | source\`. It completes
\`despatch\` and \`npx despatch\`.

Submit a letter and wait until it is posted:

\`\`\`sh
id=$(npx despatch jobs submit letter.pdf --to "A Person, 1 High Street, Leeds, LS1 1AA" --type LETTER --template LETTER)
npx despatch jobs watch "$id" --timeout 300 || echo "it ended with $?"
\`\`\`

## Letters from a spreadsheet

\`npx despatch jobs submit-csv people.csv --type RENEWAL --template RENEWAL\` submits each row as a letter. Save the
spreadsheet as CSV in UTF-8, with commas. The first row names the columns:

${markdownTable(['column', 'content'], columns)}

Any other column is refused, because it would be missing in print. An empty cell is left out.

All rows are checked first, and if one is refused, nothing is submitted. \`people.results.csv\` has the row as the
spreadsheet numbers it, the id of the print job, the status (\`accepted\`, \`refused\`, or \`noted\` for remarks) and why. It
contains no names; the line of row 0 is for the command itself. Keep it as long as \`people.csv\` is used: without its
results, a file that was changed is another mailing, and each of its rows is sent.

- After an interruption or a crash, the same command continues, if the file is the same. No row is sent twice, because
  its id follows from the file, the row and its content.
- After a correction, the same command submits only what is not accepted yet. Rows may be added and sorted.
- If a row was changed or removed after its letter was accepted, nothing is submitted. With \`--changed\` the content that
  is new is sent as a further letter, and the earlier line becomes \`replaced\`.
- A file that was not changed sends nothing again, even without its results. \`--mailing january\` sends it as a further
  mailing, with results of its own.

## Times and dates

Times are printed in UTC and end with \`Z\`. At a terminal with colours, lists show how far away they are instead, such as
\`3 min ago\`; \`NO_COLOR=1\` makes everything plain and times exact. A time in an option must name its time zone, such as
\`2026-01-31T09:00:00Z\` or \`2026-01-31T09:00:00+01:00\`. A date in an option, such as \`2026-01-31\`, is a day in London.

## Exit codes
`

/** Renders a command of the program and its subcommands. */
function renderGroup(command: Command): string {
  const list = markdownList(leavesOf(command).map(renderCommand))
  const isAlone = command.commands.length === 0
  const introduced = isAlone ? [] : [sentence(command.description())]
  return [`## ${command.name()}`, ...introduced, list].join('\n\n')
}

function renderCommand(command: Command): ListItem {
  const words = [pathOf(command), ...command.registeredArguments.map(renderArgument)]
  const flagsOf = (isMandatory: boolean) =>
    command.options
      .filter(({ mandatory }) => mandatory === isMandatory)
      .map(({ flags }) => `\`${flags}\``)
      .join(', ')
  const own = Object.entries(exitCodesOfCommands[pathOf(command)] ?? {})
  const below = [
    ['needed', flagsOf(true)],
    ['options', flagsOf(false)],
    ['exit codes', own.map(([code, meaning]) => `\`${code}\` ${meaning}`).join('; ')],
  ] as const
  return {
    text: `\`${words.join(' ')}\`: ${command.description()}`,
    below: below.filter(([, text]) => text !== '').map(([name, text]) => `${name}: ${text}`),
  }
}

function renderArgument(argument: Argument): string {
  const { required, variadic } = argument
  const text = variadic ? `${argument.name()}...` : argument.name()
  return required ? `<${text}>` : `[${text}]`
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Returns the program with all commands, to inspect them and not to run them. */
export function inspectedProgram(): Promise<Command> {
  return createProgram(nowhere)
}

const nowhere: CommandContext = {
  environment: {},
  root: '.',
  canAsk: false,
  readInput: async () => '',
  print: () => {},
  output: new Writable(),
  look: undefined,
  note: () => {},
  canDraw: false,
  endWith: () => {},
  onInterrupt: () => () => {},
}
