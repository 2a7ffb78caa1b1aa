import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { environmentOfTools } from './start-despatch.ts'

const bin = resolve(import.meta.dirname, '../../infra/cli/bin/despatch.mjs')

export type Ended = { code: number | null; stdout: string; stderr: string }

/** Runs the operators' command, `npx despatch`, as the operator in the directory's credentials. */
export async function runCommand(
  directory: string,
  commandLine: readonly string[],
  input?: string,
  environment: Record<string, string> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...commandLine], {
    env: { ...environmentOfTools(), DESPATCH_DATA_DIR: directory, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // a command that has ended does not read its input
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}
