import { endProcess } from './end-process.ts'
import { close, type Service } from './service.ts'
import { announceStop } from './stopping.ts'

type RunOptions<Config> = {
  name: string
  /** Reads and validates the settings. Throws an error whose message lists every invalid setting. */
  readConfig(): Config
  create(config: Config): Promise<Service>
}

type ListenConfig = { HOST: string; PORT: number; DESPATCH_STOP_DELAY_MS?: number }

/**
 * Longer than the longest call that closing waits for: 40 s to the object store, 35 s to the database, 20 s for a
 * callback.
 */
const closeDeadlineMs = 45_000

/**
 * How many new connections the kernel queues until this process accepts them. The kernel silently drops connections
 * beyond that, and their callers retry after 1, 3 and 7 seconds. Node's default is 511. The kernel has a limit of its
 * own (net.core.somaxconn).
 */
const connectionsWaitingMax = 4_096

/**
 * Runs one service as a process. On SIGINT or SIGTERM it finishes the requests under way, closes and exits with 0. On
 * SIGTERM it first reports "not ready" for DESPATCH_STOP_DELAY_MS; a SIGINT from a terminal ends that delay. Closing is
 * aborted after 45 s, so supervisors must wait longer before they kill. If a setting is invalid or the port is in use,
 * it writes one line to standard error and exits with 1.
 */
export async function runService<Config extends ListenConfig>({
  name,
  readConfig,
  create,
}: RunOptions<Config>): Promise<void> {
  try {
    const config = readConfig()
    await using parts = new AsyncDisposableStack()
    const service = parts.adopt(await create(config), close)
    await service.api.listen({
      host: config.HOST,
      port: config.PORT,
      backlog: connectionsWaitingMax,
      listenTextResolver: (address) => `service.started at ${address}`,
    })
    // From here on, a signal closes the service.
    parts.move()
    closeOnSignal(service, config.DESPATCH_STOP_DELAY_MS ?? 0)
  } catch (error) {
    process.stderr.write(`${name} cannot start: ${explain(error)}\n`)
    process.exit(1)
  }
}

function closeOnSignal(service: Service, stopDelayMs: number): void {
  const { log } = service.api
  const atOnce = new AbortController()
  let isClosing = false
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (signal === 'SIGINT') atOnce.abort()
    // Under npm, Ctrl-C arrives twice: from the terminal and from npm. The repeat must not abort the closing.
    if (isClosing) return
    isClosing = true
    const delayMs = signal === 'SIGTERM' ? stopDelayMs : 0
    await announceStop(service, { delayMs, signal: atOnce.signal })
    setTimeout(() => {
      log.error({ signal, closeDeadlineMs }, 'service.close-overdue')
      endProcess(1)
    }, closeDeadlineMs).unref()
    try {
      await service.close()
      log.info({ signal }, 'service.closed')
      endProcess(0)
    } catch (error) {
      log.error({ err: error }, 'service.close-failed')
      endProcess(1)
    }
  }
  process.on('SIGINT', (signal) => void stop(signal))
  process.on('SIGTERM', (signal) => void stop(signal))
}

function explain(error: unknown): string {
  // What had been opened could not be closed either. The first error says why the service cannot start.
  if (error instanceof SuppressedError) return explain(error.suppressed)
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'ConfigError') return `\n${error.message}`
  const { code, address, port } = error as { code?: string; address?: string; port?: number }
  if (code === 'EADDRINUSE') return `port ${port} of ${address} is in use; set PORT to another`
  return error.stack ?? error.message
}
