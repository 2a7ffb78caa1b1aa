import { DespatchError } from './despatch-error.ts'
import { requireTimeout } from './session.ts'
import { within } from './waiting.ts'

/** An address of a file works for minutes. After this many have expired, the error is thrown. */
const addressesMax = 3
const defaultTimeoutMs = 600_000

export type TransferOptions = {
  signal?: AbortSignal | undefined
  /** Longest time for the file with all attempts, in milliseconds. Default 600,000. */
  timeoutMs?: number | undefined
}

type Transfer<Address, T> = TransferOptions & {
  /** Whether the file can be transferred again. Default: true. */
  isRepeatable?: boolean
  /** Gets an address of the file. */
  getAddress: (signal: AbortSignal) => Promise<Address>
  /** Uses the address. `stop` ends the transfer with an error that no repeat can mend. */
  transfer: (
    address: Address,
    ending: { signal: AbortSignal; timeoutMs: number; stop: (reason: unknown) => void },
  ) => Promise<T>
}

/**
 * Transfers a file, with another address when one has expired. Throws a DespatchError of the kind `timeout` when the
 * time is over.
 */
export function transferFile<Address, T>({
  signal,
  timeoutMs = defaultTimeoutMs,
  isRepeatable = true,
  getAddress,
  transfer,
}: Transfer<Address, T>): Promise<T> {
  requireTimeout(timeoutMs)
  const reason = () =>
    new DespatchError(`the file was not transferred within ${timeoutMs} ms`, { kind: 'timeout' })
  return within({ ms: timeoutMs, signal, reason }, async (ending, stop) => {
    for (let addresses = 1; ; addresses += 1) {
      const address = await getAddress(ending)
      try {
        return await transfer(address, { signal: ending, timeoutMs, stop })
      } catch (error) {
        const isExpired = error instanceof DespatchError && error.status === 403
        if (!isExpired || !isRepeatable || addresses >= addressesMax) throw error
      }
    }
  })
}
