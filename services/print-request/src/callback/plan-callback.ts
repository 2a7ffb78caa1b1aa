import { type CallbackDestination, writeDestination } from '@despatch/domain/callback/destination'
import { type AllowedRange, mayCall, type RefusalReason } from '@despatch/domain/callback/may-call'
import type { CallbackParams, RetryParams } from '@despatch/domain/print-job/params'
import type { FieldFault } from '@despatch/domain/problem'

/** The destination of callbacks as it is stored: only the origin is in plain text. */
export type PlannedCallback = {
  origin: string
  destinationSealed: Buffer
  retryParams?: RetryParams
}

export type CallbackContext = {
  /** Address ranges that callbacks may reach although they are not public. */
  callbackAllow: readonly AllowedRange[]
  /** Seals the text of a destination. */
  seal: (text: string) => Buffer
}

/**
 * Decides where callbacks go. For a target that can never be called, adds a violation to `faults` and returns
 * undefined. A host name is not resolved here: its addresses may change before each call, so each call checks them.
 */
export function planCallback(
  { target, authenticationHeader, retryParams }: CallbackParams,
  { callbackAllow, seal }: CallbackContext,
  faults: FieldFault[],
): PlannedCallback | undefined {
  const decision = mayCall(target, callbackAllow)
  if (decision.kind === 'refuse') {
    faults.push(targetFault(decision.reason))
    return
  }
  const destination: CallbackDestination = {
    target,
    ...(authenticationHeader && { authenticationHeader }),
  }
  return {
    origin: decision.origin,
    destinationSealed: seal(writeDestination(destination)),
    ...(retryParams && { retryParams }),
  }
}

const whyRefused: Record<RefusalReason, string> = {
  unreadable: 'must be an http or https address',
  scheme: 'must be an http or https address',
  port: 'has a port that callbacks cannot use',
  credentials: 'must not contain a user name or password. Use authenticationHeader',
  address: 'is at an address that is not public, where callbacks are not delivered',
}

function targetFault(reason: RefusalReason): FieldFault {
  const field = 'callbackParams.target'
  return { field, code: 'InvalidFormat', detail: `${field} ${whyRefused[reason]}` }
}
