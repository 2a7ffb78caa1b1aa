import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { savePrintJobDeletion } from '@despatch/store/print-job/delete-print-job'
import { replayTimelines } from '../model/replay-timelines.ts'
import type { ProviderAccount } from '../stack/provider-loop/add-provider.ts'
import type { LetterContract, PendingLetter } from '../stack/provider-loop/pending-letters.ts'
import {
  type LoopEnvironment,
  type ProviderLoop,
  startProviderLoop,
} from '../stack/provider-loop/start-provider-loop.ts'
import { startSimulator } from '../stack/provider-loop/start-simulator.ts'
import { startService } from '../stack/start-service.ts'
import { checkPrintHistory } from './checks/check-print-history.ts'
import { toFinding } from './checks/check-run.ts'
import type { Finding } from './checks/finding.ts'
import { type PrintHistory, readPrintHistory } from './facts/print-history.ts'
import { startNemesis, type Victim } from './nemesis.ts'
import { type Chance, seededChance } from './seeded-chance.ts'

export type FireOptions = {
  carriers: LoopEnvironment
  /** The directory in which the factories keep their state. */
  directory: string
  documents: number
  /** A print run is full with this many documents. */
  runDocuments: number
  /** The number of factories that share the documents. */
  factories: number
  seed: number
  gapMsMax: number
  /** How many documents each factory prints per second. Absent: as many as it can. */
  documentsPerSecond?: number
  /** After this time the result is judged as it is, in milliseconds. */
  deadlineMs: number
  signal?: AbortSignal
  tell(line: string): void
}

export type FireReport = {
  findings: Finding[]
  counts: {
    despatched: number
    rejected: number
    deleted: number
    runs: number
    printed: number
    reprints: number
    kills: number
  }
}

const stationery = 'A4-FAULTS'
const wavesMax = 4
const progressMs = 5_000

/**
 * Takes letters from PENDING to the end of their runs. Meanwhile processes of fulfilment, the pipeline and the
 * factories are killed at random, answers are lost, events come twice and out of order, sheets are spoiled, and
 * consumers delete letters. Returns the rules that the history breaks. A letter that is still under way at the deadline
 * breaks a rule too.
 */
export async function runUnderFire(options: FireOptions): Promise<FireReport> {
  const { carriers, directory, seed, tell } = options
  await using parts = new AsyncDisposableStack()
  const loop = parts.use(await startProviderLoop(carriers))
  const contract = await loop.addContract(stationery)
  const accounts = await Promise.all(
    Array.from({ length: options.factories }, () => loop.addProvider(stationery)),
  )
  const factories = accounts.map((account, index) => ({
    ...account,
    directory: join(directory, `factory-${index + 1}`),
  }))
  const victims: Victim[] = [
    aVictim('fulfilment 1', () => loop.startFulfilment(), parts),
    aVictim('fulfilment 2', () => loop.startFulfilment(), parts),
    aVictim('pipeline', () => startPipeline(loop, options), parts),
    ...factories.map((factory, index) =>
      aVictim(`factory ${index + 1}`, async () => startFactory(loop, factory, options), parts),
    ),
  ]
  await Promise.all(victims.map(({ restore }) => restore()))
  const { gapMsMax } = options
  const nemesis = startNemesis({ victims, chance: seededChance(seed, 'blows'), gapMsMax, tell })
  const work = addInWaves(loop, contract, options).then(() =>
    untilAllIsOver(loop, contract, options),
  )
  await Promise.race([work, nemesis.raging])
  tell('the killing ends')
  const kills = await nemesis.stop()
  await Promise.all(victims.map(({ lose }) => lose()))
  const history = await readPrintHistory(loop.database, [contract.contractId], factories)
  const illegal = (await replayTimelines(loop.database)).map(toFinding)
  return {
    findings: [...checkPrintHistory(history), ...illegal],
    counts: countHistory(history, kills),
  }
}

type Losable = AsyncDisposable & { kill(signal: NodeJS.Signals): Promise<void> }

function aVictim(name: string, start: () => Promise<Losable>, parts: AsyncDisposableStack): Victim {
  let running: Losable | undefined
  parts.defer(async () => running?.kill('SIGKILL'))
  return {
    name,
    lose: async () => running?.kill('SIGKILL'),
    restore: async () => {
      running = await start()
    },
  }
}

