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
