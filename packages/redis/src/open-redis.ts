import { readFileSync } from 'node:fs'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { parseRedisAddress, type RedisAddress, type Sentinel } from './redis-address.ts'
import { SentinelConnector } from './sentinel-connector.ts'
import { TlsConnector } from './tls-connector.ts'

export type RedisNode = Redis
export type RedisClient = RedisNode | Cluster

type RedisTimings = Pick<
  RedisOptions,
  | 'enableOfflineQueue'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'connectTimeout'
  | 'commandTimeout'
  | 'socketTimeout'
> & {
  /** false: a connection that fails is not tried again. */
  reconnects?: boolean
}

type NodeLogin = Pick<RedisOptions, 'username' | 'password' | 'tls' | 'Connector'>

/**
 * Opens a connection to Redis, or connections to the nodes of a cluster if the address says `cluster=true`. With
 * `sentinel` in the address it connects to the master that the sentinels name, again after each failover.
 */
export function openRedis(
  url: string,
  { reconnects = true, ...timings }: RedisTimings,
): RedisClient {
  const address = parseRedisAddress(url)
  const { isTls, isCluster, sentinel, authoritiesFile, host, port, db, ...login } = address
  const trusted = authoritiesFile ? { ca: readFileSync(authoritiesFile) } : {}
  const tls = isTls && { tls: trusted, Connector: TlsConnector }
  if (isCluster) return openCluster(address, { ...login, ...timings, ...tls }, reconnects)
  const retries = reconnects ? {} : { retryStrategy: null }
  if (!sentinel) return new Redis({ host, port, db, ...login, ...timings, ...retries, ...tls })
  return new Redis({
    ...tls,
    ...sentinelOptions(sentinel, trusted, timings),
    db,
    ...login,
    ...timings,
    ...retries,
    ...(!reconnects && { sentinelRetryStrategy: () => null }),
    ...(isTls && { enableTLSForSentinelMode: true }),
  })
}

function sentinelOptions(
  { group, hosts, username, password, isTls }: Sentinel,
  trusted: NonNullable<RedisOptions['tls']>,
  { connectTimeout }: RedisTimings,
) {
  return {
    name: group,
    sentinels: hosts,
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    ...(isTls && { sentinelTLS: trusted }),
    // Without it, a sentinel that takes the connection and is silent stops the search for the master.
    ...(connectTimeout !== undefined && { sentinelCommandTimeout: connectTimeout }),
    Connector: SentinelConnector,
    // The sentinels may close no connection to a former master.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  }
}

function openCluster(
  { host, port }: RedisAddress,
  {
    enableOfflineQueue,
    lazyConnect,
    ...redisOptions
  }: Omit<RedisTimings, 'reconnects'> & NodeLogin,
  reconnects: boolean,
): Cluster {
  const { connectTimeout } = redisOptions
  return new Cluster([{ host, port }], {
    lazyConnect,
    enableOfflineQueue,
    // The cluster is ready as soon as it knows the nodes. With the check, BullMQ would count it as ready a moment too
    // early.
    enableReadyCheck: false,
    ...(connectTimeout !== undefined && { slotsRefreshTimeout: connectTimeout }),
    ...(!reconnects && { clusterRetryStrategy: null }),
    // Host names are not resolved, because the certificates of the nodes do not have their addresses.
    dnsLookup: (name, done) => done(null, name),
    redisOptions,
  })
}
