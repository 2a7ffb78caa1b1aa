export type RedisAddress = {
  /** The first host, if there are several. */
  host: string
  port: number
  username?: string
  password?: string
  /** The numbered database. A cluster has only the first. */
  db: number
  isTls: boolean
  isCluster: boolean
  /** The hosts of the address are then sentinels. */
  sentinel?: Sentinel
  /** File with the certificates of the authorities to trust. Default: those that Node.js trusts. */
  authoritiesFile?: string
}

export type Sentinel = {
  /** The name under which the sentinels watch the servers. */
  group: string
  hosts: Host[]
  username?: string
  password?: string
  isTls: boolean
}

export type Host = { host: string; port: number }

const portDefault = 6379
const sentinelPortDefault = 26379
const ofSentinels = ['sentinel_user', 'sentinel_password', 'sentinel_tls'] as const
const parameters: readonly string[] = ['cluster', 'sentinel', ...ofSentinels, 'cacert']
const switches = ['cluster', 'sentinel_tls'] as const
const several = new Intl.ListFormat('en', { type: 'conjunction' })

/**
 * Parses `redis://user:password@host:port/database`, or `rediss://` for TLS. Parameters: `cluster=true` for the address
 * of one or all nodes of a Redis Cluster, `sentinel=group` for the addresses of sentinels (`host:port,host:port`), with
 * `sentinel_user`, `sentinel_password` and `sentinel_tls` for the connections to them, and `cacert` for the file of a
 * certificate authority. Throws if it is no address.
 */
export function parseRedisAddress(address: string): RedisAddress {
  const { url, hosts } = parseUrl(address)
  const { protocol, username, password, pathname, searchParams } = url
  const authoritiesFile = searchParams.get('cacert')
  const isTls = protocol === 'rediss:'
  const sentinel = searchParams.has('sentinel') && {
    sentinel: parseSentinel(searchParams, hosts, isTls),
  }
  return {
    ...parseHost(hosts[0]!, portDefault),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    isTls,
    isCluster: searchParams.get('cluster') === 'true',
    ...sentinel,
    ...(authoritiesFile && { authoritiesFile }),
  }
}

/** Returns why this address of Redis cannot be used, or undefined if nothing is wrong with it. */
export function findRedisFault(address: string): string | undefined {
  if (!/^rediss?:/.test(address)) return undefined
  if (!canParse(address)) return 'must be as redis://user:password@host:port/database'
  const { searchParams } = parseUrl(address).url
  const { db } = parseRedisAddress(address)
  if (!Number.isInteger(db)) return 'must name the database by its number'
  if ([...searchParams.keys()].some((name) => !parameters.includes(name))) {
    return `must have no parameters but ${several.format(parameters)}`
  }
  const unclear = switches.find((name) => !/^(true|false)$/.test(searchParams.get(name) ?? 'true'))
  if (unclear) return `must have ${unclear}=true or ${unclear}=false`
  return findContradiction(address, searchParams)
}

function findContradiction(address: string, searchParams: URLSearchParams): string | undefined {
  const { db, isTls, isCluster, sentinel } = parseRedisAddress(address)
  if (isCluster && sentinel) return 'must have cluster=true or sentinel, but not both'
  if (isCluster && db !== 0) return 'with cluster=true must name no database'
  if (sentinel?.group === '') return 'with sentinel must name the group that the sentinels watch'
  const alone = ofSentinels.find((name) => !sentinel && searchParams.has(name))
  if (alone) return `with ${alone} must have sentinel`
  if (!sentinel && parseUrl(address).hosts.length > 1) return 'must name one host without sentinel'
  if (searchParams.has('cacert') && !isTls && !sentinel?.isTls) {
    return 'with cacert must start with rediss://, or have sentinel_tls=true'
  }
  return undefined
}

/** The hosts are taken out first, since a URL has one. */
function parseUrl(address: string): { url: URL; hosts: string[] } {
  const [, before = '', hosts = '', after = ''] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(address) ?? []
  return { url: new URL(`${before}host${after}`), hosts: hosts.split(',') }
}

function parseHost(text: string, defaultPort: number): Host {
  const { hostname, port } = new URL(`redis://${text}`)
  const host = decodeURIComponent(hostname).replace(/^\[|\]$/g, '') || '127.0.0.1'
  return { host, port: Number(port || defaultPort) }
}

/** The sentinels have TLS if the servers have it, unless the address says otherwise. */
function parseSentinel(parameters: URLSearchParams, hosts: string[], isTls: boolean): Sentinel {
  const username = parameters.get('sentinel_user')
  const password = parameters.get('sentinel_password')
  return {
    group: parameters.get('sentinel')!,
    hosts: hosts.map((host) => parseHost(host, sentinelPortDefault)),
    ...(username && { username }),
    ...(password && { password }),
    isTls: parameters.has('sentinel_tls') ? parameters.get('sentinel_tls') === 'true' : isTls,
  }
}

function canParse(address: string): boolean {
  try {
    parseRedisAddress(address)
    return true
  } catch {
    return false
  }
}
