import type { Socket } from 'node:net'
import {
  type AbstractConnector,
  SentinelConnector as Connector,
  type Redis,
  type RedisOptions,
} from 'ioredis'
import type { Host } from './redis-address.ts'
import { TlsConnector } from './tls-connector.ts'

type OnError = (type: string, error: Error) => void

/** In the types of ioredis connectToSentinel is private. Its code calls the one of a subclass. */
const OpenConnector = Connector as unknown as new (
  options: RedisOptions,
) => AbstractConnector & {
  connect(onError: OnError): Promise<Socket>
  connectToSentinel(sentinel: Host, options?: RedisOptions): Redis
}

/** The code of the error if no sentinel answers, or none knows the group. */
const noSentinelCode = 'NO_SENTINEL_ANSWERS'

/**
 * Asks the sentinels which server of their group is the master, and connects to it. As those of TlsConnector, each of
 * its connections may fail twice.
 */
export class SentinelConnector extends OpenConnector {
  readonly #options: RedisOptions

  constructor(options: unknown) {
    super(options as RedisOptions)
    this.#options = options as RedisOptions
  }

  override async connect(onError: OnError): Promise<Socket> {
    const stream = await super.connect(onError).catch((error: Error) => {
      throw Object.assign(error, { code: noSentinelCode })
    })
    return stream.on('error', () => {})
  }

  override connectToSentinel(sentinel: Host, options: RedisOptions = {}): Redis {
    const tls = this.#options.sentinelTLS && { Connector: TlsConnector }
    return super.connectToSentinel(sentinel, { ...options, ...tls })
  }
}
