import { mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readShellVariables, writeShellVariables } from '@despatch/config/shell-variables'
import type {
  ConsumersResponse,
  CreatedConsumerResponse,
} from '@despatch/contracts/administration/consumer'
import type { ContractsResponse } from '@despatch/contracts/administration/contract'
import type { Command } from 'commander'
import { type Agreement, addYesOption, refuseUnlessAgreed } from '../agree.ts'
import type { CommandContext } from '../command-context.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { parseRecipient } from '../jobs/parse-recipient.ts'
import { forRoles } from '../operation.ts'
import type { Parts } from '../program.ts'
import { type ConsumerSession, type Session, signInAsConsumer } from '../session.ts'
import { type AddressOptions, type Credential, dataDirectory } from '../settings.ts'
import { contractPath } from './contracts.ts'
import { submitLetter } from './submit-job.ts'

const pair = { jobType: 'LETTER', templateReference: 'LETTER' }
const to = 'Ms Ada Example, 1 High Street, Anytown, AB1 2CD'

type InitOptions = { userName: string; yes?: true }

/** Adds the command that prepares a consumer and sends its first letter. */
export function addCommands({ program, run, context }: Parts): void {
  const command = program
    .command('init')
    .description(
      forRoles(
        'createConsumer',
        'creates a consumer with a contract, saves its credentials and submits a first letter',
      ),
    )
    .option('--user-name <userName>', 'user name of the consumer', 'first-consumer')
  addYesOption(command)
    .addHelpText('after', helpAboutRepeating)
    .action(({ userName, yes }: InitOptions, command: Command) => {
      if (!/^[\w.@-]+$/.test(userName)) {
        throw wrongUsage('--user-name may have letters, digits and . @ - _ only')
      }
      return run(async (session) => {
        const refusal = await refuseUnlessAgreed(agreementOf(session, userName, yes), context)
        if (refusal) return refusal
        const path = join(dataDirectory(context.environment, context.root), `${userName}.env`)
        const { consumerId, credential } = await provideConsumer(session, userName, path)
        await provideContract(session, consumerId)
        const consumer = await signInAsConsumer({ baseUrl: session.baseUrl, credential })
        const { id, isNew } = await provideLetter(consumer, context)
        const document = { userName, consumerId, credentials: path, ...pair, id, isNew }
        const { baseUrl } = command.optsWithGlobals<AddressOptions>()
        return { document, text: renderResult(document, baseUrl) }
      })
    })
}

const helpAboutRepeating = `
A second call completes what is missing, and changes and sends nothing that is there. A letter is submitted only if the consumer has
none. The credentials are saved in DESPATCH_DATA_DIR (.despatch), as variables for a shell. With these variables the command line
acts as the consumer, so call init as an operator, without them.`

function agreementOf({ baseUrl }: Session, userName: string, yes?: true): Agreement {
  const text = `This creates the consumer ${userName} at ${baseUrl} with a contract for ${pair.jobType} ${pair.templateReference}, and submits a letter to an invented address. A real print factory prints and posts it. Only what is missing is created.`
  return {
    yes,
    describe: () => ({ document: { userName, ...pair }, text }),
    question: 'Continue?',
    otherwise: 'nothing was created',
  }
}

/** Returns the consumer and its credential. Creates it and saves the credential if it does not exist. */
async function provideConsumer(session: Session, userName: string, path: string) {
  const query = new URLSearchParams({ userName })
  const { consumers } = await session.send<ConsumersResponse>('GET', `/consumers?${query}`)
  if (consumers[0]) {
    const { consumerId } = consumers[0]
    return { consumerId, credential: await readCredential(path, session, userName) }
  }
  const body = { userName, name: userName, roles: ['consumer'], services: ['print-request'] }
  // before the consumer exists, because its password is shown only once
  const file = await createFile(path)
  try {
    const created = await session.send<CreatedConsumerResponse>('POST', '/consumers', body)
    const { consumerId, password, apiKey } = created
    const credential = { userName, password, apiKey }
    await file.writeFile(variablesOf(session, credential)).catch((cause) => {
      throw new Failure(
        `consumer ${userName} was created, but its credentials cannot be written to ${path} (${cause.code}). ` +
          `Replace them with: consumers reset-password ${userName} and consumers rotate-key ${userName}`,
        { exitCode: 1, cause },
      )
    })
    return { consumerId, credential }
  } finally {
    const { size } = await file.stat()
    await file.close()
    if (size === 0) await unlink(path)
  }
}

