import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { administrationPath } from '@despatch/contracts/administration/paths'
import type {
  RecordSetResponse,
  RecordSetsResponse,
} from '@despatch/contracts/administration/record-set'
import type { RecordFile } from './records/sample-records.ts'
import type { Screen } from './screen/screen.ts'
import type { Session } from './users/session.ts'

type Import = {
  session: Session
  files: readonly RecordFile[]
  screen: Screen
  /** Imports a file, or continues an interrupted import of it. */
  importFile: (file: RecordFile) => Promise<void>
}

const listedMax = 100

/**
 * Acts as the operator: imports the files as new sets. If there are records of another origin, as in a kept data
 * directory, it leaves them unchanged and returns false.
 */
export async function importRecords(given: Import): Promise<boolean> {
  const { session, files, screen, importFile } = given
  const plans = await Promise.all(files.map((file) => planImport(session, file)))
  if (plans.includes('leave')) {
    screen.say('operator', 'leaves the records alone that are here: they are not of the demo')
    return false
  }
  const missing = files.filter((_file, index) => plans[index] === 'import')
  await Promise.all(missing.map(importFile))
  const counts = files.map(({ kind, count }) => `${count.toLocaleString('en-GB')} ${kind}s`)
  const did = missing.length > 0 ? 'imported' : 'had imported'
  screen.say('operator', `${did} ${counts.join(' and ')}, all of them made up`)
  return true
}

async function planImport(
  session: Session,
  { kind, sha256 }: RecordFile,
): Promise<'import' | 'keep' | 'leave'> {
  const path = `${administrationPath}/record-sets?kind=${kind}&limit=${listedMax}`
  const { recordSets } = (await session.expect(200, { path })).body as RecordSetsResponse
  const isOurs = (set: RecordSetResponse) => set.sourceSha256 === sha256 && set.mode === 'replace'
  const current = recordSets.find(({ state }) => state === 'CURRENT')
  if (current) return isOurs(current) ? 'keep' : 'leave'
  const unfinished = recordSets.find(({ state }) => state === 'LOADING' || state === 'PUBLISHING')
  return unfinished && !isOurs(unfinished) ? 'leave' : 'import'
}

/**
 * Imports a file with the command line of operators, which reads its credentials from the data directory. Throws with
 * what the command said unless it took every row.
 */
export async function importByCommandLine(
  { kind, lines }: RecordFile,
  { dataDirectory, signal }: { dataDirectory: string; signal: AbortSignal },
): Promise<void> {
  const { runCommand } = await import('@despatch/cli/run-command')
  const path = join(dataDirectory, `${kind}s.ndjson`)
  await writeFile(path, lines)
  const said: string[] = []
  const exitCode = await runCommand([`${kind}s`, 'import', path, '--rejects-max', '0', '--json'], {
    environment: { DESPATCH_DATA_DIR: dataDirectory },
    root: dataDirectory,
    canAsk: false,
    canDraw: false,
    look: undefined,
    readInput: async () => '',
    print: () => {},
    output: new Writable(),
    note: (text) => said.push(text),
    onInterrupt: (listener) => {
      signal.addEventListener('abort', listener, { once: true })
      return () => signal.removeEventListener('abort', listener)
    },
  })
  signal.throwIfAborted()
  if (exitCode !== 0) throw new Error(`the ${kind}s could not be imported: ${said.join(' ')}`)
}
