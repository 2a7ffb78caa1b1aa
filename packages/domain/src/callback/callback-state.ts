/**
 * WAITING: in a contract with strict order, an earlier callback has not ended yet. DUE: an attempt is planned or in
 * progress. DEAD: given up, and kept so that it can be replayed.
 */
export const callbackStates = ['WAITING', 'DUE', 'DELIVERED', 'DEAD'] as const
export type CallbackState = (typeof callbackStates)[number]

/** By which states operators select callbacks. OPEN: WAITING or DUE. */
export const callbackStatusFilters = ['OPEN', ...callbackStates] as const
export type CallbackStatusFilter = (typeof callbackStatusFilters)[number]

/** The most callbacks that are replayed at once. */
export const replaysMax = 100_000

/** A callback reports a status or a returned letter. A test message reports nothing. */
export const callbackKinds = ['status', 'return', 'test'] as const
export type CallbackKind = (typeof callbackKinds)[number]

/**
 * Why a callback was given up. gone: the consumer answered 410 to it or to an earlier callback of the print job.
 * refused: it answered another 4xx. unsendable: the target may not be called, or the credentials are not a valid
 * header.
 */
export const callbackEndReasons = [
  'gone',
  'refused',
  'unsendable',
  'retries-off',
  'window-ended',
] as const
export type CallbackEndReason = (typeof callbackEndReasons)[number]

/**
 * What callbacks wait for. print-job: another callback of their print job that is being sent. strict: every earlier
 * callback of the contract, until it is delivered or dead.
 */
export const callbackOrders = ['print-job', 'strict'] as const
export type CallbackOrder = (typeof callbackOrders)[number]
