import type { Comparison, Figure } from '../comparison.ts'
import { timed } from '../statistics.ts'
import { type BareClaim, openBareClaim } from './bare-claim.ts'
import { readList } from './collect-documents.ts'
import type { FulfilmentSide } from './fulfilment-side.ts'
import { makeUpDocuments } from './made-up-documents.ts'
import { buildRun, claimRun, type WorkFigures, workOff } from './produce-run.ts'
import {
  type ManifestFigures,
  type ManifestFormat,
  manifestFormats,
  readManifest,
} from './read-manifest.ts'
import { seedPrintJobs } from './seed-print-jobs.ts'
import type { Stage } from './stage.ts'

const eventCalls = 10
const claimSecondsMax = 5
const firstByteSecondsMax = 1
const grownMebibytesMax = 100

type Round = WorkFigures & {
  buildSeconds: number
  claimSeconds: number
  bareClaimSeconds: number
  manifests: Record<ManifestFormat, ManifestFigures>
}

/** Takes runs of new documents from PENDING to DESPATCHED, one per round. */
export async function measureProduction(stage: Stage): Promise<Comparison[]> {
  const { settings, database, ground } = stage
  const bareClaim = await openBareClaim(database.pool)
  const manifestSide = await stage.startAnother()
  const rounds: Round[] = []
  for (let round = 1; round <= settings.rounds; round++) {
    ground.tell(`print run of ${told(settings.documents)}: round ${round} of ${settings.rounds}`)
    rounds.push(await measureRound(stage, { bareClaim, manifestSide, round }))
  }
  await manifestSide.close()
  return [compareProduction(rounds, stage), describeManifests(rounds, stage)]
}

type Means = {
  bareClaim: BareClaim
  manifestSide: FulfilmentSide
  round: number
}

async function measureRound(
  { database, consumer, fulfilment, settings, ground }: Stage,
  { bareClaim, manifestSide, round }: Means,
): Promise<Round> {
  const { documents } = settings
  await seedPrintJobs(database.pool, { consumer, documents: makeUpDocuments(documents) })
  // as the server does automatically after about a minute
  await database.pool.query('analyze print_job')
  ground.signal.throwIfAborted()
  const [buildSeconds, batchNumber] = await timed(() => buildRun(database, documents))
  await database.pool.query('analyze print_run_document')
  await bareClaim.prepare()
  const bareFirst = round % 2 === 0 ? await bareClaim.claim() : undefined
  const [claimSeconds, claim] = await timed(() => claimRun(fulfilment, batchNumber))
  if (claim.documentCount !== documents) throw new Error('The run has not all documents')
  const bareClaimSeconds = bareFirst ?? (await bareClaim.claim())

  const manifests = {} as Round['manifests']
  for (const format of manifestFormats) {
    ground.signal.throwIfAborted()
    manifests[format] = await readManifest(manifestSide, batchNumber, format)
  }
  const list = await readList(fulfilment, batchNumber)
  const documentIds = list.documents.map(({ documentId }) => documentId)
  const work = await workOff(fulfilment, claim, { documentIds, eventCalls })
  return { buildSeconds, claimSeconds, bareClaimSeconds, manifests, ...work }
}

function compareProduction(rounds: readonly Round[], { settings }: Stage): Comparison {
  const figure = (name: string, of: (round: Round) => number): Figure => ({
    name,
    ours: rounds.map(of),
  })
  return {
    scenario: `print run of ${told(settings.documents)}`,
    rival: 'bare UPDATE and INSERT',
    measures: [
      {
        name: 'claim, s',
        ours: rounds.map(({ claimSeconds }) => claimSeconds),
        theirs: rounds.map(({ bareClaimSeconds }) => bareClaimSeconds),
      },
    ],
    figures: [
      {
        ...figure('claim, s', ({ claimSeconds }) => claimSeconds),
        target: { sense: 'at most', figure: claimSecondsMax },
      },
      figure('build: gather and release, s', ({ buildSeconds }) => buildSeconds),
      figure('acknowledge, s', ({ acknowledgeSeconds }) => acknowledgeSeconds),
      figure('events, calls/s', ({ eventCallsPerSecond }) => eventCallsPerSecond),
      figure('post, s', ({ postSeconds }) => postSeconds),
      figure('confirm, s', ({ confirmSeconds }) => confirmSeconds),
    ],
    notes: [],
  }
}

function describeManifests(rounds: readonly Round[], { settings }: Stage): Comparison {
  return {
    scenario: `manifest of ${told(settings.documents)}`,
    rival: '',
    measures: [],
    figures: manifestFormats.flatMap((format) => describeFormat(rounds, format)),
    notes: [
      reportMemory(rounds),
      `size: ${manifestFormats.map((format) => `${format} ${mebibytes(rounds[0]!, format)} MiB`).join(', ')}`,
    ],
  }
}

function describeFormat(rounds: readonly Round[], format: ManifestFormat): Figure[] {
  const manifests = rounds.map((round) => round.manifests[format])
  const grown = manifests.flatMap(({ mebibytesBefore, mebibytesMax }) =>
    mebibytesBefore === undefined || mebibytesMax === undefined
      ? []
      : mebibytesMax - mebibytesBefore,
  )
  return [
    {
      name: `${format}, first byte, s`,
      ours: manifests.map(({ firstByteSeconds }) => firstByteSeconds),
      target: { sense: 'at most', figure: firstByteSecondsMax },
    },
    { name: `${format}, whole, s`, ours: manifests.map(({ seconds }) => seconds) },
    // without memory figures, the row is left out
    ...(grown.length > 0
      ? [
          {
            name: `${format}, memory grown, MiB`,
            ours: grown,
            target: { sense: 'at most', figure: grownMebibytesMax } as const,
          },
        ]
      : []),
  ]
}

/** Garbage of one manifest is collected later. The maximum over all manifests shows whether it is collected. */
function reportMemory(rounds: readonly Round[]): string {
  const told = rounds.map(({ manifests }) => {
    const levels = manifestFormats.flatMap((format) => manifests[format].mebibytesMax ?? [])
    return levels.length === 0 ? 'unknown' : `${Math.round(Math.max(...levels))} MiB`
  })
  const before = rounds[0]?.manifests.json.mebibytesBefore
  return `memory of the process: ${before === undefined ? 'unknown' : Math.round(before)} MiB before the first, at most ${told.join(', ')} by round`
}

function mebibytes({ manifests }: Round, format: ManifestFormat): string {
  return (manifests[format].bytes / 1024 ** 2).toFixed(1)
}

function told(documents: number): string {
  return `${documents.toLocaleString('en-GB')} documents`
}
