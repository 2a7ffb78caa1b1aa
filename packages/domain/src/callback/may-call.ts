import ipaddr from 'ipaddr.js'
import { isMetadataAddress, isMetadataName, metadataAddresses } from './metadata-hosts.ts'

export type Network = ReturnType<typeof ipaddr.parseCIDR>

/** A range of addresses that may be called although they are not public; with a port, only there. */
export type AllowedRange = { network: Network; port?: number }

/** Where a connection goes. */
export type Endpoint = { address: string; port: number }

export type CallDecision =
  /** `path` includes the query exactly as the consumer wrote it. */
  { kind: 'call'; origin: string; path: string } | { kind: 'refuse'; reason: RefusalReason }
export type RefusalReason = 'unreadable' | 'scheme' | 'credentials' | 'port' | 'address'

/** Parses a range such as 10.0.0.0/8, ::1/128 or 10.0.0.0/8:8443. Returns undefined if the text is not a range. */
export function parseRange(text: string): AllowedRange | undefined {
  const [, cidr = '', digits] = /^([^/]*\/\d+)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (!ipaddr.isValidCIDR(cidr)) return undefined
  const network = ipaddr.parseCIDR(cidr)
  if (digits === undefined) return { network }
  const port = Number(digits)
  return port >= 1 && port <= 65_535 ? { network, port } : undefined
}

/** Returns the text that `parseRange` reads. */
export function renderRange({ network: [address, bits], port }: AllowedRange): string {
  return `${address}/${bits}${port === undefined ? '' : `:${port}`}`
}

const globalUnicast: Network = ipaddr.parseCIDR('2000::/3')
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
 * that can be a name or is a public address, and not a cloud's metadata service. `mayConnect` decides on names when
 * they are resolved. Only names that always mean this machine (RFC 6761: localhost and its subdomains) are decided
 * here.
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
  const port = portOf(url)
  const mayAny = (addresses: readonly string[]) =>
    addresses.some((each) => mayConnect({ address: each, port }, allowed))
  if (address !== undefined && !mayAny([address])) return { kind: 'refuse', reason: 'address' }
  if (isThisMachine(host) && !mayAny(loopback)) return { kind: 'refuse', reason: 'address' }
  if (isMetadataName(host) && !mayAny(metadataAddresses)) {
    return { kind: 'refuse', reason: 'address' }
  }
  return { kind: 'call', origin: url.origin, path: url.pathname + queryAsWritten(target, url) }
}

/** Returns the port of a URL with http or https. */
export function portOf({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/**
 * Decides whether a connection may be made: to public IPv4, public IPv6 (2000::/3 without its special ranges), or one
 * of the allowed ranges. Refuses anything else, and the metadata services of clouds unless a range is exactly the
 * address.
 */
export function mayConnect({ address, port }: Endpoint, allowed: readonly AllowedRange[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.parse(address)
  const matching = allowed.filter(
    (range) => isWithin(ip, range.network) && (range.port ?? port) === port,
  )
  if (isMetadataAddress(ip)) return matching.some(isOneAddress)
  if (matching.length > 0) return true
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
  return /\.\d+$/.test(host) ? host : undefined
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

function isWithin(ip: ipaddr.IPv4 | ipaddr.IPv6, network: Network): boolean {
  return ip.kind() === network[0].kind() && ip.match(network)
}

function isOneAddress({ network: [address, bits] }: AllowedRange): boolean {
  return bits === address.toByteArray().length * 8
}

// The parser rewrites some characters of a query, for example an apostrophe. Consumers compare tokens in it as bytes.
function queryAsWritten(target: string, url: URL): string {
  const query = /^[^?#]*(\?[^#]*)/.exec(target)?.[1]
  return query !== undefined && /^[\x21-\x7e]*$/.test(query) ? query : url.search
}
