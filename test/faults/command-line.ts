import { parseArgs } from 'node:util'
import { scenarios } from './scenarios/all-scenarios.ts'

/** The large tests, at full size. Without one of them, the scenarios run. */
const subjects = ['provider-loop', 'callbacks', 'outages'] as const

export type Queue = 'postgres' | 'redis'

export type Settings = (
  | ScenarioSettings
  | SoakSettings
  | MutantSettings
  | LoopSettings
  | CallbackSettings
  | OutageSettings
) & {
  /** Determines which processes are killed, when, and which faults occur. */
  seed: number
  json: boolean
}

export type ScenarioSettings = {
  subject: 'scenarios'
  /** The numbers of the scenarios. Absent: all. */
  only?: readonly number[]
  isSmoke: boolean
  queues: readonly Queue[]
  /** Whether to write their results to docs/faults.md. */
  isWritten: boolean
}

/** Breaks the code in one place after another. Each break must be found. */
export type MutantSettings = {
  subject: 'mutants'
  /** The numbers of the scenarios whose mutants are tried. Absent: all. */
  only?: readonly number[]
  queue: Queue
}

export type SoakSettings = { subject: 'soak'; minutes: number; queue: Queue }

export type LoopSettings = {
  subject: 'provider-loop'
  /** The time limit. */
  minutes: number
  documents: number
  /** A print run is full with this many documents. */
  runDocuments: number
  factories: number
}

export type CallbackSettings = {
  subject: 'callbacks'
  /** The time limit. */
  minutes: number
  callbacks: number
  deliverers: number
}

export type OutageSettings = {
  subject: 'outages'
  /** How long the object store is away. */
  minutes: number
  queue: Queue
  /** Letters per second. */
  rate: number
  /** Within how many seconds after the outage every letter must be PENDING. */
  recoverySeconds: number
}

export type CommandLine = { kind: 'run'; settings: Settings } | { kind: 'usage'; fault?: string }

export const usage = `npm run faults -- [flags]

  --smoke             the cheap scenarios that every change runs
  --only N,N          the scenarios with these numbers
  --queue Q           what carries the batches: postgres or redis (both, where it makes a difference)
  --write             writes what came of each scenario that ran to docs/faults.md
  --mutants           breaks a copy of the code in one place after another: the scenarios must find each break (with --only,
                      those that these scenarios find), with one queue (postgres)
  --soak T            random blows of all kinds for a time, such as 90s, 30m or 1h, with one queue (postgres)

npm run faults -- provider-loop [flags]

  --documents N       letters that are gathered, printed, posted and closed (100000)
  --run-documents N   with so many a print run is full (a quarter of the documents)
  --factories N       that share them; with 1 and as many run documents as documents it is one run (2)
  --minutes N         after so long it is judged as it stands, and what is under way is a fault (60)

npm run faults -- callbacks [flags]

  --callbacks N       that are owed and delivered (20000)
  --deliverers N      processes that deliver them, and are killed (3)
  --minutes N         as above (5)

npm run faults -- outages [flags]

  --minutes N         the object store is away, 45 at most (10)
  --rate N            letters per second that are posted (20)
  --recovery-seconds N  every letter must be PENDING so soon after the outage (60)
  --queue Q           postgres or redis; on redis, Redis is killed too (postgres)

any

  --seed N            repeats the killing and the misfortunes of an earlier run (random: one that is drawn)
  --json              the verdict as JSON on standard output
`

const options = {
  smoke: { type: 'boolean' },
  only: { type: 'string' },
  write: { type: 'boolean' },
  mutants: { type: 'boolean' },
  soak: { type: 'string' },
  documents: { type: 'string' },
  'run-documents': { type: 'string' },
  factories: { type: 'string' },
  callbacks: { type: 'string' },
  deliverers: { type: 'string' },
  queue: { type: 'string' },
  rate: { type: 'string' },
  'recovery-seconds': { type: 'string' },
  seed: { type: 'string' },
  minutes: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const ofScenarios = ['smoke', 'only', 'write', 'soak', 'mutants'] as const
const ofLoop = ['documents', 'run-documents', 'factories'] as const
const ofCallbacks = ['callbacks', 'deliverers'] as const
const ofOutages = ['rate', 'recovery-seconds'] as const
const scenarioNumberMax = scenarios.length
const dayMinutes = 24 * 60
/** The clients' token expires after an hour and is not renewed. */
const outageMinutesMax = 45
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Parses the arguments after the script's name. A wrong argument returns the usage with a message that names it. */
export function parseCommandLine(args: readonly string[], drawSeed: () => number): CommandLine {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (values.help) return { kind: 'usage' }
    const { json, seed: given = 'random' } = values
    const seed = given === 'random' ? drawSeed() : wholeNumber('seed', given, 0xffff_ffff)
    return { kind: 'run', settings: { ...readSettings(positionals, values), seed, json } }
  } catch (error) {
    return { kind: 'usage', fault: (error as Error).message }
  }
}

