/**
 * Why there is no verdict on a file. `unreachable`: nobody answers at the address. `timeout`: the scan took too long.
 * `limit`: the file is over a limit of the scanner, which then has not looked at all of it. `broken`: the conversation
 * ended early or made no sense.
 */
export type ScanFailure = 'unreachable' | 'timeout' | 'limit' | 'broken'

/** There is no verdict on a file: it is neither clean nor infected, and must wait. */
export class ScanFailed extends Error {
  override readonly name = 'ScanFailed'
  readonly reason: ScanFailure

  constructor(reason: ScanFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
