import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyTree } from '../../test/faults/mutants/mutated-tree.ts'
import type { RunReply, RunRequest } from './test-runner.ts'

/** `timed-out`: the tests did not end within the limit. */
export type RunOutcome = (RunReply | { kind: 'timed-out' }) & { seconds: number }

/** A copy of the tree in which tests run, one request at a time. */
export type BrokenCopy = {
  directory: string
  run(request: RunRequest, limitSeconds: number): Promise<RunOutcome>
  /** Ends what runs, and removes the copy. */
  close(): Promise<void>
}

/** How long vitest and its servers have for their end. */
const closingMs = 10_000

/** Copies the tree to a directory in `folder`. Everything that its tests write is in there too. */
export async function createCopy(folder: string): Promise<BrokenCopy> {
  const { directory } = await copyTree(folder)
  // the account of PostgreSQL must be able to enter it
  await chmod(directory, 0o711)
  let runner: ChildProcess | undefined
  let isClosed = false

  async function start(): Promise<ChildProcess> {
    const scratch = await mkdtemp(join(folder, 't-'))
    await chmod(scratch, 0o711)
    const started = spawn(process.execPath, ['scripts/mutation/test-runner.ts'], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // a group of its own: Ctrl-C reaches this process only, which then ends the group
      detached: true,
      env: { ...process.env, TMPDIR: scratch, NODE_COMPILE_CACHE: join(directory, '.compiled') },
    })
    await Promise.race([
      once(started, 'message'),
      once(started, 'exit').then(() => Promise.reject(new Error('vitest did not start'))),
    ])
    return started
  }

  async function stop(how: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const stopped = runner
    runner = undefined
    if (!stopped?.pid || stopped.exitCode !== null) return
    const ended = once(stopped, 'exit')
    const kill = setTimeout(() => killGroup(stopped, 'SIGKILL'), closingMs)
    if (how === 'SIGTERM') stopped.kill('SIGTERM')
    else killGroup(stopped, 'SIGKILL')
    await ended
    clearTimeout(kill)
  }

  async function run(request: RunRequest, limitSeconds: number): Promise<RunOutcome> {
    const changed = request.changed && join(directory, request.changed.path)
    const original = changed && (await readFile(changed))
    runner ??= await start()
    const used = runner
    const startedAt = performance.now()
    const seconds = () => (performance.now() - startedAt) / 1_000
    if (request.coverage) await mkdir(request.coverage, { recursive: true })
    const answer = await answerOf(used, request, limitSeconds)
    if (isClosed) throw new Error('The copy is closed')
    if (typeof answer === 'object') return { ...answer, seconds: seconds() }
    await stop('SIGKILL')
    if (changed) await writeFile(changed, original!)
    return { kind: 'timed-out', seconds: seconds() }
  }

  async function close(): Promise<void> {
    isClosed = true
    await stop('SIGTERM')
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }

  return { directory, run, close }
}

/** Sends a request. `ended`: the process ended. `late`: it did not answer within the limit. */
async function answerOf(
  runner: ChildProcess,
  request: RunRequest,
  limitSeconds: number,
): Promise<RunReply | 'ended' | 'late'> {
  const { promise, resolve } = Promise.withResolvers<RunReply | 'ended' | 'late'>()
  const onEnded = () => resolve('ended')
  runner.once('message', resolve as (reply: unknown) => void).once('exit', onEnded)
  const limit = setTimeout(() => resolve('late'), limitSeconds * 1_000)
  runner.send(request)
  try {
    return await promise
  } finally {
    clearTimeout(limit)
    runner.off('message', resolve).off('exit', onEnded)
  }
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch {
    // it has ended
  }
}
