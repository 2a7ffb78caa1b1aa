import { parseArgs } from 'node:util'

export const usage = `Usage: npm run demo [-- --exit]

  --exit  end after the demonstration, with 0 when all went as it should and 1 otherwise

DESPATCH_DATA_DIR keeps the data in a directory; without it, they are in a temporary one and removed at the end.
DATABASE_URL, QUEUE_URL and S3_* are used where they are set; what is not given is embedded.
`

export type Arguments =
  | { kind: 'run'; exit: boolean }
  | { kind: 'help' }
  | { kind: 'wrong'; reason: string }

export function readArguments(given: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: { exit: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
    return values.help ? { kind: 'help' } : { kind: 'run', exit: values.exit ?? false }
  } catch (error) {
    return { kind: 'wrong', reason: (error as Error).message }
  }
}
