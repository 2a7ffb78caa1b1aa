import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ConsumerClient } from '@despatch/client/consumer-client'
import { DespatchError } from '@despatch/client/despatch-error'
import type { CallbackParams, PrintJobRequest } from '@despatch/client/print-job'
import type { Reconciliation } from '@despatch/client/print-run'
import { ProviderClient } from '@despatch/client/provider-client'
import { isFinal } from '@despatch/client/status'
import type { Credentials } from '@despatch/standalone/credentials'
import { startCallbackReceiver } from './callback-receiver.ts'
import { enquire } from './enquiries.ts'
import { type Letter, makeLetters, type PrintJobEvent } from './letters.ts'
import { say } from './say.ts'

type Demo = {
  credentials: Credentials
  /** Of the running system and its simulated factory. */
  directory: string
  outputDirectory: string
  /** Aborted by Ctrl-C and by the deadline. */
  signal: AbortSignal
  resources: AsyncDisposableStack
}

type Users = { consumer: ConsumerClient; provider: ProviderClient; signal: AbortSignal }

export type DemoResult = {
  letters: readonly Letter[]
  accounts: readonly Reconciliation[]
  /** Every print that the factory has logged, as document and attempt. */
  printed: readonly string[]
}

const jobsPath = '/print-request/v1/print/jobs'
const pollMs = 300

/**
 * Acts as the users of a running system over HTTP, until every letter has its final status and its callback, every
 * print run is closed, and enquiries have been answered. Throws if a step fails, or with the signal's reason.
 */
export async function runDemo(demo: Demo): Promise<DemoResult> {
  const { credentials, outputDirectory, signal, resources } = demo
  const { baseUrl } = credentials
  const consumer = new ConsumerClient({ baseUrl, ...credentials.consumer, signal })
  const provider = new ProviderClient({ baseUrl, ...credentials.provider, signal })
  const users = { consumer, provider, signal }
  const letters = await makeLetters()
  const authenticationHeader = `Bearer ${randomUUID()}`
  const receiver = await startCallbackReceiver(authenticationHeader, (message) => {
    const letter = letters.find(({ id }) => id === message.data.jobId)
    letter?.callbacks.push(message)
    say('callback', `letter ${letter?.number} is ${message.data.jobStatus}`)
  })
  resources.use(receiver)
  await post(consumer, letters, { target: receiver.url, authenticationHeader })
  await watch(users, letters)
  await mkdir(outputDirectory, { recursive: true })
  const accounts = await readAccounts(users, letters, outputDirectory)
  await explainRefusal(consumer, letters, outputDirectory)
  await enquire(consumer)
  return { letters, accounts, printed: await readPrintLog(demo.directory) }
}

/** Sends the letters. Is refused twice on the way. */
async function post(
  consumer: ConsumerClient,
  letters: readonly Letter[],
  callbackParams: CallbackParams,
): Promise<void> {
  const requests: PrintJobRequest[] = []
  for (const letter of letters) requests.push(await makeRequest(consumer, letter, callbackParams))
  const [first] = requests as [PrintJobRequest]

  const faulty = structuredClone(first)
  faulty.standardParams.recipientName = ''
  faulty.callbackParams = {
    target: 'mailto:nobody',
    retryParams: { enabled: true, maxRetryWindow: 5 },
  }
  const { problems } = await refused(400, consumer.submitPrintJob(faulty))
  const faults = problems.map(({ detail }) => detail)
  say('consumer', 'sent a job with faults, refused with 400, every fault named:', faults)

  for (const request of requests) await consumer.submitPrintJob(request)
  say('consumer', `posted letters 1 to ${letters.length}; each is safely stored: 202`)
  const { code } = await refused(409, consumer.submitPrintJob(first))
  say('consumer', `posted letter 1 once more, refused with 409 code ${code}: its id is taken`)
}

async function makeRequest(
  consumer: ConsumerClient,
  { number, id, recipientName, address, bytes, isUploaded }: Letter,
  callbackParams: CallbackParams,
): Promise<PrintJobRequest> {
  const kind = { jobType: 'LETTER', templateReference: 'LETTER' }
  const common = { id, standardParams: { ...kind, recipientName, address }, callbackParams }
  if (!isUploaded) {
    const value = Buffer.from(bytes).toString('base64')
    return { ...common, customParams: [{ key: 'letter', value }] }
  }
  const uploadId = await consumer.uploadFile(bytes)
  say('consumer', `uploaded the file of letter ${number} to a presigned address`)
  return { ...common, fileParams: [{ fileId: 'letter', uploadId }] }
}

