import { readDestination } from '@despatch/domain/callback/destination'
import type { CallbackParams } from '@despatch/domain/print-job/params'
import type { PrintJobRecord } from '@despatch/store/print-job/record'

/** Placeholder for a value that cannot be read. */
const unreadable = '********'

type KeptCallback = Pick<
  PrintJobRecord,
  'callbackParams' | 'callbackDestinationSealed' | 'callbackOrigin'
>

/**
 * Returns the callback params of a print job as its consumer sent them, or null if there are none. A destination whose
 * key is lost must not make the print job unreadable: the result then holds the origin, which is stored in plain text,
 * and `onUnreadable` is called.
 */
export function readCallbackParams(
  { callbackParams, callbackDestinationSealed, callbackOrigin }: KeptCallback,
  { unseal, onUnreadable }: { unseal: (sealed: Uint8Array) => string; onUnreadable: () => void },
): CallbackParams | null {
  if (!callbackParams || !callbackDestinationSealed) return null
  const { retryParams } = callbackParams
  try {
    return {
      ...readDestination(unseal(callbackDestinationSealed)),
      ...(retryParams && { retryParams }),
    }
  } catch {
    // the error is dropped because it may quote the sealed text
    onUnreadable()
    return { target: `${callbackOrigin}/${unreadable}`, ...(retryParams && { retryParams }) }
  }
}
