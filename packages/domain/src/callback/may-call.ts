import ipaddr from 'ipaddr.js'

/** A range of addresses that may be called although they are not public. */
export type AllowedRange = ReturnType<typeof ipaddr.parseCIDR>

export type CallDecision =
  /** `path` includes the query exactly as the consumer wrote it. */
  { kind: 'call'; origin: string; path: string } | { kind: 'refuse'; reason: RefusalReason }
export type RefusalReason = 'unreadable' | 'scheme' | 'credentials' | 'port' | 'address'

/** Parses a range such as 10.0.0.0/8 or ::1/128. Returns undefined if the text is not a range. */
export function parseRange(text: string): AllowedRange | undefined {
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined
}

const globalUnicast: AllowedRange = ipaddr.parseCIDR('2000::/3')
const loopback = ['127.0.0.1', '::1']

const nameCharactersMax = 254
const labelCharactersMax = 63
const lowPorts = [80, 443]
const unprivilegedPortMin = 1024
/**
 * Fetch standard, section "port blocking", the ports from 1024: services that may mistake a request for their own
 * protocol.
 */
const blockedPorts = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
]

/**
 * Decides whether a target may be called at all. It requires http or https, no credentials, a port for HTTP, and a host
 * that can be a name or is a public address. `mayConnect` decides on names when they are resolved. Only names that
 * always mean this machine (RFC 6761: localhost and its subdomains) are decided here.
 */
export function mayCall(target: string, allowed: readonly AllowedRange[]): CallDecision {
  const url = URL.parse(target)
  if (!url) return { kind: 'refuse', reason: 'unreadable' }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { kind: 'refuse', reason: 'scheme' }
  }
  if (url.username || url.password) return { kind: 'refuse', reason: 'credentials' }
  if (url.port && !isPortForHttp(Number(url.port))) return { kind: 'refuse', reason: 'port' }
  const host = url.hostname
  const address = addressIn(host)
  if (address === undefined && !isName(host)) return { kind: 'refuse', reason: 'unreadable' }
  if (address !== undefined && !mayConnect(address, allowed)) {
    return { kind: 'refuse', reason: 'address' }
  }
  if (isThisMachine(host) && !loopback.some((own) => mayConnect(own, allowed))) {
    return { kind: 'refuse', reason: 'address' }
  }
  return { kind: 'call', origin: url.origin, path: url.pathname + queryAsWritten(target, url) }
}

/**
 * Decides whether a connection to the address may be made: public IPv4, public IPv6 (2000::/3 without its special
 * ranges), or one of the allowed ranges. Refuses anything else.
 */
export function mayConnect(address: string, allowed: readonly AllowedRange[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.parse(address)
  if (allowed.some((range) => isWithin(ip, range))) return true
  // The library also calls addresses outside 2000::/3 unicast, among them deprecated spellings of 127.0.0.1.
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || isWithin(ip, globalUnicast))
}

function isPortForHttp(port: number): boolean {
  return lowPorts.includes(port) || (port >= unprivilegedPortMin && !blockedPorts.includes(port))
}

// The URL parser has already normalised every unusual spelling of an address: a host that ends in a number is four
// decimal numbers or was refused, and a host in brackets is IPv6.
function addressIn(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1)
  return /^\d+(\.\d+){3}$/.test(host) ? host : undefined
}

// RFC 1035, 2.3.4. A URL may contain far longer names, which no resolver finds and no index can store.
function isName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.')
  return (
    host.length <= nameCharactersMax &&
    labels.every(({ length }) => length > 0 && length <= labelCharactersMax)
  )
}

// A trailing dot makes the name absolute; it is the same name.
function isThisMachine(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host)
}

function isWithin(ip: ipaddr.IPv4 | ipaddr.IPv6, range: AllowedRange): boolean {
  return ip.kind() === range[0].kind() && ip.match(range)
}

// The parser rewrites some characters of a query, for example an apostrophe. Consumers compare tokens in it as bytes.
function queryAsWritten(target: string, url: URL): string {
  const query = /^[^?#]*(\?[^#]*)/.exec(target)?.[1]
  return query !== undefined && /^[\x21-\x7e]*$/.test(query) ? query : url.search
}
