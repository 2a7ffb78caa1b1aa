import { type Command, CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { describeVersions } from './describe-versions.ts'
import { addExamples } from './examples.ts'
import { failureDocument } from './failure.ts'
import { type ConsumerSession, type Session, signIn, signInAsConsumer } from './session.ts'
import { type AddressOptions, readConsumerSettings, readSettings } from './settings.ts'
import { StrictCommand } from './strict-command.ts'

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
export type RunAsConsumer = (
  work: (session: ConsumerSession) => Promise<CommandOutput>,
) => Promise<void>

export type GlobalOptions = AddressOptions & { json?: boolean }

type Parts = { program: Command; run: Run; runAsConsumer: RunAsConsumer; context: CommandContext }

/** The commands of the program in the order of its help. Each is loaded when it is added. */
const groups = {
  init: async ({ program, run, context }: Parts) =>
    (await import('./commands/init.ts')).addInitCommand(program, run, context),
  listen: async ({ program, runAsConsumer, context }: Parts) =>
    (await import('./commands/listen.ts')).addListenCommand(program, runAsConsumer, context),
  trigger: async ({ program, context }: Parts) =>
    (await import('./commands/trigger.ts')).addTriggerCommand(program, context),
  consumers: async ({ program, run, context }: Parts) => {
    const consumers = program.command('consumers').description('consumers that can call the APIs')
    ;(await import('./commands/consumers.ts')).addConsumerCommands(consumers, run, context)
    ;(await import('./commands/rights.ts')).addRightsCommands(consumers, run)
  },
  contracts: async ({ program, run, context }: Parts) =>
    (await import('./commands/contracts.ts')).addContractCommands(program, run, context),
  plans: async ({ program, run }: Parts) =>
    (await import('./commands/plans.ts')).addPlanCommands(program, run),
  providers: async ({ program, run }: Parts) =>
    (await import('./commands/providers.ts')).addProviderCommands(program, run),
  jobs: async ({ program, run, runAsConsumer, context }: Parts) =>
    (await import('./commands/jobs.ts')).addJobCommands(program, { run, runAsConsumer, context }),
  bulk: async ({ program, run, context }: Parts) =>
    (await import('./commands/bulk.ts')).addBulkCommands(program, run, context),
  runs: async ({ program, run, context }: Parts) =>
    (await import('./commands/runs.ts')).addRunCommands(program, run, context),
  reprints: async ({ program, run, context }: Parts) =>
    (await import('./commands/reprints.ts')).addReprintCommands(program, run, context),
  stock: async ({ program, run, context }: Parts) =>
    (await import('./commands/stock.ts')).addStockCommands(program, run, context),
  callbacks: async ({ program, run, context }: Parts) =>
    (await import('./commands/callbacks.ts')).addCallbackCommands(program, run, context),
  queues: async ({ program, run, context }: Parts) =>
    (await import('./commands/queues.ts')).addQueueCommands(program, run, context),
  audit: async ({ program, run }: Parts) =>
    (await import('./commands/audit.ts')).addAuditCommands(program, run),
  enquiries: async ({ program, run, context }: Parts) =>
    (await import('./commands/enquiries.ts')).addEnquiryCommands(program, run, context),
  keys: async ({ program, run, context }: Parts) =>
    (await import('./commands/keys.ts')).addKeyCommands(program, run, context),
  records: async ({ program, run, context }: Parts) =>
    (await import('./commands/records.ts')).addRecordCommands(program, run, context),
  volumes: async ({ program, run }: Parts) =>
    (await import('./commands/volumes.ts')).addVolumeCommand(program, run),
  'provider-conformance': async ({ program, context }: Parts) =>
    (await import('./commands/provider-conformance.ts')).addProviderConformanceCommand(
      program,
      context,
    ),
  doctor: async ({ program, context }: Parts) =>
    (await import('./commands/doctor.ts')).addDoctorCommand(program, context),
  completion: async ({ program, context }: Parts) =>
    (await import('./commands/completion.ts')).addCompletionCommand(program, context),
  help: async ({ program }: Parts) => (await import('./commands/help.ts')).addHelpCommand(program),
} satisfies Record<string, (parts: Parts) => Promise<void>>
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
  for (const [name, add] of Object.entries(groups)) {
    if (!isEnough || name === named) await add({ program, run, runAsConsumer, context })
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
