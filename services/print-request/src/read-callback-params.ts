import { readDestination } from '@despatch/domain/callback/destination'
import type { CallbackParams } from '@despatch/domain/print-job/params'
import type { PrintJobRecord } from '@despatch/store/print-job/record'

/** Stands for what cannot be read. */
const unreadable = '********'

type KeptCallback = Pick<
  PrintJobRecord,
  'callbackParams' | 'callbackDestinationSealed' | 'callbackOrigin'
>

/**
 * The callback params of a print job as its consumer gave them. A destination whose key is lost must not hide the print
 * job: its origin is told, which is kept in the clear, and `onUnreadable` is called.
 */
export function readCallbackParams(
  { callbackParams, callbackDestinationSealed, callbackOrigin }: KeptCallback,
  { unseal, onUnreadable }: { unseal: (sealed: Uint8Array) => string; onUnreadable: () => void },
): CallbackParams | null {
  if (!callbackParams) return null
  // an older print job has its target in the clear
  if (!callbackDestinationSealed) {
    return { ...callbackParams, target: callbackParams.target ?? unreadable }
  }
  const { retryParams } = callbackParams
  try {
    return {
      ...readDestination(unseal(callbackDestinationSealed)),
      ...(retryParams && { retryParams }),
    }
  } catch {
    // the error is not passed on: it may quote what was sealed
    onUnreadable()
    return { target: `${callbackOrigin}/${unreadable}`, ...(retryParams && { retryParams }) }
  }
}
