export type RedisAddress = {
  host: string
  port: number
  username?: string
  password?: string
  /** The numbered database. A cluster has only the first. */
  db: number
  isTls: boolean
  isCluster: boolean
  /** File with the certificates of the authorities to trust. Default: those that Node.js trusts. */
  authoritiesFile?: string
}

const portDefault = 6379
const parameters: readonly string[] = ['cluster', 'cacert']

/**
 * Parses `redis://user:password@host:port/database`, or `rediss://` for TLS. Parameters: `cluster=true` for the address
 * of one or all nodes of a Redis Cluster, and `cacert` for the file of a certificate authority.
 */
export function parseRedisAddress(address: string): RedisAddress {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(address)
  const authoritiesFile = searchParams.get('cacert')
  return {
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port || portDefault),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    isTls: protocol === 'rediss:',
    isCluster: searchParams.get('cluster') === 'true',
    ...(authoritiesFile && { authoritiesFile }),
  }
}

/** Returns why this address of Redis cannot be used, or undefined if nothing is wrong with it. */
export function findRedisFault(address: string): string | undefined {
  const searchParams = URL.parse(address)?.searchParams
  if (!/^rediss?:/.test(address) || !searchParams) return undefined
  const { db, isTls, isCluster } = parseRedisAddress(address)
  if (!Number.isInteger(db)) return 'must name the database by its number'
  if ([...searchParams.keys()].some((name) => !parameters.includes(name))) {
    return `must have no parameters but ${parameters.join(' and ')}`
  }
  if (searchParams.has('cluster') && !/^(true|false)$/.test(searchParams.get('cluster')!)) {
    return 'must have cluster=true or cluster=false'
  }
  if (isCluster && db !== 0) return 'with cluster=true must name no database'
  if (searchParams.has('cacert') && !isTls) return 'with cacert must start with rediss://'
  return undefined
}
