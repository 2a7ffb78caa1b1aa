import { type Conversation, ScanFailed, startConversation } from './conversation.ts'
import { parseScannerUrl } from './scanner-address.ts'

type ScanResult = { kind: 'clean' } | { kind: 'infected'; signature: string }

export type VirusScanner = {
  /**
   * Streams a file to the scanner as fast as the scanner reads it, and returns the verdict. Throws ScanFailed if there
   * is none, any error from reading the content, and the signal's reason. Always closes the content.
   */
  scan(
    content: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ScanResult>
  /** Throws ScanFailed unless the scanner answers. */
  check(): Promise<void>
}

type VirusScannerOptions = {
  /** Milliseconds for one file, from connecting to the verdict. */
  timeoutMs?: number
}

const timeoutMsDefault = 120_000
const connectTimeoutMs = 2_000
const checkTimeoutMs = 2_000
/** With `AlertExceedsMax`, clamd reports content over its limits as if it were a signature. */
const limitSignature = /^Heuristics\.Limits\.Exceeded/

/**
 * Opens the client of ClamAV's daemon at `tcp://host:port` or `unix:///path`. It implements INSTREAM itself to
 * guarantee two things: it never keeps more of a file than a connection's buffer, and every scan ends with a verdict,
 * an error or a timeout.
 */
export function openVirusScanner(
  url: string,
  { timeoutMs = timeoutMsDefault }: VirusScannerOptions = {},
): VirusScanner {
  const address = parseScannerUrl(url)
  return {
    scan: async (content, { signal } = {}) => {
      const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]
      const iterator = content[Symbol.asyncIterator]()
      let conversation: Conversation | undefined
      try {
        conversation = await startConversation(address, {
          connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
          signal: AbortSignal.any(limits),
        })
        const isAllSent = await stream(iterator, conversation)
        const result = readScanAnswer(await conversation.answer)
        if (result.kind === 'clean' && !isAllSent) {
          throw new ScanFailed(
            'broken',
            'The virus scanner responded before it received the whole file',
          )
        }
        return result
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        conversation?.end()
        // A source that hangs must not delay the verdict. The code that reads the source closes it.
        void Promise.resolve(iterator.return?.()).catch(() => {})
      }
    },
    check: async () => {
      const conversation = await startConversation(address, {
        connectTimeoutMs,
        signal: AbortSignal.timeout(checkTimeoutMs),
      })
      await conversation.send(Buffer.from('zPING\0'))
      if ((await conversation.answer) !== 'PONG') {
        throw new ScanFailed('broken', 'The responding service is not a virus scanner')
      }
    },
  }
}

/**
 * INSTREAM: chunks, each preceded by its length in 4 bytes, and an empty chunk at the end. Returns false if the answer
 * came before the end.
 */
async function stream(
  content: AsyncIterator<Uint8Array>,
  conversation: Conversation,
): Promise<boolean> {
  await conversation.send(Buffer.from('zINSTREAM\0'))
  while (!conversation.isOver()) {
    const next = await Promise.race([content.next(), conversation.answer])
    if (typeof next === 'string') return false
    if (next.done) {
      await conversation.send(Buffer.alloc(4))
      return true
    }
    // An empty chunk would end the stream.
    if (next.value.length === 0) continue
    const length = Buffer.alloc(4)
    length.writeUInt32BE(next.value.length)
    await conversation.send(length)
    await conversation.send(next.value)
  }
  return false
}

/** Parses clamd's answer to a scan. Only two answers are verdicts; throws ScanFailed for any other. */
export function readScanAnswer(answer: string): ScanResult {
  if (answer === 'stream: OK') return { kind: 'clean' }
  const signature = /^stream: (\S.*) FOUND$/.exec(answer)?.[1]
  if (signature && !limitSignature.test(signature)) return { kind: 'infected', signature }
  if (signature || answer.startsWith('INSTREAM size limit exceeded')) {
    throw new ScanFailed('limit', 'The file is over a limit of the virus scanner')
  }
  throw new ScanFailed('broken', 'The virus scanner gave no verdict')
}