async function refused(status: number, work: Promise<string>): Promise<DespatchError> {
  const error = await work.catch((error: unknown) => error)
  if (error instanceof DespatchError && error.status === status) return error
  throw new Error(`a print job was not refused with ${status}`, { cause: error })
}

/** Reads timelines and print runs until each letter has its final status and its callback, and prints every move. */
async function watch(
  { consumer, provider, signal }: Users,
  letters: readonly Letter[],
): Promise<void> {
  const runs = new Map<string, string>()
  while (!letters.every(({ ended, callbacks }) => ended && callbacks.length > 0)) {
    for (const letter of letters) if (!letter.ended) await look(consumer, letter)
    for await (const { batchNumber, state, documentCount } of provider.listPrintRuns()) {
      if (runs.get(batchNumber) === state) continue
      runs.set(batchNumber, state)
      say('provider', `print run ${batchNumber} is ${state}, documents: ${documentCount}`)
    }
    await sleep(signal)
  }
}

async function look(consumer: ConsumerClient, letter: Letter): Promise<void> {
  const knownCount = letter.events.length
  const path = `${jobsPath}/${letter.id}/events`
  letter.events = (await consumer.call<{ events: PrintJobEvent[] }>('GET', path)).events
  const moves = letter.events.slice(knownCount).map(({ transition }) => transition)
  const { status } = letter.events.at(-1)!
  if (isFinal(status)) letter.ended = await consumer.getPrintJob(letter.id)
  if (moves.length > 0) say('consumer', `letter ${letter.number}: ${moves.join(', ')} → ${status}`)
}

async function sleep(signal: AbortSignal): Promise<void> {
  await pause(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** Waits until the print runs of the letters are closed. Saves their letters as they were printed. */
async function readAccounts(
  { provider, signal }: Users,
  letters: readonly Letter[],
  outputDirectory: string,
): Promise<Reconciliation[]> {
  const batchNumbers = new Set(letters.flatMap(({ ended }) => ended?.batchNumber ?? []))
  const accounts: Reconciliation[] = []
  for (const batchNumber of [...batchNumbers].sort()) {
    let account = await provider.getReconciliation(batchNumber)
    while (account.state !== 'CLOSED') {
      await sleep(signal)
      account = await provider.getReconciliation(batchNumber)
    }
    accounts.push(account)
    const { state, expected, despatched, refused, missing } = account
    const counts = `${expected} expected, ${despatched} despatched, ${refused} refused, ${missing} missing`
    say('provider', `read the account of ${batchNumber}, which is ${state}: ${counts}`)
    for (const document of (await provider.getManifest(batchNumber)).documents) {
      const letter = letters.find(({ ended }) => ended?.documentId === document.documentId)
      const path = join(outputDirectory, `letter-${letter?.number}.pdf`)
      await writeFile(path, await provider.getDocument(document))
    }
  }
  return accounts
}

/** Reads why the checks have rejected a letter, and saves the picture of the page that shows it. */
async function explainRefusal(
  consumer: ConsumerClient,
  letters: readonly Letter[],
  outputDirectory: string,
): Promise<void> {
  const { id, number, events } = letters.find(({ end }) => end === 'rejected')!
  const findings = events.at(-1)?.findings ?? []
  const details = findings.map(({ number, detail }) => `${number}: ${detail}`)
  say('consumer', `read in the timeline of letter ${number} what was found:`, details)
  const { page = 1 } = findings[0] ?? {}
  const proof = await consumer.open(`${jobsPath}/${id}/proof/${page}.png`)
  const path = join(outputDirectory, `proof-letter-${number}-page-${page}.png`)
  await writeFile(path, await proof.bytes())
}

/** Returns every print that the factory has logged, as document and attempt. */
async function readPrintLog(directory: string): Promise<string[]> {
  const text = await readFile(join(directory, 'provider-simulator/print-log.ndjson'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { documentId: string; attempt: number })
    .map(({ documentId, attempt }) => `${documentId} ${attempt}`)
}