// A timer builds print runs using PostgreSQL alone, so the queue backend makes no difference to them.
function startPipeline({ environment }: ProviderLoop, { runDocuments }: FireOptions) {
  return startService('pipeline', {
    ...environment,
    LOG_LEVEL: 'info',
    DESPATCH_PRINT_RUN_AGE_MS: '500',
    DESPATCH_PRINT_RUN_DOCUMENTS_MAX: String(runDocuments),
    DESPATCH_COMPOSE_THREADS: '1',
  })
}

function startFactory(
  { gateway }: ProviderLoop,
  { credential, directory }: ProviderAccount & { directory: string },
  { seed, documentsPerSecond }: FireOptions,
) {
  return startSimulator({
    baseUrl: gateway.url,
    credential,
    directory,
    floor: {
      seed: String(seed),
      spoilRate: 0.05,
      refusalRate: 0.01,
      failRate: 0.01,
      divertRate: 0.02,
      lostReplyRate: 0.05,
      eventDuplicateRate: 0.3,
      eventShuffle: true,
      ...(documentsPerSecond && { documentsPerSecond }),
    },
  })
}

async function addInWaves(
  loop: ProviderLoop,
  contract: LetterContract,
  { documents, runDocuments, seed, signal, tell }: FireOptions,
): Promise<void> {
  const chance = seededChance(seed, 'letters')
  const waves = Math.min(wavesMax, Math.ceil(documents / runDocuments))
  const each = Math.ceil(documents / waves)
  for (let added = 0; added < documents; added += each) {
    const letters = await loop.addLetters(contract, Math.min(each, documents - added))
    tell(`added: ${letters.length} letters`)
    await deleteSome(loop, contract, { letters, chance })
    await pause(chance() * 1_000, undefined, signal ? { signal } : {})
  }
}

/** Deletes one letter in a hundred while it is gathered, released or claimed. Some deletions come too late. */
async function deleteSome(
  { database }: ProviderLoop,
  { consumerId }: LetterContract,
  { letters, chance }: { letters: readonly PendingLetter[]; chance: Chance },
): Promise<void> {
  const unwanted = letters.filter(() => chance() < 0.01)
  for (const { id } of unwanted) {
    await pause(chance() * 20)
    await savePrintJobDeletion(database.db, consumerId, id)
  }
}

type Standing = { letters: number; runs: number }

async function untilAllIsOver(
  loop: ProviderLoop,
  { contractId }: LetterContract,
  { deadlineMs, signal, tell }: FireOptions,
): Promise<void> {
  const deadline = performance.now() + deadlineMs
  let reportedAt = performance.now()
  for (;;) {
    const left = await readLeft(loop, contractId)
    if (left.letters === 0 && left.runs === 0) return
    if (performance.now() >= deadline) {
      tell(`out of time with ${left.letters} letters and ${left.runs} runs under way`)
      return
    }
    if (performance.now() - reportedAt >= progressMs) {
      reportedAt = performance.now()
      tell(`under way: ${left.letters} letters, ${left.runs} runs`)
    }
    await pause(250, undefined, signal ? { signal } : {})
  }
}

async function readLeft({ database }: ProviderLoop, contractId: string): Promise<Standing> {
  const { rows } = await database.pool.query<Standing>(
    `select
       (select count(*) from print_job where contract_id = $1 and deleted_at is null
        and status not in ('DESPATCHED', 'REJECTED')) as letters,
       (select count(*) from print_run where stationery = $2 and state not in ('CLOSED', 'VOIDED')) as runs`,
    [contractId, stationery],
  )
  return rows[0]!
}

function countHistory({ printJobs, runs, printLog }: PrintHistory, kills: number) {
  const count = (status: string) =>
    printJobs.filter((printJob) => !printJob.isDeleted && printJob.status === status).length
  return {
    despatched: count('DESPATCHED'),
    rejected: count('REJECTED'),
    deleted: printJobs.filter(({ isDeleted }) => isDeleted).length,
    runs: runs.filter(({ isClaimed }) => isClaimed).length,
    printed: printLog.length,
    reprints: printLog.filter(({ attempt }) => attempt > 1).length,
    kills,
  }
}
