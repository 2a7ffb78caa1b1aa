import ipaddr from 'ipaddr.js'

/**
 * Addresses at which clouds serve credentials and settings to their machines: AWS, Azure, Google Cloud, Alibaba, Oracle,
 * Scaleway and Tencent. Some are in public ranges.
 */
export const metadataAddresses = [
  '100.100.100.200',
  '168.63.129.16',
  '169.254.0.23',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '169.254.42.42',
  '192.0.0.192',
  'fd00:42::42',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
] as const

const metadataNames = [
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.tencentyun.com',
]

const known = new Set(metadataAddresses.map((address) => keyOf(ipaddr.parse(address))))

/** Returns whether this address reaches a metadata service, also if it is IPv6 that carries an IPv4 address. */
export function isMetadataAddress(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return known.has(keyOf(carriedBy(ip)))
}

/** Returns whether the host is a name of a metadata service. A trailing dot makes the name absolute. */
export function isMetadataName(host: string): boolean {
  return metadataNames.includes(host.replace(/\.$/, ''))
}

// Bytes, because the text of an address may end in a zone.
function keyOf(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  return ip.toByteArray().join('.')
}

function carriedBy(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  const range = ip.range()
  const bytes = ip.toByteArray()
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  const isTranslated = range === 'ipv4Mapped' || range === 'rfc6145' || range === 'rfc6052'
  return isTranslated ? new ipaddr.IPv4(bytes.slice(-4)) : ip
}
