import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { stopWhenWeDie } from '@despatch/embedded/watchdog'
import { openVirusScanner } from '@despatch/virus-scanner/virus-scanner'
import { eventually } from './eventually.ts'
import { onFreePort } from './on-free-port.ts'

type Clamd = {
  /** The address for TCP. */
  url: string
  /** The address of the Unix socket. */
  socketUrl: string
  /** Restarts it at the same addresses after `stop`. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops it if it is running, and deletes its files. */
  close(): Promise<void>
}

type ClamdOptions = {
  /** StreamMaxLength and, by default, the scan limits, in bytes. */
  streamBytesMax?: number
  /** MaxFileSize and MaxScanSize, in bytes, if they are lower. */
  scanBytesMax?: number
}

const mebibyte = 1024 * 1024

/**
 * The name that this clamd reports for the test file. Signatures that ClamAV's makers have not signed are UNOFFICIAL.
 */
export const eicarSignature = 'Despatch.Test.Eicar.UNOFFICIAL'

/**
 * Returns the harmless EICAR test file for virus scanners. It is assembled here, so that scanners do not report this
 * source file.
 */
export function eicar(): Buffer {
  const parts = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*']
  return Buffer.from(parts.join(''), 'latin1')
}

/**
 * Starts this machine's clamd with one signature, that of the test file. If the machine has none, prints that and
 * returns undefined.
 */
export function startClamd(options: ClamdOptions = {}): Promise<Clamd | undefined> {
  return onFreePort((port) => startClamdOn(port, options))
}

async function startClamdOn(port: number, options: ClamdOptions): Promise<Clamd | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-clamd-'))
  const socketPath = join(directory, 'clamd.ctl')
  const url = `tcp://127.0.0.1:${port}`
  await mkdir(join(directory, 'signatures'))
  const signature = `Despatch.Test.Eicar:0:*:${eicar().toString('hex')}\n`
  await writeFile(join(directory, 'signatures', 'test.ndb'), signature)
  await writeFile(join(directory, 'clamd.conf'), settings({ directory, port, socketPath, options }))

  let server: Awaited<ReturnType<typeof spawnClamd>>
  const stop = async () => {
    server?.kill()
    await server?.ended
    server = undefined
  }
  const start = async () => {
    await rm(socketPath, { force: true })
    server = await spawnClamd(directory)
    if (!server) return
    const isReady = eventually(
      async () => {
        await openVirusScanner(url).check()
        return true
      },
      { message: 'clamd answers' },
    )
    const hasEnded = server.ended.then(() => Promise.reject(new Error('clamd ended')))
    await Promise.race([isReady, hasEnded])
  }
  const close = async () => {
    await stop()
    await rm(directory, { recursive: true, force: true })
  }
  await start().catch(async (error) => {
    await close()
    throw error
  })
  if (!server) {
    await close()
    console.warn(
      'ClamAV suites are skipped: there is no clamd on the PATH (apt-get install clamav-daemon)',
    )
    return undefined
  }
  return { url, socketUrl: `unix://${socketPath}`, start, stop, close }
}

function settings({
  directory,
  port,
  socketPath,
  options: { streamBytesMax = 16 * mebibyte, scanBytesMax = streamBytesMax },
}: {
  directory: string
  port: number
  socketPath: string
  options: ClamdOptions
}): string {
  return [
    'Foreground yes',
    `DatabaseDirectory ${join(directory, 'signatures')}`,
    `TemporaryDirectory ${directory}`,
    `TCPSocket ${port}`,
    'TCPAddr 127.0.0.1',
    `LocalSocket ${socketPath}`,
    // Otherwise, under root, clamd would look for a user account of its own.
    `User ${userInfo().username}`,
    `StreamMaxLength ${streamBytesMax}`,
    `MaxFileSize ${scanBytesMax}`,
    `MaxScanSize ${scanBytesMax}`,
    'AlertExceedsMax yes',
    '',
  ].join('\n')
}

/** Debian installs daemons in a directory that only root's PATH contains. */
async function spawnClamd(directory: string) {
  const server = spawn('clamd', ['--config-file', join(directory, 'clamd.conf')], {
    cwd: directory,
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: 'ignore',
    detached: true,
  })
  const isStarted = await new Promise<boolean>((resolve) => {
    server.once('spawn', () => resolve(true))
    server.once('error', () => resolve(false))
  })
  if (!isStarted) return undefined
  server.unref()
  stopWhenWeDie(server)
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  return { ended, kill: () => server.kill('SIGKILL') }
}
