import { connect } from 'node:net'
import type { ScannerAddress } from './scanner-address.ts'

/** One command to clamd and its answer, on its own connection. */
export type Conversation = {
  /** Sends bytes and resolves when the connection accepts more, so that at most one buffer is in memory. */
  send(bytes: Uint8Array): Promise<void>
  /** The answer without its end mark. Rejects with ScanFailed. */
  answer: Promise<string>
  /** Returns true once there is an answer or a failure. The scanner ignores what is sent after that. */
  isOver(): boolean
  end(): void
}

const answerBytesMax = 4096

/**
 * Connects to clamd. Rejects with ScanFailed, also when the signal aborts: its reason says whether the time limit was
 * reached.
 */
export async function startConversation(
  address: ScannerAddress,
  { connectTimeoutMs, signal }: { connectTimeoutMs: number; signal: AbortSignal },
): Promise<Conversation> {
  const socket = connect(address)
  const answered = Promise.withResolvers<string>()
  const connected = Promise.withResolvers<void>()
  let isConnected = false
  let isOver = false
  let wake: (() => void) | undefined
  let received = ''

  const finish = (settle: () => void) => {
    if (isOver) return
    isOver = true
    clearTimeout(connectTimer)
    signal.removeEventListener('abort', giveUp)
    settle()
    wake?.()
    socket.destroy()
  }
  const fail = (error: ScanFailed) =>
    finish(() => {
      connected.reject(error)
      answered.reject(error)
    })
  const giveUp = () => fail(failureOf(signal.reason))
  // A caller that awaits only one of the two promises still gets the failure.
  answered.promise.catch(() => {})

  const connectTimer = setTimeout(
    () =>
      fail(new ScanFailed('unreachable', 'The virus scanner did not accept a connection in time')),
    connectTimeoutMs,
  )
  socket.once('connect', () => {
    isConnected = true
    clearTimeout(connectTimer)
    connected.resolve()
  })
  socket.setEncoding('latin1')
  socket.on('drain', () => wake?.())
  socket.on('data', (text: string) => {
    received += text
    const end = received.indexOf('\0')
    if (end >= 0) finish(() => answered.resolve(received.slice(0, end)))
    else if (received.length > answerBytesMax) {
      fail(new ScanFailed('broken', 'The response of the virus scanner did not end'))
    }
  })
  socket.once('error', (cause) => {
    const reason = isConnected ? 'broken' : 'unreachable'
    fail(new ScanFailed(reason, 'The connection to the virus scanner failed', { cause }))
  })
  socket.once('close', () => {
    fail(new ScanFailed('broken', 'The virus scanner closed the connection without a response'))
  })
  if (signal.aborted) giveUp()
  else signal.addEventListener('abort', giveUp, { once: true })

  await connected.promise
  return {
    answer: answered.promise,
    isOver: () => isOver,
    send: async (bytes) => {
      if (isOver || socket.write(bytes)) return
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
      wake = undefined
    },
    end: () => socket.destroy(),
  }
}

function failureOf(reason: unknown): ScanFailed {
  const isTimeUp = reason instanceof Error && reason.name === 'TimeoutError'
  return isTimeUp
    ? new ScanFailed('timeout', 'The virus scanner took too long', { cause: reason })
    : new ScanFailed('broken', 'The scan was aborted', { cause: reason })
}

/**
 * Why there is no verdict on a file. `unreachable`: the address does not answer. `timeout`: the scan took too long.
 * `limit`: the file exceeds a limit of the scanner, so it was not fully scanned. `broken`: the connection ended early
 * or the answer was invalid.
 */
export type ScanFailure = 'unreachable' | 'timeout' | 'limit' | 'broken'

/** There is no verdict on a file: it is neither clean nor infected and must wait. */
export class ScanFailed extends Error {
  override readonly name = 'ScanFailed'
  readonly reason: ScanFailure

  constructor(reason: ScanFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
