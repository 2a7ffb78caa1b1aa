import { readFileSync } from 'node:fs'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { parseRedisAddress, type RedisAddress } from './redis-address.ts'
import { TlsConnector } from './tls-connector.ts'

export type RedisNode = Redis
export type RedisClient = RedisNode | Cluster

export type RedisTimings = Pick<
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

/** Opens a connection to Redis, or connections to the nodes of a cluster if the address says `cluster=true`. */
export function openRedis(
  url: string,
  { reconnects = true, ...timings }: RedisTimings,
): RedisClient {
  const address = parseRedisAddress(url)
  const { isTls, isCluster, authoritiesFile, host, port, db, ...login } = address
  const tls = isTls && {
    tls: authoritiesFile ? { ca: readFileSync(authoritiesFile) } : {},
    Connector: TlsConnector,
  }
  if (isCluster) return openCluster(address, { ...login, ...timings, ...tls }, reconnects)
  const retries = reconnects ? {} : { retryStrategy: null }
  return new Redis({ host, port, db, ...login, ...timings, ...retries, ...tls })
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
