import { parseArgs } from 'node:util'

export type Settings = {
  documents: number
  /** With so many a print run is full. */
  runDocuments: number
  factories: number
  /** Decides who is killed when, what is deleted, and which document has which misfortune. */
  seed: number
  minutes: number
  json: boolean
}

export type CommandLine = { kind: 'run'; settings: Settings } | { kind: 'usage'; fault?: string }

export const usage = `npm run faults -- provider-loop [flags]

  --documents N       letters that are gathered, printed, posted and closed (100000)
  --run-documents N   with so many a print run is full (a quarter of the documents)
  --factories N       that share them; with 1 and as many run documents as documents it is one run (2)
  --seed N            repeats the killing and the misfortunes of an earlier run (one that is drawn)
  --minutes N         after so long it is judged as it stands, and what is under way is a fault (60)
  --json              the verdict as JSON on standard output
`

const options = {
  documents: { type: 'string', default: '100000' },
  'run-documents': { type: 'string' },
  factories: { type: 'string', default: '2' },
  seed: { type: 'string' },
  minutes: { type: 'string', default: '60' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Reads the arguments after the script's name. A wrong one gives the usage and says which it was. */
export function parseCommandLine(args: readonly string[], drawSeed: () => number): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    })
    if (values.help) return { kind: 'usage' }
    if (positionals.join(' ') !== 'provider-loop') {
      throw new Error('Say what is to survive: provider-loop')
    }
    const documents = wholeNumber('documents', values.documents, 1_000_000)
    const quarter = String(Math.ceil(documents / 4))
    return {
      kind: 'run',
      settings: {
        documents,
        runDocuments: wholeNumber('run-documents', values['run-documents'] ?? quarter, 1_000_000),
        factories: wholeNumber('factories', values.factories, 10),
        seed: wholeNumber('seed', values.seed ?? String(drawSeed()), 0xffff_ffff),
        minutes: wholeNumber('minutes', values.minutes, 24 * 60),
        json: values.json,
      },
    }
  } catch (error) {
    return { kind: 'usage', fault: (error as Error).message }
  }
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new Error(`--${name} must be a whole number from 1 to ${max}`)
}
