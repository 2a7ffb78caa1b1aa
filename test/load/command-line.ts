import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export type Settings = {
  subject:
    | 'intake'
    | 'pipeline'
    | 'access'
    | 'enquiry'
    | 'find'
    | 'documents'
    | 'runs'
    | 'cut-off'
    | 'callbacks'
    | 'overload'
    | 'fairness'
    | 'neighbours'
    | 'files'
    | 'row-versions'
    | 'purge'
    | 'growth'
    | 'console'
    | 'day'
  rounds: number
  /** The duration of load on one side in one round. For the pipeline: the time limit of one side. */
  seconds: number
  connections: number
  /** The number of known drivers. For enquiries: as many vehicles too. */
  drivers: number
  /** The number of print jobs accepted in one round of the pipeline. */
  jobs: number
  /** The number of tasks that each pipeline worker does at the same time. */
  concurrency: number
  /** The number of threads that make documents. */
  threads: number
  /** The number of documents of one print run. For the cut-off: of letters that are due at it. */
  documents: number
  /** Growth: the numbers of finished and live letters of the big system. */
  finished: number
  live: number
  /** The number of letters of a day. */
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

export const usage = `npm run bench -- intake | pipeline | access | enquiry | find | documents | runs | cut-off | callbacks | overload | fairness | neighbours | files | row-versions | purge | growth | console | day [flags]

  --rounds N        rounds that count, each with every side once (20; find and callbacks 5, documents 4, growth and console 5, pipeline, runs, fairness, neighbours and files 3)
  --seconds N       load on one side in one round (1; find 2, callbacks 8, fairness and neighbours 15); overload: of twice the sustained rate (30); pipeline, files, row-versions, purge: longest that a part may take (180); growth: load on intake (10); day: longest that it may take (21600)
  --connections N   intake, access, enquiry: connections of the load generator (64; 8 at most for the PDF files)
  --drivers N       find: drivers to search (1000000); enquiry: known drivers, and as many vehicles (100000)
  --jobs N          pipeline, row-versions, purge, growth: print jobs in one round (3000)
  --concurrency N   pipeline: tasks done at the same time by each worker (16)
  --threads N       documents: threads that make them (2)
  --documents N     runs: documents of one print run (100000); cut-off: letters that are due (1000000); growth: of the run that is claimed (20000)
  --finished N      growth, console: finished letters of the big system (1000000)
  --live N          growth, console: its live letters (300000)
  --letters N       day: letters (150000)
  --deliveries N    callbacks: owed when their delivery begins (20000; growth 1000)
  --queue NAME      pipeline, callbacks, day: postgres or redis, which wants redis-server on the PATH (postgres)
  --profile DIR     write a CPU profile of our service there, which slows our side down
  --json            the figures of every round, as JSON on standard output
`

const options = {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  connections: { type: 'string', default: '64' },
  drivers: { type: 'string' },
  jobs: { type: 'string', default: '3000' },
  concurrency: { type: 'string', default: '16' },
  threads: { type: 'string', default: '2' },
  documents: { type: 'string' },
  finished: { type: 'string', default: '1000000' },
  live: { type: 'string', default: '300000' },
  letters: { type: 'string', default: '150000' },
  deliveries: { type: 'string' },
  queue: { type: 'string', default: 'postgres' },
  profile: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const defaults = {
  intake: { rounds: '20', seconds: '1', drivers: '1' },
  access: { rounds: '20', seconds: '1', drivers: '1' },
  enquiry: { rounds: '20', seconds: '1', drivers: '100000' },
  find: { rounds: '5', seconds: '2', drivers: '1000000' },
  pipeline: { rounds: '3', seconds: '180', drivers: '1' },
  documents: { rounds: '4', seconds: '1', drivers: '1' },
  runs: { rounds: '3', seconds: '1', drivers: '1' },
  'cut-off': { rounds: '1', seconds: '1', drivers: '1' },
  callbacks: { rounds: '5', seconds: '8', drivers: '1' },
  overload: { rounds: '1', seconds: '30', drivers: '1' },
  fairness: { rounds: '3', seconds: '15', drivers: '1' },
  neighbours: { rounds: '3', seconds: '15', drivers: '1' },
  files: { rounds: '3', seconds: '180', drivers: '1' },
  'row-versions': { rounds: '1', seconds: '180', drivers: '1' },
  purge: { rounds: '1', seconds: '180', drivers: '1' },
  growth: { rounds: '5', seconds: '10', drivers: '1' },
  console: { rounds: '5', seconds: '10', drivers: '1' },
  day: { rounds: '1', seconds: '21600', drivers: '1' },
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
    const { rounds, seconds, drivers } = { ...defaults[subject], ...values }
    return {
      kind: 'run',
      settings: {
        subject,
        rounds: wholeNumber('rounds', rounds, 100),
        seconds: wholeNumber('seconds', seconds, subject === 'day' ? 86_400 : 600),
        connections: wholeNumber('connections', values.connections, 1_000),
        drivers: wholeNumber('drivers', drivers, 10_000_000),
        jobs: wholeNumber('jobs', values.jobs, 100_000),
        concurrency: wholeNumber('concurrency', values.concurrency, 200),
        threads: wholeNumber('threads', values.threads, 64),
        documents: documentsOf(subject, values.documents),
        finished: wholeNumber('finished', values.finished, 10_000_000),
        live: wholeNumber('live', values.live, 10_000_000),
        letters: wholeNumber('letters', values.letters, 1_000_000),
        deliveries: deliveriesOf(subject, values.deliveries),
        queue,
        json,
        ...(profile && { profileDirectory: resolve(profile) }),
      },
    }
  } catch (error) {
    return { kind: 'usage', fault: (error as Error).message }
  }
}

function documentsOf(subject: Settings['subject'], text: string | undefined): number {
  const max = subject === 'cut-off' ? 1_000_000 : 100_000
  const usual = subject === 'growth' ? 20_000 : max
  return wholeNumber('documents', text ?? String(usual), max)
}

function deliveriesOf(subject: Settings['subject'], text: string | undefined): number {
  return wholeNumber('deliveries', text ?? (subject === 'growth' ? '1000' : '20000'), 1_000_000)
}

function isSubject(subject: string | undefined): subject is Settings['subject'] {
  return subject !== undefined && Object.hasOwn(defaults, subject)
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}`)
}
