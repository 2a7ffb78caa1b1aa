import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { Command, CommanderError, type ParseOptionsResult } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addExamples } from './examples.ts'
import { failureDocument } from './failure.ts'
import { type ConsumerSession, type Session, signIn, signInAsConsumer } from './session.ts'
import { type AddressOptions, readConsumerSettings, readSettings } from './settings.ts'
import { renderFields } from './table.ts'

/** The result of a command: a document for scripts and text for people. Default exit code: 0. */
export type CommandOutput = {
  document: unknown
  text: string
  exitCode?: number
  /** Why the command did nothing. It is printed on standard error. */
  refusal?: string
}

/** Runs a command's work in a session and prints its result. */
export type Run = (work: (session: Session) => Promise<CommandOutput>) => Promise<void>

/** The same for a consumer's command. */
type RunAsConsumer = (work: (session: ConsumerSession) => Promise<CommandOutput>) => Promise<void>

export type GlobalOptions = AddressOptions & { json?: boolean }

/** What commands are made of. */
export type Parts = {
  program: Command
  run: Run
  runAsConsumer: RunAsConsumer
  context: CommandContext
}

/** The commands of the program in the order of its help. Each is loaded when it is added. */
const groups = {
  init: () => import('./commands/init.ts'),
  listen: () => import('./commands/listen.ts'),
  trigger: () => import('./commands/trigger.ts'),
  consumers: () => import('./commands/consumers.ts'),
  contracts: () => import('./commands/contracts.ts'),
  templates: () => import('./commands/templates.ts'),
  plans: () => import('./commands/plans.ts'),
  providers: () => import('./commands/providers.ts'),
  jobs: () => import('./commands/jobs.ts'),
  bulk: () => import('./commands/bulk.ts'),
  runs: () => import('./commands/runs.ts'),
  reprints: () => import('./commands/reprints.ts'),
  stock: () => import('./commands/stock.ts'),
  callbacks: () => import('./commands/callbacks.ts'),
  queues: () => import('./commands/queues.ts'),
  audit: () => import('./commands/audit.ts'),
  enquiries: () => import('./commands/enquiries.ts'),
  keys: () => import('./commands/keys.ts'),
  records: () => import('./commands/records.ts'),
  volumes: () => import('./commands/volumes.ts'),
  'provider-conformance': () => import('./commands/provider-conformance.ts'),
  doctor: () => import('./commands/doctor.ts'),
  completion: () => import('./commands/completion.ts'),
  help: () => import('./commands/help.ts'),
} satisfies Record<string, () => Promise<{ addCommands(parts: Parts): void }>>
const describesAll = ['completion', 'help']

/**
 * Creates the commands: all of them, or only the one that `commandLine` names, because loading the others takes longer
 * than most commands. Parsing throws a CommanderError for wrong usage and a Failure for a refusal. The parser explains
 * wrong usage on standard error, unless `isJson`.
 */
export async function createProgram(
  context: CommandContext,
  { isJson = false, commandLine }: { isJson?: boolean; commandLine?: readonly string[] } = {},
): Promise<Command> {
  const program = new StrictCommand('despatch')
    .description(
      'Submits and watches print jobs, and manages a running Despatch: print jobs, queues, consumers with their credentials, contracts and usage plans, print providers and their print runs, callbacks and records.',
    )
    .option(
      '--json',
      'print one JSON document, and an error as one JSON document on standard error',
    )
    .option('-V, --version', 'print the versions of the system and of its interfaces')
    .on('option:version', () => {
      context.print(describeVersions(context.root, isJson))
      throw new CommanderError(0, 'commander.version', '')
    })
    .option('--base-url <address>', 'base address for consumers; default: from credentials.json')
    .option('--ops-url <address>', 'base address for operators; default: from credentials.json')
    .option('--insecure-http', 'send credentials over http to other machines, unencrypted')
    .addHelpText('after', helpAboutCredentials)
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.output.write(text),
      writeErr: (text) => {
        if (!isJson) context.note(text.replace(/\n$/, ''))
      },
    })

  const run: Run = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signIn(await readSettings(addresses, context))
    writeOutput(await work(session), json)
  }
  const runAsConsumer: RunAsConsumer = async (work) => {
    const { json = false, ...addresses } = program.opts<GlobalOptions>()
    const session = await signInAsConsumer(await readConsumerSettings(addresses, context))
    writeOutput(await work(session), json)
  }
  const writeOutput = ({ document, text, exitCode, refusal }: CommandOutput, json: boolean) => {
    if (json || text !== '') context.print(json ? JSON.stringify(document, null, 2) : text)
    if (refusal) {
      context.note(json ? failureDocument(refusal, exitCode ?? 1) : `despatch: ${refusal}`)
    }
    if (exitCode !== undefined) context.endWith(exitCode)
  }
  const named = commandLine && program.parseOptions([...commandLine]).operands[0]
  const isEnough =
    named !== undefined && Object.hasOwn(groups, named) && !describesAll.includes(named)
  for (const [name, load] of Object.entries(groups)) {
    if (isEnough && name !== named) continue
    const { addCommands } = await load()
    addCommands({ program, run, runAsConsumer, context })
  }
  addExamples(program)
  return program
}

const helpAboutCredentials = `
Addresses and the operator's credentials are those of credentials.json in DESPATCH_DATA_DIR (.despatch).
For another installation, give --base-url and --ops-url, and set DESPATCH_USER_NAME, DESPATCH_PASSWORD and DESPATCH_API_KEY.

Print jobs are submitted and watched, and callbacks are followed, as the consumer in that file or in those variables.

Exit codes: 0 success, 1 the request was refused or there was no response, 2 wrong usage, 130 interrupted. jobs watch: 3 the
print job was rejected, 4 it has not ended in time.`

/**
 * Returns the version of the system, from its manifest in the given folder, and the versions of its interfaces, as a text
 * or as one JSON document.
 */
function describeVersions(root: string, isJson: boolean): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (isJson) return JSON.stringify({ version, interfaces: interfaceVersions }, null, 2)
  return `despatch ${version}\n${renderFields(interfaceVersions)}`
}

/** Refuses an option that a command does not know before it asks for one that is missing. */
class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name)
  }

  override parseOptions(commandLine: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(commandLine)
    const unknown = parsed.unknown.find((text) => text.startsWith('-'))
    const asksForHelp = parsed.unknown.some((text) => text === '--help' || text === '-h')
    const isLeaf = this.parent !== null && this.commands.length === 0
    if (isLeaf && unknown !== undefined && !asksForHelp) {
      ;(this as unknown as { unknownOption(flag: string): never }).unknownOption(unknown)
    }
    return parsed
  }
}
