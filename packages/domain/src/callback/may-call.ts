import ipaddr from 'ipaddr.js'

/** A range of addresses that may be called although it is not public. */
export type AllowedRange = ReturnType<typeof ipaddr.parseCIDR>

export type CallDecision =
  /** `path` holds the query exactly as the consumer wrote it. */
  { kind: 'call'; origin: string; path: string } | { kind: 'refuse'; reason: RefusalReason }
export type RefusalReason = 'unreadable' | 'scheme' | 'credentials' | 'port' | 'address'

/** Reads a range such as 10.0.0.0/8 or ::1/128. Undefined when it is none. */
export function parseRange(text: string): AllowedRange | undefined {
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : undefined
}

const globalUnicast: AllowedRange = ipaddr.parseCIDR('2000::/3')
const loopback = ['127.0.0.1', '::1']

const nameCharactersMax = 254
const labelCharactersMax = 63
const lowPorts = [80, 443]
const unprivilegedPortMin = 1024
/** Fetch standard, section "port blocking", those from 1024: services that may take a request for their own protocol. */
const blockedPorts = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080,
]

/**
 * Decides whether a target may be called at all: http or https, no credentials in it, a port that is for HTTP, and a host
 * that can be a name or is a public address. Names are decided when they are resolved, by `mayConnect`; only those that always
 * mean this machine (RFC 6761: localhost and what is below it) are decided here.
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
 * ranges), or one of the allowed ranges. Fails closed.
 */
export function mayConnect(address: string, allowed: readonly AllowedRange[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.parse(address)
  if (allowed.some((range) => isWithin(ip, range))) return true
  // What is outside 2000::/3 counts as unicast too, deprecated spellings of 127.0.0.1 among it.
  return ip.range() === 'unicast' && (ip.kind() === 'ipv4' || isWithin(ip, globalUnicast))
}

function isPortForHttp(port: number): boolean {
  return lowPorts.includes(port) || (port >= unprivilegedPortMin && !blockedPorts.includes(port))
}

// The URL parser has already turned every odd spelling of an address into the plain one: a host that ends in a number is
// four decimal numbers or was refused, and one in brackets is IPv6.
function addressIn(host: string): string | undefined {
  if (host.startsWith('[')) return host.slice(1, -1)
  return /^\d+(\.\d+){3}$/.test(host) ? host : undefined
}

// RFC 1035, 2.3.4. A URL may hold far longer ones, which no resolver finds and no index holds.
function isName(host: string): boolean {
  const labels = host.replace(/\.$/, '').split('.')
  return (
    host.length <= nameCharactersMax &&
    labels.every(({ length }) => length > 0 && length <= labelCharactersMax)
  )
}

// A dot at the end makes the name absolute: it is the same name.
function isThisMachine(host: string): boolean {
  return /(^|\.)localhost\.?$/.test(host)
}

function isWithin(ip: ipaddr.IPv4 | ipaddr.IPv6, range: AllowedRange): boolean {
  return ip.kind() === range[0].kind() && ip.match(range)
}

// The parser rewrites some characters of a query, an apostrophe for one; tokens in it are compared as bytes.
function queryAsWritten(target: string, url: URL): string {
  const query = /^[^?#]*(\?[^#]*)/.exec(target)?.[1]
  return query !== undefined && /^[\x21-\x7e]*$/.test(query) ? query : url.search
}
