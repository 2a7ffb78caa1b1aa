import type { LookupAddress } from 'node:dns'
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type AllowedRange, mayConnect, portOf } from '@despatch/domain/callback/may-call'
import { buildConnector } from 'undici'
import type { Resolve } from './resolve.ts'
import { skipContinue } from './skip-continue.ts'
import { openTunnel } from './tunnel.ts'

/** The connector of one client, which has one connection at a time. */
export type Connections = {
  connect: buildConnector.connector
  /** The address of the last connection; undefined before the first one. With a proxy, the address behind the proxy. */
  readonly address: string | undefined
  /** The bytes received over the connection so far. */
  readonly bytesRead: number
  /** Call it before each request over the connection. */
  awaitResponse(): void
}

/** Thrown if no connection was made, so that nothing was sent. `isConnected`: only the TLS handshake failed. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected'
  readonly isConnected: boolean

  constructor(cause: unknown, { isConnected }: { isConnected: boolean }) {
    super('no connection', { cause })
    this.isConnected = isConnected
  }
}

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
  override readonly message = 'no allowed address'
}

export type ConnectOptions = {
  allowed: readonly AllowedRange[]
  resolve: Resolve
  /** Connections go through this HTTP proxy. Addresses are still resolved and checked here. */
  proxy?: URL
  /** Returns the client certificate for a connection with TLS. If it throws, nothing is sent, and it is a fault of ours. */
  readIdentity?: () => SecureContext
}

const connectDeadlineMs = 5_000

/**
 * Returns a function that creates a connector for one client of an origin. A connector reaches only addresses that may
 * be called. It connects to exactly the addresses that the name resolved to.
 */
export function createConnectionsFor(options: ConnectOptions): (origin: string) => Connections {
  const { proxy, readIdentity } = options
  return (origin) => {
    const find = allowedAddresses(options, portOf(new URL(origin)))
    const connections = (identity: Identity) =>
      proxy ? connectThrough(proxy, find, identity) : connectDirectly(find, identity)
    const isIdentified = readIdentity && origin.startsWith('https:')
    return isIdentified ? identify(readIdentity, connections) : connections({})
  }
}

type Identity = { secureContext?: SecureContext }

/** Reads the certificate for each connection, so that a renewed one is used from then on. */
function identify(
  readIdentity: () => SecureContext,
  connectAs: (identity: Identity) => Connections,
): Connections {
  let latest = connectAs({})
  return {
    get address() {
      return latest.address
    },
    get bytesRead() {
      return latest.bytesRead
    },
    awaitResponse: () => latest.awaitResponse(),
    connect: (options, done) => {
      try {
        latest = connectAs({ secureContext: readIdentity() })
      } catch (error) {
        return done(error as Error, null)
      }
      latest.connect(options, done)
    },
  }
}

function connectDirectly(find: FindAddresses, identity: Identity): Connections {
  const open = openerWith({ ...identity, lookup: guardedLookup(find), autoSelectFamily: true })
  let address: string | undefined
  let socket: Socket | undefined
  let awaitResponse = () => {}
  return {
    get address() {
      return address
    },
    get bytesRead() {
      return socket?.bytesRead ?? 0
    },
    awaitResponse: () => awaitResponse(),
    connect: (options, done) => {
      address = undefined
      const fail = (cause: unknown) =>
        done(new NotConnected(cause, { isConnected: address !== undefined }), null)
      // An address in the target itself needs no lookup, so it is checked here.
      if (isIP(options.hostname) && !find.permits(options.hostname)) {
        return fail(new ForbiddenAddress())
      }
      const opening = open(options, (error, connected) => {
        if (error) fail(error)
        else if (address === undefined) fail(new ForbiddenAddress())
        else {
          awaitResponse = skipContinue(connected)
          done(null, connected)
        }
      })
      opening.prependOnceListener('connect', () => {
        const { remoteAddress = '' } = opening
        // The lookup is guarded already. This check holds even if a connection is made in another way.
        if (find.permits(remoteAddress)) address = remoteAddress
        else opening.destroy(new ForbiddenAddress())
      })
      socket = opening
    },
  }
}

/** Each address is tried in turn. The handshake of TLS is with the receiver and its name, not with the proxy. */
function connectThrough(proxy: URL, find: FindAddresses, identity: Identity): Connections {
  const open = openerWith(identity)
  let address: string | undefined
  let socket: Socket | undefined
  let awaitResponse = () => {}

  async function tunnelTo(hostname: string): Promise<Socket> {
    const endsAt = performance.now() + connectDeadlineMs
    const found = await find(hostname)
    // a silent address leaves the others their part of the time
    const connect = async (to: string, left: number) => {
      const deadlineMs = (endsAt - performance.now()) / left
      const tunnel = await openTunnel(proxy, { address: to, port: find.port }, deadlineMs)
      address = to
      return tunnel
    }
    const [first, ...others] = found
    return others.reduce(
      (tried, { address: next }, index) => tried.catch(() => connect(next, others.length - index)),
      connect(first!.address, found.length),
    )
  }

  return {
    get address() {
      return address
    },
    get bytesRead() {
      return socket?.bytesRead ?? 0
    },
    awaitResponse: () => awaitResponse(),
    connect: (options, done) => {
      address = undefined
      const fail = (cause: unknown) =>
        done(new NotConnected(cause, { isConnected: address !== undefined }), null)
      const succeed = (connected: Socket) => {
        awaitResponse = skipContinue(connected)
        done(null, connected)
      }
      tunnelTo(options.hostname).then((tunnel) => {
        socket = tunnel
        if (options.protocol !== 'https:') return succeed(tunnel)
        open({ ...options, httpSocket: tunnel }, (error, connected) =>
          error ? fail(error) : succeed(connected),
        )
      }, fail)
    },
  }
}

function openerWith(options: object): OpenSocket {
  return buildConnector({
    timeout: connectDeadlineMs,
    ...options,
    allowH2: false,
    // Overrides environment variables that switch verification off.
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  } as buildConnector.BuildOptions) as unknown as OpenSocket
}

/** The function that `buildConnector` returns, typed with the socket that it returns. */
type OpenSocket = (
  options: buildConnector.Options,
  done: (error: Error | null, socket: Socket) => void,
) => Socket

/** Returns those addresses of a host that may be connected to. Rejects with ForbiddenAddress if there are none. */
type FindAddresses = ((hostname: string) => Promise<LookupAddress[]>) & {
  port: number
  permits(address: string): boolean
}

function allowedAddresses({ allowed, resolve }: ConnectOptions, port: number): FindAddresses {
  const permits = (address: string) => mayConnect({ address, port }, allowed)
  const find = async (hostname: string): Promise<LookupAddress[]> => {
    const own = hostname.replace(/^\[|\]$/g, '')
    const found = isIP(own)
      ? [{ address: own, family: isIPv6(own) ? 6 : 4 }]
      : await resolve(hostname)
    const open = found.filter(({ address }) => permits(address))
    if (open.length === 0) throw new ForbiddenAddress()
    return open
  }
  return Object.assign(find, { port, permits })
}

/** Resolves a name to those of its addresses that may be connected to. The socket uses no others. */
function guardedLookup(find: FindAddresses): LookupFunction {
  return (hostname, options, done) => {
    const finish = (open: LookupAddress[]) => {
      if (options.all) return done(null, open)
      done(null, open[0]!.address, open[0]!.family)
    }
    find(hostname).then(finish, (error) => done(error, []))
  }
}
