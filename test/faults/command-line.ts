import { parseArgs } from 'node:util'

/** What is to survive. */
const subjects = ['provider-loop', 'callbacks', 'outages'] as const

export type Settings = (LoopSettings | CallbackSettings | OutageSettings) & {
  /** Decides who is killed when, and which misfortune comes to whom. */
  seed: number
  /** Of outages, how long the object store is away; else how long it takes at most. */
  minutes: number
  json: boolean
}

export type LoopSettings = {
  subject: 'provider-loop'
  documents: number
  /** With so many a print run is full. */
  runDocuments: number
  factories: number
}

export type CallbackSettings = {
  subject: 'callbacks'
  callbacks: number
  deliverers: number
  queue: 'postgres' | 'redis'
}

export type OutageSettings = {
  subject: 'outages'
  queue: 'postgres' | 'redis'
  /** Letters per second. */
  rate: number
  /** How soon after the outage every letter must be PENDING. */
  recoverySeconds: number
}

export type CommandLine = { kind: 'run'; settings: Settings } | { kind: 'usage'; fault?: string }

export const usage = `npm run faults -- provider-loop [flags]

  --documents N       letters that are gathered, printed, posted and closed (100000)
  --run-documents N   with so many a print run is full (a quarter of the documents)
  --factories N       that share them; with 1 and as many run documents as documents it is one run (2)
  --minutes N         after so long it is judged as it stands, and what is under way is a fault (60)

npm run faults -- callbacks [flags]

  --callbacks N       that are owed and delivered (20000)
  --deliverers N     processes that deliver them, and are killed (3)
  --queue Q           what carries the wake-ups: postgres or redis (postgres)
  --minutes N         as above (5)

npm run faults -- outages [flags]

  --minutes N         the object store is away, 45 at most (10)
  --rate N            letters per second that are posted (20)
  --recovery-seconds N  every letter must be PENDING so soon after the outage (60)
  --queue Q           as above; on redis, Redis is killed too (postgres)

any

  --seed N            repeats the killing and the misfortunes of an earlier run (one that is drawn)
  --json              the verdict as JSON on standard output
`

const options = {
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

const ofLoop = ['documents', 'run-documents', 'factories'] as const
const ofCallbacks = ['callbacks', 'deliverers'] as const
const ofOutages = ['rate', 'recovery-seconds'] as const
/** The token of the clients, which ends after an hour, is not renewed. */
const outageMinutesMax = 45
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Reads the arguments after the script's name. A wrong one gives the usage and says which it was. */
export function parseCommandLine(args: readonly string[], drawSeed: () => number): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    })
    if (values.help) return { kind: 'usage' }
    const subject = subjects.find((name) => name === positionals.join(' '))
    if (!subject) throw new Error(`Say what is to survive: ${subjects.join(' or ')}`)
    const { json } = values
    const seed = wholeNumber('seed', values.seed ?? String(drawSeed()), 0xffff_ffff)
    const { minutesDefault, minutesMax, read } = readers[subject]
    const minutes = wholeNumber('minutes', values.minutes ?? minutesDefault, minutesMax)
    const own = read(values)
    return { kind: 'run', settings: { ...own, seed, minutes, json } }
  } catch (error) {
    return { kind: 'usage', fault: (error as Error).message }
  }
}

const dayMinutes = 24 * 60
const readers = {
  'provider-loop': { minutesDefault: '60', minutesMax: dayMinutes, read: loopSettings },
  callbacks: { minutesDefault: '5', minutesMax: dayMinutes, read: callbackSettings },
  outages: { minutesDefault: '10', minutesMax: outageMinutesMax, read: outageSettings },
} as const

function loopSettings(values: Values): LoopSettings {
  refuse(values, [...ofCallbacks, ...ofOutages, 'queue'])
  const documents = wholeNumber('documents', values.documents ?? '100000', 1_000_000)
  const quarter = String(Math.ceil(documents / 4))
  return {
    subject: 'provider-loop',
    documents,
    runDocuments: wholeNumber('run-documents', values['run-documents'] ?? quarter, 1_000_000),
    factories: wholeNumber('factories', values.factories ?? '2', 10),
  }
}

function callbackSettings(values: Values): CallbackSettings {
  refuse(values, [...ofLoop, ...ofOutages])
  return {
    subject: 'callbacks',
    callbacks: wholeNumber('callbacks', values.callbacks ?? '20000', 1_000_000),
    deliverers: wholeNumber('deliverers', values.deliverers ?? '3', 10),
    queue: readQueue(values),
  }
}

function outageSettings(values: Values): OutageSettings {
  refuse(values, [...ofLoop, ...ofCallbacks])
  return {
    subject: 'outages',
    rate: wholeNumber('rate', values.rate ?? '20', 1_000),
    recoverySeconds: wholeNumber('recovery-seconds', values['recovery-seconds'] ?? '60', 3_600),
    queue: readQueue(values),
  }
}

function readQueue({ queue = 'postgres' }: Values): 'postgres' | 'redis' {
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
