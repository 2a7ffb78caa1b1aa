import { type Conversation, startConversation } from './conversation.ts'
import { readScanAnswer, type ScanResult } from './scan-answer.ts'
import { ScanFailed } from './scan-failed.ts'
import { parseScannerUrl } from './scanner-address.ts'

export type VirusScanner = {
  /**
   * Streams a file to the scanner as fast as it takes it, and gives its verdict. Throws ScanFailed when there is none,
   * what reading the content throws, and the signal's reason. The content is closed in each case.
   */
  scan(
    content: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ScanResult>
  /** Throws ScanFailed unless the scanner answers. */
  check(): Promise<void>
}

export type VirusScannerOptions = {
  /** For one file, from connecting to the verdict, in milliseconds. */
  timeoutMs?: number
}

const timeoutMsDefault = 120_000
const connectTimeoutMs = 2_000
const checkTimeoutMs = 2_000

/**
 * ClamAV's daemon at `tcp://host:port` or `unix:///path`. It speaks INSTREAM itself, since of a client we need that it
 * never holds more of a file than a connection's buffer, and that every scan ends: with a verdict, an error or its time.
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
          throw new ScanFailed('broken', 'The virus scanner answered before it had the whole file')
        }
        return result
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        conversation?.end()
        // A source that hangs must not hold up the verdict; whoever reads it closes it.
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
        throw new ScanFailed('broken', 'What answers is not a virus scanner')
      }
    },
  }
}

/** INSTREAM: chunks, each behind its length in 4 bytes, and an empty one at the end. False: the answer came before. */
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
    // An empty chunk would be the end.
    if (next.value.length === 0) continue
    const length = Buffer.alloc(4)
    length.writeUInt32BE(next.value.length)
    await conversation.send(length)
    await conversation.send(next.value)
  }
  return false
}
