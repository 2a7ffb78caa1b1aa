import { connect, type TLSSocket } from 'node:tls'
import { AbstractConnector, type RedisOptions } from 'ioredis'

/**
 * Connects to Redis over TLS. A connection can fail twice: with the certificate that is refused here, and with the alert
 * that the server sends about it. ioredis handles the first error only, and the second would end the process.
 */
export class TlsConnector extends AbstractConnector {
  readonly #options: RedisOptions

  constructor(options: unknown) {
    const { disconnectTimeout = 2_000 } = options as RedisOptions
    super(disconnectTimeout)
    this.#options = options as RedisOptions
  }

  /** Throws if the caller disconnects in the same turn. */
  async connect(): Promise<TLSSocket> {
    this.connecting = true
    await Promise.resolve()
    if (!this.connecting) throw new Error('Connection is closed.')
    const { host, port, tls } = this.#options
    const stream = connect({ host, port, ...tls })
    this.stream = stream
    return stream.on('error', (error) => {
      this.firstError = error
    })
  }
}
