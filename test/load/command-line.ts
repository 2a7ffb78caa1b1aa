import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type Settings = {
  subject: keyof typeof defaults
  rounds: number
  /** The duration of load on one side in one round. For the pipeline: the time limit of one side. */
  seconds: number
  connections: number
  /** The number of known drivers. */
  drivers: number
  /** The number of print jobs accepted in one round. */
  jobs: number
  /** The number of tasks that each pipeline worker does at the same time. */
  concurrency: number
  /** The number of threads that make documents, and of processes that typeset. */
  threads: number
  /** Growth: the number of documents of the print run that is claimed. */
  documents: number
  /** Growth: the numbers of finished and live letters of the big system. */
  finished: number
  live: number
  /** The number of letters of a day. For growth: of those that are due at one cut-off. For templates: in one round. */
  letters: number
  /** The number of callbacks that are owed when their delivery begins. */
  deliveries: number
  queue: 'postgres' | 'redis'
  json: boolean
  /** Where to write a CPU profile of our service. It slows our side down. */
  profileDirectory?: string
}

export type CommandLine = { kind: 'run'; settings: Settings } | { kind: 'usage'; fault?: string }

/** Returns the flags that make node write the requested profile. */
export function profileFlags({ profileDirectory }: Settings): string[] {
  return profileDirectory ? ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`] : []
}

export const usage = `npm run bench -- intake | pipeline | find | documents | templates | callbacks | fairness | growth | day [flags]

  --rounds N        rounds that count, each with every side once (intake 20; find, callbacks, growth 5; documents 4; pipeline, templates, fairness 3)
  --seconds N       load on one side in one round (intake, documents 1; find 2; callbacks 8; growth: on intake, 10; fairness 15); longest that a part may take (pipeline, templates 180; day 21600)
  --connections N   intake: connections of the load generator (64; 8 at most for the PDF files)
  --drivers N       find: drivers to search (1000000)
  --jobs N          pipeline, growth: print jobs in one round (3000)
  --concurrency N   pipeline, templates, fairness: tasks done at the same time by each worker (16)
  --threads N       documents: threads that make them; templates: those, and processes that typeset (2)
  --documents N     growth: documents of the run that is claimed (20000)
  --finished N      growth: finished letters of the big system (1000000)
  --live N          growth: its live letters (300000)
  --letters N       growth: letters due at one cut-off (1000000); templates: letters in one round (300); day: letters (150000)
  --deliveries N    callbacks: owed when their delivery begins (20000; growth 1000)
  --queue NAME      pipeline, callbacks, day: postgres or redis, which wants redis-server on the PATH (postgres)
  --profile DIR     write a CPU profile of our service there, which slows our side down
  --json            the figures of every round, as JSON on standard output
`

const options = {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string', default: '64' },
  drivers: { type: 'string', default: '1000000' },
  jobs: { type: 'string', default: '3000' },
  concurrency: { type: 'string', default: '16' },
  threads: { type: 'string', default: '2' },
  documents: { type: 'string', default: '20000' },
  finished: { type: 'string', default: '1000000' },
  live: { type: 'string', default: '300000' },
  letters: { type: 'string' },
  deliveries: { type: 'string' },
  queue: { type: 'string', default: 'postgres' },
  profile: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Of the flags whose default depends on the subject. */
const defaults = {
  intake: { rounds: '20', seconds: '1' },
  pipeline: { rounds: '3', seconds: '180' },
  find: { rounds: '5', seconds: '2' },
  documents: { rounds: '4', seconds: '1' },
  templates: { rounds: '3', seconds: '180', letters: '300' },
  callbacks: { rounds: '5', seconds: '8' },
  fairness: { rounds: '3', seconds: '15' },
  growth: { rounds: '5', seconds: '10', letters: '1000000', deliveries: '1000' },
  day: { rounds: '1', seconds: '21600' },
} as const

/** Parses the arguments after the script's name. A wrong argument returns the usage with a message that names it. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    })
    if (values.help) return { kind: 'usage' }
    const [subject, ...more] = positionals
    if (!isSubject(subject) || more.length > 0) {
      throw new Error(`Say what to measure: ${Object.keys(defaults).join(', ')}`)
    }
    if (values.queue !== 'postgres' && values.queue !== 'redis') {
      throw new Error('--queue must be postgres or redis')
    }
    const { queue, json, profile } = values
    const { rounds, seconds, letters, deliveries } = {
      letters: '150000',
      deliveries: '20000',
      ...defaults[subject],
      ...values,
    }
    return {
      kind: 'run',
      settings: {
        subject,
        rounds: wholeNumber('rounds', rounds, 100),
        seconds: wholeNumber('seconds', seconds, subject === 'day' ? 86_400 : 600),
        connections: wholeNumber('connections', values.connections, 1_000),
        drivers: wholeNumber('drivers', values.drivers, 10_000_000),
        jobs: wholeNumber('jobs', values.jobs, 100_000),
        concurrency: wholeNumber('concurrency', values.concurrency, 200),
        threads: wholeNumber('threads', values.threads, 64),
        documents: wholeNumber('documents', values.documents, 100_000),
        finished: wholeNumber('finished', values.finished, 10_000_000),
        live: wholeNumber('live', values.live, 10_000_000),
        letters: wholeNumber('letters', letters, 1_000_000),
        deliveries: wholeNumber('deliveries', deliveries, 1_000_000),
        queue,
        json,
        ...(profile && { profileDirectory: resolve(profile) }),
      },
    }
  } catch (error) {
    return { kind: 'usage', fault: (error as Error).message }
  }
}

function isSubject(subject: string | undefined): subject is Settings['subject'] {
  return subject !== undefined && Object.hasOwn(defaults, subject)
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}`)
}