function readSettings(positionals: readonly string[], values: Values) {
  if (positionals.length === 0) return withoutSubject(values)
  const subject = subjects.find((name) => name === positionals.join(' '))
  if (!subject) throw new Error(`Say nothing, or one of ${subjects.join(', ')}`)
  return readers[subject](values)
}

const readers = {
  'provider-loop': loopSettings,
  callbacks: callbackSettings,
  outages: outageSettings,
} as const

function scenarioSettings(values: Values): ScenarioSettings {
  refuse(values, [...ofLoop, ...ofCallbacks, ...ofOutages, 'minutes'])
  const { only, smoke = false, write = false, queue } = values
  if (only !== undefined && smoke) throw new Error('--only and --smoke exclude each other')
  return {
    subject: 'scenarios',
    isSmoke: smoke,
    queues: queue === undefined ? ['postgres', 'redis'] : [readQueue(values)],
    isWritten: write,
    ...readOnly(values),
  }
}

function withoutSubject(values: Values) {
  if (values.mutants) return mutantSettings(values)
  return values.soak === undefined ? scenarioSettings(values) : soakSettings(values)
}

function mutantSettings(values: Values): MutantSettings {
  refuse(values, [...ofLoop, ...ofCallbacks, ...ofOutages, 'minutes', 'smoke', 'write', 'soak'])
  return { subject: 'mutants', queue: readQueue(values), ...readOnly(values) }
}

function readOnly({ only }: Values): { only?: number[] } {
  if (only === undefined) return {}
  return { only: only.split(',').map((number) => wholeNumber('only', number, scenarioNumberMax)) }
}

function soakSettings(values: Values): SoakSettings {
  refuse(values, [...ofLoop, ...ofCallbacks, ...ofOutages, 'minutes', 'only', 'smoke', 'write'])
  const [, count, unit] = /^(\d+)(s|m|h)$/.exec(values.soak ?? '') ?? []
  const minutes = Number(count) * { s: 1 / 60, m: 1, h: 60 }[unit as 's' | 'm' | 'h']
  if (!(minutes > 0 && minutes <= dayMinutes))
    throw new Error('--soak is a time such as 90s, 30m or 1h')
  return { subject: 'soak', minutes, queue: readQueue(values) }
}

function loopSettings(values: Values): LoopSettings {
  refuse(values, [...ofScenarios, ...ofCallbacks, ...ofOutages, 'queue'])
  const documents = wholeNumber('documents', values.documents ?? '100000', 1_000_000)
  const quarter = String(Math.ceil(documents / 4))
  return {
    subject: 'provider-loop',
    minutes: wholeNumber('minutes', values.minutes ?? '60', dayMinutes),
    documents,
    runDocuments: wholeNumber('run-documents', values['run-documents'] ?? quarter, 1_000_000),
    factories: wholeNumber('factories', values.factories ?? '2', 10),
  }
}

function callbackSettings(values: Values): CallbackSettings {
  refuse(values, [...ofScenarios, ...ofLoop, ...ofOutages, 'queue'])
  return {
    subject: 'callbacks',
    minutes: wholeNumber('minutes', values.minutes ?? '5', dayMinutes),
    callbacks: wholeNumber('callbacks', values.callbacks ?? '20000', 1_000_000),
    deliverers: wholeNumber('deliverers', values.deliverers ?? '3', 10),
  }
}

function outageSettings(values: Values): OutageSettings {
  refuse(values, [...ofScenarios, ...ofLoop, ...ofCallbacks])
  return {
    subject: 'outages',
    minutes: wholeNumber('minutes', values.minutes ?? '10', outageMinutesMax),
    rate: wholeNumber('rate', values.rate ?? '20', 1_000),
    recoverySeconds: wholeNumber('recovery-seconds', values['recovery-seconds'] ?? '60', 3_600),
    queue: readQueue(values),
  }
}

function readQueue({ queue = 'postgres' }: Values): Queue {
  if (queue === 'postgres' || queue === 'redis') return queue
  throw new Error('--queue is postgres or redis')
}

function refuse(values: Values, names: readonly (keyof Values)[]): void {
  const given = names.find((name) => values[name] !== undefined)
  if (given) throw new Error(`--${given} is not for this`)
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}`)
}
