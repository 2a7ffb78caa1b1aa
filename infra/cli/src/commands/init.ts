import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
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
import type { Run } from '../program.ts'
import { type ConsumerSession, type Session, signInAsConsumer } from '../session.ts'
import { type Credential, dataDirectory } from '../settings.ts'
import { contractPath } from './contracts.ts'
import { forRoles } from './for-roles.ts'
import { submitLetter } from './submit-job.ts'

const pair = { jobType: 'LETTER', templateReference: 'LETTER' }
const to = 'Ms Ada Example, 1 High Street, Anytown, AB1 2CD'

type InitOptions = { userName: string; yes?: true }

/** Adds the command that prepares a consumer and sends its first letter. */
export function addInitCommand(program: Command, run: Run, context: CommandContext): void {
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
    .action(({ userName, yes }: InitOptions) => {
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
        return { document, text: renderResult(document) }
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
    return { consumerId, credential: await readCredential(path, userName) }
  }
  const body = { userName, name: userName, roles: ['consumer'], services: ['print-request'] }
  const created = await session.send<CreatedConsumerResponse>('POST', '/consumers', body)
  const { consumerId, password, apiKey } = created
  await saveCredential(path, session.baseUrl, { userName, password, apiKey })
  return { consumerId, credential: { userName, password, apiKey } }
}

/** The client libraries read DESPATCH_USER, and this command DESPATCH_USER_NAME. */
async function saveCredential(path: string, baseUrl: string, credential: Credential) {
  const { userName, password, apiKey } = credential
  const variables = {
    ...{ DESPATCH_URL: baseUrl, DESPATCH_USER: userName, DESPATCH_USER_NAME: userName },
    ...{ DESPATCH_PASSWORD: password, DESPATCH_API_KEY: apiKey },
  }
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`)
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, lines.join(''), { mode: 0o600 })
}

async function readCredential(path: string, userName: string): Promise<Credential> {
  const variables = parseEnv(await readFile(path, 'utf8').catch(() => ''))
  const { DESPATCH_USER_NAME, DESPATCH_PASSWORD: password, DESPATCH_API_KEY: apiKey } = variables
  if (DESPATCH_USER_NAME === userName && password && apiKey) return { userName, password, apiKey }
  throw new Failure(
    `consumer ${userName} exists, but its credentials are not in ${path}. Give another --user-name`,
    { exitCode: 1 },
  )
}

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

function renderResult({ userName, credentials, id, isNew }: Result): string {
  return `Consumer ${userName} is ready. ${isNew ? 'Its first letter is' : 'It already has the letter'} ${id}.

Act as this consumer in a shell:
  . ${credentials}
  npx despatch jobs watch ${id}
  npx despatch listen --to http://localhost:4000/callbacks`
}