/** Creates the file of the credentials, for its owner only. Throws a Failure if it cannot, or if there is one. */
async function createFile(path: string) {
  try {
    await mkdir(dirname(path), { recursive: true })
    // left by a call that was stopped
    if ((await stat(path).catch(() => undefined))?.size === 0) await unlink(path)
    return await open(path, 'wx', 0o600)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why =
      code === 'EEXIST'
        ? `${path} exists, and has the credentials of a consumer elsewhere. Give another --user-name`
        : `${path} cannot be created (${code})`
    throw new Failure(`${why}. Nothing was created`, { exitCode: 1, cause })
  }
}

/** The client libraries read DESPATCH_USER, and this command DESPATCH_USER_NAME. */
function variablesOf({ baseUrl }: Session, { userName, password, apiKey }: Credential): string {
  return writeShellVariables({
    DESPATCH_URL: baseUrl,
    DESPATCH_USER: userName,
    DESPATCH_USER_NAME: userName,
    DESPATCH_PASSWORD: password,
    DESPATCH_API_KEY: apiKey,
  })
}

/** Throws a Failure unless the file has the credentials for this installation. They must not go to any other. */
async function readCredential(
  path: string,
  { baseUrl }: Session,
  userName: string,
): Promise<Credential> {
  const variables = readShellVariables(await readFile(path, 'utf8').catch(() => ''))
  const { DESPATCH_USER_NAME, DESPATCH_PASSWORD: password, DESPATCH_API_KEY: apiKey } = variables
  const isOurs = variables.DESPATCH_URL === baseUrl && DESPATCH_USER_NAME === userName
  if (isOurs && password && apiKey) return { userName, password, apiKey }
  throw new Failure(
    `consumer ${userName} exists at ${baseUrl}, but its credentials are not in ${path}. Give another --user-name`,
    { exitCode: 1 },
  )
}

/** A contract of a consumer that is new refuses what is most probably a mistake of its program. */
async function provideContract({ send }: Session, consumerId: string): Promise<void> {
  const path = `/consumers/${consumerId}/contracts`
  const { contracts } = await send<ContractsResponse>('GET', path)
  const { jobType, templateReference } = pair
  const isThere = contracts.some(
    (one) => one.jobType === jobType && one.templateReference === templateReference,
  )
  if (!isThere)
    await send('PUT', contractPath(consumerId, jobType, templateReference), {
      production: 'letter',
      unknownMembers: 'refuse',
      unreadableFiles: 'refuse',
      lettersWithoutFile: 'refuse',
    })
}

/** Returns the newest print job of the consumer. Submits the example letter if there is none. */
async function provideLetter(consumer: ConsumerSession, context: CommandContext) {
  type Page = { printJobs: { id: string }[] }
  const { printJobs } = await consumer.send<Page>('GET', '/print/jobs?limit=1')
  if (printJobs[0]) return { id: printJobs[0].id, isNew: false }
  const created = await submitLetter(consumer, {
    path: join(context.root, 'docs/examples/letter.pdf'),
    options: { to, type: pair.jobType, template: pair.templateReference, quiet: true },
    recipient: parseRecipient(to),
    context,
  })
  return { id: created.id, isNew: true }
}

type Result = { userName: string; credentials: string; id: string; isNew: boolean }

/** `baseUrl`: as it was given to this command. */
function renderResult(
  { userName, credentials, id, isNew }: Result,
  baseUrl: string | undefined,
): string {
  const address = baseUrl ? ` --base-url ${baseUrl}` : ''
  return `Consumer ${userName} is ready. ${isNew ? 'Its first letter is' : 'It already has the letter'} ${id}.

Act as this consumer in a shell:
  . ${credentials}
  npx despatch jobs watch ${id}${address}
  npx despatch listen --to http://localhost:4000/callbacks${address}

Callbacks come for letters with callbackParams. Until you send one, npx despatch trigger ALL sends examples.`
}
