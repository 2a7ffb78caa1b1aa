/**
 * WAITING: behind another of its contract, whose callbacks go one at a time. DUE: an attempt is planned or under way.
 * DEAD: given up, and kept so that it can be sent again.
 */
export const callbackStates = ['WAITING', 'DUE', 'DELIVERED', 'DEAD'] as const
export type CallbackState = (typeof callbackStates)[number]

/** A callback tells a status, or that a letter came back, or nothing: that is a test message. */
export const callbackKinds = ['status', 'return', 'test'] as const
export type CallbackKind = (typeof callbackKinds)[number]

/**
 * Why a callback was given up. gone: the consumer answered 410, to it or to an earlier one of the print job. refused: with
 * another 4xx. unsendable: the target may not be called, or the credentials are no header.
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
 * What callbacks wait for. print-job: for another of their print job that is being sent. strict: for every one of the
 * contract that was owed before, until it is delivered or dead.
 */
export const callbackOrders = ['print-job', 'strict'] as const
export type CallbackOrder = (typeof callbackOrders)[number]
