import ipaddr from 'ipaddr.js'

/** What the requests of one source show about the number of trusted proxies. */
type ProxySigns = {
  trustedProxies: number
  /** The number of addresses in X-Forwarded-For. */
  forwarded: number
  /** The address that the request counts for. */
  source: string
  /** How many different consumers have made requests from it. */
  consumers: number
}

/** `too-few`: callers share the address of a proxy. `too-many`: callers can choose the address that they count for. */
type ProxyFault = 'too-few' | 'too-many'

/** Fewer consumers at one private address may be users of one machine behind a proxy of their own. */
export const sharingConsumersMin = 3

/**
 * Decides whether the number of trusted proxies is plainly wrong. A caller with a public address can send any
 * X-Forwarded-For, so more addresses than expected mean something only if the source is private, as a proxy's mostly
 * is. Requests without the header may come from inside, past the proxies.
 */
export function findProxyFault(signs: ProxySigns): ProxyFault | undefined {
  const { trustedProxies, forwarded, source, consumers } = signs
  if (forwarded === 0) return undefined
  if (forwarded < trustedProxies) return 'too-many'
  if (forwarded === trustedProxies || !isPrivate(source)) return undefined
  return trustedProxies === 0 || consumers >= sharingConsumersMin ? 'too-few' : undefined
}

const privateRanges = ['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']

function isPrivate(address: string): boolean {
  return ipaddr.isValid(address) && privateRanges.includes(ipaddr.process(address).range())
}
